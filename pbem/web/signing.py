"""The forms for texts that a player signs in the page besides orders, and how what is filled in is signed.

The forms are made of the table of signed texts (`pbem.signed_texts`). `SIGN` is the map from a text's name to
the function that signs it, by the same methods of the home as the command line. A function gets the home, the
game or league concerned, and the values of the form; it returns the signed text and remarks on it for the
player. What is signed waits to be posted if its game or league has a box; else it is handed to a mail
program.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pbem.errors import PbemError
from pbem.player import Home, files
from pbem.player.faults import Refused
from pbem.player.store.press_store import PressStore
from pbem.signed_texts import FORMS, GAME, LEAGUE, NAMED, TEXTS, Field
from pbem.trust.identifiers import is_number, quote
from pbem.trust.post_box import check_box_url
from pbem.web.outbox import Outgoing
from pbem.web.table import press_of

if TYPE_CHECKING:
    from pbem.player.leagues.league import PlayersLeague
    from pbem.player.leagues.outlook import Outlook
    from pbem.player.store.game_papers import Chronicle
    from pbem.web.outbox import Outbox

NEW = ""
"""The word that stands for a league which the home does not know."""
OUTSIDE = ("enter", "substitute", "vote", "appeal", "new-key")
"""Names of the texts that can be signed about a league not entered from this home, as by its panel."""
INSIDE = frozenset(TEXTS) - {"enter", "substitute", "vote"}
"""Names of the texts that an entrant of a league can sign; the panel's are left out, since its members do
not play."""

Given = Mapping[str, str]
"""The values filled in a form, by field name; a tick is "yes", a field left out is "" or missing."""
Signed = tuple[bytes, tuple[str, ...]]
"""A text that was signed, with remarks on it for the player."""
Signer = Callable[["Home", "About", Given], Signed]


@dataclass(frozen=True, slots=True)
class Input:
    """A field of a form, as the page draws it."""

    name: str
    words: str
    kind: str
    hint: str
    needed: bool
    value: str = ""
    choices: tuple[str, ...] = ()
    """The values that may be chosen in the field; empty if any text may be written."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form for a text that the player can sign now."""

    name: str
    title: str
    offered: str
    leads: str
    fields: tuple[Input, ...]
    due: bool = False
    """Whether the judge asks the player for this text now."""


@dataclass(frozen=True, slots=True)
class LeagueLine:
    """The state of a league for the page's list of games."""

    league: str
    player: str
    due: str
    """The time in ISO 8601, UTC, by which the league's next act is due; "" if none is due."""
    asked: bool
    """Whether the league asks the player for an answer that they have not given yet."""
    over: bool
    meets: tuple[str, ...]
    """The player's opponents and games in the league, in words."""
    trouble: str = ""
    box: str = ""
    press: str = "none"
    """The kind of press in the league, as the judge has signed it last."""
    unread: int = 0
    """The number of messages in the league's press that the player has not read."""


class SigningDesk:
    """The functions by which a home's player signs texts, which then go to the outbox."""

    def __init__(self, home: Home, post: Outbox) -> None:
        self._home = home
        self._post = post

    # Forms

    def forms(self, about: str) -> tuple[Form, ...]:
        """Return the forms for texts to sign about a game, a league, or ("") a league unknown here."""
        if about == NEW:
            return tuple(_form(name, tuple(map(_input, (*NAMED, *TEXTS[name].fields)))) for name in OUTSIDE)
        at = self._about(about)
        return tuple(self._game_forms(at) if at.kind == GAME else self._league_forms(at))

    def _game_forms(self, at: About) -> list[Form]:
        silent = _silent(at)
        names = _others(at)
        found = []
        for name, text in TEXTS.items():
            if text.place != FORMS or text.about == LEAGUE or (text.about == GAME and not at.exchange):
                continue
            if name == "claim" and not silent:
                continue
            choices = silent if name == "claim" else names
            found.append(_form(name, tuple(_input(one, choices) for one in text.fields), due=name == "claim"))
        return found

    def _league_forms(self, at: About) -> list[Form]:
        outlook = self.outlook(at.name)
        others = tuple(name for name in outlook.players if name != at.player)
        found = []
        for name, text in TEXTS.items():
            if text.place != FORMS or text.about == GAME or name not in INSIDE:
                continue
            if name == "reply" and not outlook.call:
                continue
            is_due = name == "reply" and not outlook.is_answered
            found.append(_form(name, tuple(_input(one, others) for one in text.fields), due=is_due))
        return sorted(found, key=lambda one: not one.due)

    # Leagues

    def leagues(self) -> tuple[LeagueLine, ...]:
        """Return the leagues that were entered from this home."""
        return tuple(map(self._line, sorted((self._home.path / "leagues").glob("*/player"))))

    def _line(self, path: Any) -> LeagueLine:
        name = path.parent.name
        try:
            outlook = self.outlook(name)
        except PbemError as fault:
            return LeagueLine(name, "", "", asked=False, over=False, meets=(), trouble=str(fault))
        return LeagueLine(
            league=name,
            player=outlook.player,
            due=outlook.next_due.isoformat() if outlook.next_due and not outlook.is_over else "",
            asked=bool(outlook.call) and not outlook.is_answered,
            over=outlook.is_over,
            meets=tuple(
                f"{', '.join(one.opponents)} in {one.game}{'' if one.is_open else ', which is not open yet'}"
                for one in outlook.meetings
            ),
            box=self.box_of(name),
            press=press_of(self._home, name),
            unread=len(PressStore(self._home.place_of(name)).unread()),
        )

    def outlook(self, name: str) -> Outlook:
        """Return the state of a league for its entrant."""
        from pbem.player.leagues.outlook import outlook_of

        return outlook_of(self._home.league(name))

    # Signing

    def sign(self, text: str, about: str, given: Given, box: str = "", *, is_saved: bool = True) -> Outgoing:
        """Sign one of the signed texts, to be posted if there is a box; `box`: the one that a link named.

        Raises:
            Refused: a field is not filled in as it must be, or the home was not saved.
        """
        if text not in SIGN:
            raise Refused(f"{quote(text, 40)} is nothing that a form of this page signs")
        row = TEXTS[text]
        given = {name: value.strip() for name, value in given.items()}
        is_new = about == NEW
        at = self._entering(given) if is_new else self._about(about)
        for one in (*(NAMED if is_new else ()), *row.fields):
            if one.is_needed and not given.get(one.name):
                raise Refused(f"fill in {one.words!r}")
        if text == "reply" and not is_saved:
            raise Refused("first save your home as a file: it has the secrets of your dice")
        signed, remarks = SIGN[text](self._home, at, given)
        if is_new and box:
            _note_box(self._home, at.name, check_box_url(box))
        if address := self.box_of(at.name):
            self._post.add(at.name, address, signed.decode(), signed=text)
        return Outgoing(
            game=at.name,
            file=f"{at.name}-{text}.txt",
            text=signed.decode(),
            to=self._home.place_of(at.name).addresses().judge,
            subject=f"{at.name.removeprefix('league.')}: {row.title}",
            remarks=remarks,
        )

    def box_of(self, name: str) -> str:
        """Return the post box of a game or league; "" if there is none."""
        from pbem.web.outbox import box_known

        try:
            return box_known(self._home.place_of(name), noted_box(self._home, name))
        except PbemError:
            return ""

    def _about(self, name: str) -> About:
        if name.startswith("league."):
            league = self._home.league(name)
            member = league.folder.member()
            try:
                key = league.signing_name()
            except PbemError:  # it is lost: a new one can be asked for all the same
                key = ""
            return About(LEAGUE, name, member.player, key, member.judge)
        folder = self._home.folder(name)
        seat, chronicle, judge = folder.membership(), folder.chronicle(), folder.judge()
        fingerprint = judge.fingerprint if judge else ""
        return About(GAME, name, seat.player, seat.key_file, fingerprint, chronicle)

    def _entering(self, given: Given) -> About:
        """Describe a league unknown to this home as subject of a text; the unlocked key names the player."""
        key = next((one for one in self._home.keys.names() if self._home.keys.is_unlocked(one)), "")
        if not key:
            raise Refused("your key is locked")
        name = given.get("league", "")
        ledger = name if name.startswith("league.") else f"league.{name}"
        return About(LEAGUE, ledger, key, key, given.get("judge", ""))


def noted_box(home: Home, name: str) -> str:
    """Return the post box that a link named for a game or league, from the page's notes; "" if none."""
    try:
        found = json.loads(files.read_file(home.path / f"page/{name}.json") or b"{}")
    except (ValueError, RecursionError):
        return ""
    said = found.get("box", "") if isinstance(found, dict) else ""
    return said if isinstance(said, str) else ""


def _note_box(home: Home, name: str, box: str) -> None:
    files.write(home.path / f"page/{name}.json", json.dumps({"box": box}).encode())


def _form(name: str, fields: tuple[Input, ...], *, due: bool = False) -> Form:
    text = TEXTS[name]
    return Form(name, text.title, text.offered, text.leads, fields, due)


def _input(one: Field, players: tuple[str, ...] = ()) -> Input:
    choices = players if one.kind == "player" else ()
    return Input(one.name, one.words, one.kind, one.hint, one.is_needed, choices=choices)


def _others(at: About) -> tuple[str, ...]:
    if at.chronicle is None:
        return ()
    return tuple(one.name for one in at.chronicle.genesis.players if one.name != at.player)


def _silent(at: About) -> tuple[str, ...]:
    """Return the opponents from whom a game can be claimed, by the ledger in this home."""
    from pbem.trust.act_entries import LEAST_SILENCE

    if at.chronicle is None:
        return ()
    history = at.chronicle.history
    return tuple(name for name in _others(at) if history.silence(name) >= LEAST_SILENCE)


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
