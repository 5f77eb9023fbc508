"""An honest league that is disturbed: the judge's real club, entrants with keys and chains, and what they do.

Ann is honest, answers every call and never leaves; nobody may stop her. Ben is hostile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from pbem.audit.bundle import Files
from pbem.errors import PbemError
from pbem.judge.acts import act
from pbem.judge.export import Bundle
from pbem.judge.leagues.desk import take_statement
from pbem.judge.leagues.export import bundle
from pbem.leagues.entries import Opened, Paired
from pbem.leagues.season import Season
from pbem.leagues.statements import VOTE, WITHDRAW
from pbem.titles import default_name
from pbem.trust.act_entries import CONCEDE, Consent, sign_consent
from pbem.trust.armor import find_sealed
from pbem.trust.sealing import open_sealed
from tests.attacks.framing.arena import table_title
from tests.leagues.world import World, file_of, key_of, make_world, take_reply

HONEST, HOSTILE = "ann", "ben"
ENTRANTS = (HONEST, HOSTILE, "cat", "dan", "eve", "fay")
PANEL = ("pam", "pat", "pip")
FORMS = ("swiss", "bids", "tables", "knockout", "sections", "panel")


@dataclass
class Plot:
    """A league that is played and disturbed."""

    form: str
    world: World
    random: Random
    names: tuple[str, ...]
    moves: Counter[str] = field(default_factory=Counter)
    held: dict[str, bytes] = field(default_factory=dict)
    """What lies among the papers that players kept."""
    kept_back: list[bytes] = field(default_factory=list)
    """Sealed files of ben's that he sends when it is too late."""
    subs: int = 0
    monday: Files | None = None
    """The bundle as somebody got it while a call was open."""
    caught: Files | None = None
    """The bundle as it was when a cheating judge had to stop, if the judge's program would not go on."""

    @property
    def season(self) -> Season:
        """The league as it stands."""
        return self.world.book.season

    def refused(self, *, reply: bytes = b"", statement: bytes = b"", address: str = "") -> None:
        """Something that is claimed not to count is handed in; nothing follows from it."""
        with suppress(PbemError):
            if reply:
                verdict = take_reply(self.world.club, reply)
                assert not verdict.is_accepted, verdict.text
            else:
                taken = take_statement(self.world.club, statement, address)
                assert not taken.is_accepted, taken.text

    def say(self, player: str, say: str, **more: object) -> bool:
        """Somebody says something; whether it was taken."""
        with suppress(PbemError):
            return self.world.say(player, say, **more).is_accepted
        return False

    def answer(self, players: Iterable[str]) -> None:
        """These answer the open call by the chains that count in it, unless they have."""
        call = self.season.call
        assert call is not None
        self.world.chains = dict(call.chains)
        for player in players:
            if player in self.season.call.waiting:  # type: ignore[union-attr]
                taken = take_reply(self.world.club, self.world.reply(player, self._bids()))
                assert taken.is_accepted, taken.text

    def _bids(self) -> Callable[[str], str] | None:
        if self.form != "bids":
            return None
        words = [self.random.choice(["e1", "s1", "e2", "s3"]) for _ in range(3)]
        return lambda game: words[len(game) % 3]

    def run(self) -> None:
        """A pass of the judge's, which nobody's word stops."""
        done = self.world.run()
        assert not any(one.is_stopped for one in done), done

    def concede(self, pair: Paired, winner: str) -> None:
        """All but one concede a game, each signed with the key that the game knows."""
        club = self.world.club
        for name in map(self.season.name_now, pair.players):
            book = club.book(pair.game)
            current = book.history.current
            if name == winner or current is None or name not in book.history.playing:
                continue
            line = book.history.seats.fingerprint(name, current.number)
            names = [name, *(f"{name}.{number}" for number in range(9))]
            key = next(key_of(one) for one in names if key_of(one).public.fingerprint == line)
            consent = Consent(
                game=pair.game,
                genesis=str(book.head_at(1)),
                seen=(book.size, book.head),
                exchange=current.number,
                by=name,
                to=f"{CONCEDE} {name}",
            )
            act(club, pair.game, CONCEDE, name, reason="lost", consents=[sign_consent(consent, key)])

    def substitute(self, of: str) -> None:
        """Somebody leaves, another offers to play on, and the director admits them."""
        if not self.say(of, WITHDRAW):
            return
        self.subs += 1
        name = f"sue-{self.subs}"
        self.world.substitute(name, of)
        self.world.rule("admit", name)

    def substitute_from_panel(self, of: str) -> None:
        """One of the panel, who has voted, plays on for somebody who leaves."""
        who = PANEL[0]
        if who not in self.season.members and who not in self.season.offers and self.say(of, WITHDRAW):
            self.world.substitute(who, of)
            self.world.rule("admit", who)

    def vote(self, pair: Paired, places: tuple[tuple[str, int], ...]) -> None:
        """Two of the panel vote alike, and the third otherwise; nobody on their own game."""
        number = len(self.season.rounds)
        even = tuple((player, 1) for player in pair.players)
        for name, what in zip(PANEL, (places, places, even), strict=True):
            self.say(name, VOTE, about=(number, pair.number), places=what)

    def files(self) -> Files:
        """The league's bundle."""
        return Files(dict(bundle(self.world.book)), ())

    def games(self) -> dict[str, Files]:
        """The bundles of its games."""
        club = self.world.club
        names = [one.game for one in self.world.book.entries if isinstance(one, Opened)]
        return {name: Files(dict(Bundle(club, club.book(name), "public").files()), ()) for name in names}

    def receipts(self, player: str) -> dict[str, bytes]:
        """An entrant's receipts, as their program keeps them."""
        found, mine = {}, [key_of(name) for name in (player, *(f"{player}.{number}" for number in range(9)))]
        for letter in self.world.club.store.letters_to("league.cup", player):
            if "receipt" in letter.name:
                signed = open_sealed(find_sealed(letter.data)[0], mine)
                found[f"{player}-{letter.name}"] = signed.rstrip(b"\n") + b"\n"
        return found


def make_plot(folder: Path, random: Random, form: str) -> Plot:
    """A league that takes entries, and into which all have entered."""
    names = ENTRANTS[: random.choice([4, 5, 6])]
    toml, more = "swiss", ""
    match form:
        case "bids":
            more = '[sides]\nby = "bids"\n'
        case "knockout" | "sections":
            toml = form
        case "tables":
            more = "[tables]\nleast = 3\nmost = 5\n"
    if form not in ("panel", "tables"):
        more += f'[unfinished]\nby = "{random.choice(["draw", "director"])}"\n'
    elif form == "tables":
        more += '[unfinished]\nby = "draw"\n'
    data = file_of(toml, more=more, panel=PANEL if form == "panel" else ())
    if form == "tables":
        data = data.replace(f'"{default_name()}"'.encode(), f'"{table_title()}"'.encode()).replace(
            b'options = { scenario = "braveheart" }', b""
        )
        data = data.replace(b"least = 2", b"least = 3", 1)
    world = make_world(folder, data, people=PANEL if form == "panel" else ())
    world.club.store.db.conn.execute("PRAGMA synchronous = OFF")
    plot = Plot(form, world, random, names)
    world.enter(*names)
    return plot
