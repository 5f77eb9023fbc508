"""Functions that sign what a player has filled in a form of the web page, with the keys of the player's home.

`SIGN` is the map from a text's name to its function. A function gets the home, the game or league
concerned, and the values of the form; it returns the signed text and remarks on it for the player.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pbem.player import Home
from pbem.player.faults import Refused
from pbem.trust.identifiers import is_number, quote

if TYPE_CHECKING:
    from pbem.player.leagues.league import PlayersLeague
    from pbem.player.store.chronicle import Chronicle

Given = Mapping[str, str]
"""The values filled in a form, by field name; a tick is "yes", a field left out is "" or missing."""
Signed = tuple[bytes, tuple[str, ...]]
"""A text that was signed, with remarks on it for the player."""
Signer = Callable[["Home", "About", Given], Signed]


@dataclass(frozen=True, slots=True)
class About:
    """The subject of a signed text: a game or league, with the player in it and the player's key file."""

    kind: str
    name: str
    player: str
    key: str
    judge: str
    chronicle: Chronicle | None = None

    @property
    def exchange(self) -> int:
        """The open exchange of the game; 0 if there is none, or its ledger is not here."""
        current = self.chronicle.history.current if self.chronicle else None
        return current.number if current else 0


def _number(given: Given, name: str) -> int:
    """Return the number in a field of a form; 0 if the field is empty."""
    text = given.get(name, "")
    if text and not is_number(text):
        raise Refused(f"{quote(text, 40)} is not a number")
    return int(text or "0")


def _absence(home: Home, at: About, given: Given) -> Signed:
    key = _signing_name(home, at)
    return home.absent(_person(at), given["begins"], given["ends"], key=key, judge=at.judge), ()


def _profile(home: Home, at: About, given: Given) -> Signed:
    share = "-" if given.get("unshare") else given.get("share", "")
    return (
        home.profile(
            _person(at),
            zone=given.get("zone", ""),
            share=share,
            publish=given.get("publish", ""),
            quiet=given.get("quiet", ""),
            digest=given.get("digest", ""),
            hear=_paces(given),
            mails=given.get("mails", ""),
            webhook=given.get("webhook", ""),
            push=given.get("push", ""),
            avoid=given.get("avoid", "").replace(", ", ","),
            key=_signing_name(home, at),
            judge=at.judge,
        ),
        (),
    )


def _paces(given: Given) -> str:
    """Return the wishes for the pace of mails in a form, as a profile states them."""
    from pbem.trust.player_statements import HEARD

    return ",".join(f"{kind}={pace}" for kind in HEARD if (pace := given.get(f"hear_{kind}", "")))


def _person(at: About) -> str:
    """Return the enrolled person in a player's seat, which somebody else may have had at first."""
    if at.chronicle is None:
        return at.player
    return at.chronicle.history.seats.person(at.player)


def _claim(home: Home, at: About, given: Given) -> Signed:
    return home.claim(at.name, given["of"]), ()


def _consents(words: Callable[[About, Given], str], lost: str = "") -> Signer:
    """Return a function that signs a player's consent to an act of the game master.

    `words` makes the act's text from the form; `lost` names the form's field, if there is one,
    with the number of ledger entries that a restored game has lost.
    """

    def sign(home: Home, at: About, given: Given) -> Signed:
        if not at.exchange:
            raise Refused(f"no exchange of {at.name} is open in your ledger of the game")
        count = _number(given, lost) if lost else 0
        to = words(at, given)
        return home.consent(at.name, at.exchange, at.player, to, key=_seat_key(home, at), lost=count), ()

    return sign


def _signing_name(home: Home, at: About) -> str:
    return _seat_key(home, at) if at.exchange else at.key


def _seat_key(home: Home, at: About) -> str:
    """Return the name of the key that signs for the player's seat now."""
    assert at.chronicle is not None, "an exchange is open"
    due = at.chronicle.history.seats.fingerprint(at.player, at.exchange)
    here = {home.keys.public(name).fingerprint: name for name in home.keys.names()}
    if due not in here:
        raise Refused(f"your seat in {at.name} signs with the key {due}, which is not in this home")
    return here[due]


def _rotation(home: Home, at: About, given: Given) -> Signed:
    from pbem.trust.keys import load_private
    from pbem.trust.rotations import sign_rotation

    if not at.exchange:
        raise Refused(f"no exchange of {at.name} is open in your ledger of the game")
    chain, new, by = _number(given, "chain"), _new_key(home, given), None
    remarks: tuple[str, ...] = ()
    if given.get("recovery"):
        by = load_private(f"{given['recovery']}\n".encode())
    elif not given.get("lost"):
        by = home.keys.unlock(_seat_key(home, at))
    change = home.rotate(at.name, at.exchange, at.player, new, by=by, chain=chain)
    if by is None:
        remarks = (f"For others to consent: player {at.player}, hash {change.sha256}",)
    return sign_rotation(change, by, home.keys.unlock(new)), remarks


def _new_key(home: Home, given: Given) -> str:
    """Return the name of the new key in a form; make that key if it does not exist."""
    name = given["new"]
    if name not in home.keys.names():
        if not given.get("passphrase"):
            raise Refused(f"there is no key called {quote(name, 80)} here; to make it, give it a passphrase")
        home.keygen(name, passphrase=given["passphrase"])
    return name


def _enters(say: str) -> Signer:
    def sign(home: Home, at: About, given: Given) -> Signed:
        rating = given.get("rating", "")
        return (
            _league(home, at).enter(
                at.player,
                judge=given["judge"],
                genesis=given["genesis"],
                now=home.now(),
                key=at.key,
                rating=_number(given, "rating") if rating else None,
                games=_number(given, "games"),
                eliminator=bool(given.get("eliminator")),
                say=say,
                instead_of=given.get("of", ""),
            ),
            (),
        )

    return sign


def _reply(home: Home, at: About, given: Given) -> Signed:
    words = [one.rpartition("=") for one in given.get("bids", "").split()]
    return _league(home, at).reply({game: bid for game, _, bid in words}), ()


def _says(say: str, more: Callable[[Given], Mapping[str, Any]] = lambda _: {}) -> Signer:
    """Return a function that signs a statement about a league; `more` makes its arguments from the form."""

    def sign(home: Home, at: About, given: Given) -> Signed:
        from pbem.leagues.statements import Statement

        league = _league(home, at)
        judge, genesis = league.judge_and_genesis(given.get("judge", ""), given.get("genesis", ""))
        said = Statement(
            league=at.name,
            player=at.player,
            say=say,
            judge=judge,
            genesis=genesis,
            made=home.now(),
            **more(given),
        )
        return league.say(said, None if league.folder.find_member() else at.key), ()

    return sign


def _league_key(home: Home, at: About, given: Given) -> Signed:
    league = _league(home, at)
    is_official = league.folder.find_member() is None
    signed = league.new_key(
        at.player,
        _new_key(home, given),
        now=home.now(),
        key=at.key if is_official else None,
        lost=bool(given.get("lost")),
        old=given.get("old", ""),
        judge=given.get("judge", ""),
        genesis=given.get("genesis", ""),
        official=is_official and not given.get("lost"),
    )
    remark = "Hand it to the director, who has to know that it is you who asks." if given.get("lost") else ""
    return signed, (remark,) if remark else ()


def _league(home: Home, at: About) -> PlayersLeague:
    return home.league(at.name)


def _vote(given: Given) -> Mapping[str, Any]:
    from pbem.leagues.statements import parse_places

    places = parse_places(",".join(given["places"].replace(",", " ").split()))
    about = _number(given, "round"), _number(given, "pairing")
    return {"about": about, "places": places, "reason": given.get("reason", "")}


def _changed(what: str) -> Callable[[About, Given], str]:
    def words(_: About, given: Given) -> str:
        return " ".join(one for one in (what, given.get("of", ""), given.get("change", "")) if one)

    return words


SIGN: Mapping[str, Signer] = {
    "absence": _absence,
    "profile": _profile,
    "claim": _claim,
    "concede": _consents(lambda at, _: f"concede {at.player}"),
    "agree-draw": _consents(_changed("agree-draw")),
    "roll-back": _consents(_changed("roll-back")),
    "correct": _consents(_changed("correct")),
    "go-on": _consents(_changed("go-on")),
    "put-away": _consents(lambda _, given: f"put-away {given['size']} {given['head']}", lost="lost"),
    "new-seat-key": _consents(lambda _, given: f"rotate {given['of']} {given['sha256']}"),
    "rotation": _rotation,
    "enter": _enters("enter"),
    "substitute": _enters("substitute"),
    "reply": _reply,
    "withdraw": _says("withdraw", lambda given: {"reason": given.get("reason", "")}),
    "absent": _says("absent", lambda given: {"rounds": (_number(given, "first"), _number(given, "last"))}),
    "half-bye": _says("half-bye", lambda given: {"rounds": (_number(given, "round"),) * 2}),
    "challenge": _says("challenge", lambda given: {"of": given["of"]}),
    "vote": _says("vote", _vote),
    "appeal": _says(
        "appeal",
        lambda given: {"entry": _number(given, "entry"), "reason": " ".join(given["reason"].split())},
    ),
    "new-key": _league_key,
}
"""Functions that sign, by the name of each kind of text for which the web page has a form."""
