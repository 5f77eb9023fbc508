"""The forms for texts that a player signs in the page besides orders: which are shown, and how they are used.

The forms are made of the table of signed texts (`pbem.signed_texts`). `signers` signs what is filled in, by
the same methods of the home as the command line. What is signed waits to be posted if its game or league has
a box; else it is handed to a mail program.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pbem.errors import PbemError
from pbem.player import Home, files
from pbem.player.faults import Refused
from pbem.player.store.press_store import PressStore
from pbem.signed_texts import FORMS, GAME, LEAGUE, NAMED, TEXTS, Field
from pbem.trust.identifiers import quote
from pbem.trust.post_box import check_box_url
from pbem.web.mails import Outgoing
from pbem.web.signers import SIGN, About, Given
from pbem.web.talk_calls import press_of

if TYPE_CHECKING:
    from pbem.player.leagues.outlook import Outlook
    from pbem.web.outbox import Outbox

NEW = ""
"""The word that stands for a league which the home does not know."""
OUTSIDE = ("enter", "substitute", "vote", "appeal", "new-key")
"""Names of the texts that can be signed about a league not entered from this home, as by its panel."""
INSIDE = frozenset(TEXTS) - {"enter", "substitute", "vote"}
"""Names of the texts that an entrant of a league can sign; the panel's are left out, since its members do
not play."""


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
        """Sign a text of the table, and post it if there is a post box; `box`: the one that a link named.

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
