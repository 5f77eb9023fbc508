"""A demonstration: a club, a judge, players, and a game by signed, sealed files.

Every step is a command of this program, run as its users run it: the judge works in the club's folder,
each player in their own home, and between them go nothing but files. Afterwards everything is left in
place for inspection:

    club/  alice/  bob/     the judge's folder and the players' homes
    orders/                 what the players wrote, as text, before it was signed and sealed
    reports/                each side's reports, as the players opened them
    bundle/                 everything of the game, to be checked with `pbem audit`
    genesis                 the first head, as the players were told it
    hostile/                what was handed in against the judge, if that was asked for
    held/                   receipts and checkpoints, as the players kept them
"""

from __future__ import annotations

import io
import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.bots import Bot
from pbem.errors import PbemError
from pbem.judge.club import open_club
from pbem.player.home import Home
from pbem.practice.other_program import body_of
from pbem.rules.base import View, read_head
from pbem.titles import Title
from pbem.trust import keys, sealing, signature
from pbem.trust.entries import Refused
from pbem.trust.identifiers import Namespace
from pbem.trust.signature import sign_text

if TYPE_CHECKING:
    from pbem.titles import Title

GAME = "demo"
PLAYERS = ("alice", "bob", "carol", "dave", "erin")
MAX_EXCHANGES = 400
SHOWN_EXCHANGES = 2
"""Number of exchanges that are shown command by command; each of the others is shown in one line."""

Echo = Callable[[str], None]


class DemoFault(PbemError):
    """Raised if a demonstration cannot begin, or if a command of it failed."""


@dataclass(frozen=True, slots=True)
class Actor:
    """A player of the demonstration, with their side, home and bot."""

    name: str
    side: str
    home: Path
    bot: Bot


class Demo:
    """The demonstration: its folder, its players, and what they have read so far."""

    def __init__(self, folder: Path, actors: tuple[Actor, ...], echo: Echo, *, whole: bool) -> None:
        self.folder = folder
        self.whole = whole
        """Whether the game is played to its end, and not its first year alone."""
        self.actors = actors
        self.echo = echo
        self.loud = True
        self.read: set[Path] = set()
        self.view: dict[str, View] = {}
        self.report: dict[str, str] = {}
        self.disturb: Callable[[Demo, int], None] | None = None
        """Function, if any, that each exchange calls with the demonstration and the exchange's number."""

    # -- commands

    def run(self, *arguments: str, home: Path | None = None, may_fail: bool = False) -> str:
        """Run one command of this program, and return what it prints."""
        from pbem.cli import main

        words = [str(argument) for argument in arguments]
        if self.loud:
            who = f"PBEM_HOME={self._short(home)} " if home else ""
            self.echo(f"$ {who}pbem {shlex.join(self._short(word) for word in words)}")
        printed = io.StringIO()
        places = _environment(PBEM_HOME=str(home or ""), PBEM_CLUB=str(self.folder / "club"))
        remarks = io.StringIO()
        with places, redirect_stdout(printed), redirect_stderr(remarks):
            status = main(words)
        if self.loud:
            self.say(*remarks.getvalue().splitlines())
        if status != 0 and not may_fail:
            output = f"{printed.getvalue()}{remarks.getvalue()}"
            raise DemoFault(f"the demonstration stopped: pbem {shlex.join(words)} failed\n{output}")
        return printed.getvalue()

    def _short(self, word: object) -> str:
        return str(word).replace(f"{self.folder}/", "")

    def say(self, *lines: str) -> None:
        """Tell the spectator some lines."""
        for line in lines:
            self.echo(line)

    # -- the story

    def set_up(self, options: Mapping[str, str], rules: str) -> None:
        """Set up a club, its players and a game."""
        self.say(announced(self.folder, rules, whole=self.whole), "")
        self.say("A game master makes a club; players make keys and ask to join a game.", "")
        self.run("init", str(self.folder / "club"), "--name", "demonstration")
        seats = []
        for actor in self.actors:
            self.run("keygen", actor.name, home=actor.home)
            join = self.folder / f"{actor.name}.join"
            judge = str(self.folder / "club/keys/gm.pub")
            self.run("join", GAME, "--as", actor.name, "--judge", judge, "--out", str(join), home=actor.home)
            self.run("player", "add", actor.name, str(join))
            seats += ["--seat", f"{actor.side}={join}"]
        chosen = [word for name, value in options.items() for word in ("--option", f"{name}={value}")]
        printed = self.run("new", GAME, "--rules", rules, *chosen, *seats)
        head = printed.split()[-1]
        (self.folder / "genesis").write_text(f"{head}\n", encoding="ascii")
        self.say("", "Each player opens the invitation and answers with a signed, sealed `ready`.", "")

    def play(self, *, to_the_end: bool) -> None:
        """Play exchanges until the first year is over, or the game."""
        from pbem.judge.club import open_club

        club = open_club(self.folder / "club")
        years: set[str] = set()
        for exchange in count(1):
            self.loud = exchange <= SHOWN_EXCHANGES
            for actor in self.actors:
                self.open_letters(actor)
            years.update(read_head(view).moment[0] for view in self.view.values())
            over = club.book(GAME).history.over
            if over or (len(years) > 1 and not to_the_end):
                break
            if exchange > MAX_EXCHANGES:
                raise DemoFault(f"the game was not over after {MAX_EXCHANGES} exchanges")

            for actor in self.actors:
                self._send(actor, exchange)
            if self.disturb is not None:
                self.disturb(self, exchange)
            self.say(self._short(self.run("run").rstrip()))
            if exchange == SHOWN_EXCHANGES:
                self.say("", "They go on in the same way; from here on only what `pbem club run` prints.", "")
        club.store.close()

    def open_letters(self, actor: Actor) -> None:
        """Open the letters that have come for a player, and read the report in them."""
        from pbem.reports.packing import unpack_view

        folder = self.folder / "club" / "out" / actor.name
        for letter in sorted(set(folder.glob("*.txt")) - self.read, key=_age):
            printed = self.run("receive", "--whole", str(letter), home=actor.home)
            if (view := unpack_view(printed)) is not None:
                self.view[actor.name], self.report[actor.name] = view, printed
                name = letter.name.removesuffix("-report.txt")
                _write(self.folder / "reports" / actor.side / f"{name}.txt", printed)
            self.read.add(letter)

    def _send(self, actor: Actor, exchange: int) -> None:
        """Write a player's orders, sign and seal them, and hand them in."""
        view = self.view.get(actor.name)
        body = body_of(actor.bot, view, self.report[actor.name]) if view is not None else ""
        draft = f"pbem1 orders\ngame {GAME}\nexchange {exchange}\nside {actor.side}\n---\n{body}"
        path = self.folder / "orders" / actor.side / f"{exchange:04d}.txt"
        _write(path, draft)
        if self.loud and body:
            self.say(f"{actor.name} writes", *(f"    {line}" for line in body.splitlines()))
        sealed = path.with_suffix(".age")
        self.run("seal", str(path), "--out", str(sealed), home=actor.home)
        printed = self.run("submit", str(sealed))
        if self.loud:
            self.say(printed.rstrip())

    def finish(self) -> None:
        """Show a report, export the bundle, and audit it with what the players kept."""
        from pbem.reports.packing import without_view

        self.loud = True
        actor = self.actors[0]
        story = without_view(self.report[actor.name])
        self.say("", f"The demonstration is over. {actor.name}'s last report:", "", story)
        self.say(f"(Then come lines for programs. All of it is in `reports/{actor.side}`.)", "")
        for player in self.actors:
            for path in sorted((player.home / "games" / GAME / "held").glob("*.txt*")):
                target = self.folder / "held" / player.name / path.name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
        self.say("Anybody can check the whole game, offline:", "")
        into = ("--into", str(self.folder / "bundle"))
        self.run("export", GAME, "--as", "all", *into, "--reason", "the demonstration shows everything")
        head = (self.folder / "genesis").read_text(encoding="ascii").strip()
        bundle, held = str(self.folder / "bundle"), str(self.folder / "held")
        self.say(self.run("audit", bundle, "--genesis", head, "--held", held))
        self.say(
            "The commands were given in the demonstration's folder, whose club is `club`. To look further:",
            "",
            f"  cd {shlex.quote(str(self.folder))}; export PBEM_CLUB=club",
            f"  pbem club status; pbem game explain {GAME} exchange 3 --as public",
        )


def seat(title: Title, folder: Path, options: Mapping[str, str], bot: str = "") -> tuple[Actor, ...]:
    """Return a player for each side of a game, each with a home in `folder`; `bot` is "" for the best bot.

    Raises:
        UnknownOption: an option or value that the game does not have.
    """
    sides = title.rules.sides({name: int(v) if v.isdigit() else v for name, v in options.items()})
    make = title.bots[bot or next(iter(title.bots))]
    return tuple(
        Actor(name, side, folder / name, make(side))
        for name, side in zip(PLAYERS, reversed(sides), strict=False)
    )


def announced(folder: Path, rules: str, *, whole: bool) -> str:
    """Return the text that says what a demonstration will do, how long it takes, and where it writes."""
    what, long = ("a whole game", "about a minute") if whole else ("the first year of a game", "some seconds")
    return (
        f"This plays {what} of {rules}, with real keys and seals, and audits it: {long} of this machine's "
        f"work. Everything is written into {folder}; nothing else is touched, and Ctrl-C stops it."
    )


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update({name: value for name, value in values.items() if value})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _age(path: Path) -> tuple[bool, str]:
    """Return the sort key of a letter's file: reports come before receipts, else files go by name."""
    return "receipt" in path.name, path.name


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@dataclass(slots=True)
class Hostile:
    """The hostile player and the hostile stranger of one demonstration."""

    player: Actor
    victim: Actor
    stranger: keys.PrivateKey = field(default_factory=lambda: keys.generate("mallory"))
    handed_in: int = 0

    def disturb(self, demo: Demo, exchange: int) -> None:
        """Hand in an exchange's hostile files of the player and the stranger; show the judge's answers."""
        if not self.handed_in:
            demo.say(
                "",
                f"Now {self.player.name}, and a stranger who has seen files on their way, try to make it",
                "look as if the judge cheats. The name of each file says what is in it; each gets an",
                "answer.",
                "",
            )
        for what, data in self._files(demo, exchange):
            path = demo.folder / "hostile" / f"{exchange:04d}-{what}.age"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
            self.handed_in += 1
            answer = demo.run("submit", str(path), may_fail=True)
            if demo.loud:
                demo.say(*answer.splitlines())

    def _files(self, demo: Demo, exchange: int) -> Iterator[tuple[str, bytes]]:
        me, other = self.player.name, self.victim.name
        club = open_club(demo.folder / "club")
        opened = club.book(GAME).history.exchanges
        club.store.close()
        seals = opened[exchange - 1].seals
        key = Home(self.player.home).keys.unlock(me)
        mine = max((self.player.home / "games" / GAME / "sent").glob(f"{exchange:04d}-*.txt")).read_bytes()
        again = mine.replace(b"rev 1\n", b"rev 2\n", 1)
        signed = sign_text(key, Namespace.ORDERS, again)
        forged = sign_text(self.stranger, Namespace.ORDERS, mine)
        seen = (demo.folder / "orders" / self.victim.side / f"{exchange:04d}.age").read_bytes()

        yield "a-strangers-orders-for-both", sealing.seal(forged, [seals[me], seals[other]])
        yield "junk-for-the-other", sealing.seal(b"junk\n" * exchange, [seals[other]])
        yield "what-was-seen-with-a-line-too-many", seen + b"\n"
        yield "good-orders-for-both", sealing.seal(signed, [seals[other], seals[me]])
        yield "padding-that-readers-cut-differently", sealing.seal(signed + b"\n\r\r\n", [seals[me]])
        side = mine.replace(self.player.side.encode(), self.victim.side.encode())
        yield "for-the-other-side", sealing.seal(sign_text(key, Namespace.ORDERS, side), [seals[me]])
        twice = sign_text(key, Namespace.ORDERS, mine + b"-----END SSH SIGNATURE-----\n")
        yield "one-revision-twice", sealing.seal(twice, [seals[me]])
        if exchange > 1:
            old = opened[exchange - 2].seals
            late = mine.replace(b"exchange %d\n" % exchange, b"exchange %d\n" % (exchange - 1), 1)
            yield "too-late", sealing.seal(sign_text(key, Namespace.ORDERS, late), [old[me]])
            rotated = signature.sign(key, Namespace.ROTATE, again)
            yield "signed-for-something-else", sealing.seal(again + rotated, [seals[me]])

    def give_up(self, demo: Demo) -> None:
        """Concede the game for the hostile player, so that the game ends and everything can be shown."""
        club = open_club(demo.folder / "club")
        history = club.book(GAME).history
        club.store.close()
        if history.over:
            return
        name, path = self.player.name, demo.folder / "concession"
        said = (str(len(history.exchanges)), "concede", name)
        demo.run("consent", GAME, *said, "--as", name, "--out", str(path), home=self.player.home)
        demo.run("act", GAME, *said[1:], "--reason", "nothing has helped", "--consent", str(path))

    def tell(self, demo: Demo) -> None:
        """Tell the spectator what became of the hostile files."""
        club = open_club(demo.folder / "club")
        entries = club.book(GAME).entries
        club.store.close()
        refused = sum(isinstance(entry, Refused) for entry in entries)
        demo.say(
            "",
            f"{self.handed_in} hostile files were handed in. {refused} of them are {self.player.name}'s own;",
            "they stand in the ledger as refused, each with its reason. The others were answered, and claim",
            "nothing.",
            "",
        )


def demonstrate(
    folder: Path,
    echo: Echo,
    *,
    title: Title,
    options: Mapping[str, str] | None = None,
    hostile: bool = False,
) -> None:
    """Play the demonstration into an empty or new folder.

    `hostile` says that the first player and a stranger try to make the judge look guilty; the player gives up
    at last.

    Raises:
        DemoFault: the folder is not empty, or a command failed.
    """
    chosen = {**(title.excerpt or {}), **(options or {})}
    actors = seat(title, folder.resolve(), chosen)
    if hostile and len(actors) != 2:
        raise DemoFault("the hostile demonstration is one of a game for two")
    if folder.exists() and any(folder.iterdir()):
        raise DemoFault(f"{folder} is not empty; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    demo = Demo(folder.resolve(), actors, echo, whole=title.excerpt is None)
    demo.set_up(chosen, title.name)
    enemies = Hostile(demo.actors[0], demo.actors[1]) if hostile else None
    demo.disturb = enemies.disturb if enemies else None
    demo.play(to_the_end=demo.whole)
    if enemies is not None:
        enemies.give_up(demo)
        for actor in demo.actors:
            demo.open_letters(actor)
    demo.finish()
    if enemies is not None:
        enemies.tell(demo)
