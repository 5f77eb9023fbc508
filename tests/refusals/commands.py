"""What the command line refuses by itself, before it asks anybody else."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge.leagues.book import begin_league
from pbem.leagues.statements import WITHDRAW, Statement, sign_statement
from pbem.notify.courier import Courier
from pbem.player import Home
from pbem.titles import load, names
from pbem.trust import keys
from pbem.trust.fields import sign_fields
from pbem.trust.player_statements import sign_days
from pbem.trust.rotations import sign_rotation
from pbem.trust.sealing import seal
from tests.judge.table import Table
from tests.leagues.world import file_of
from tests.player.judge import GAME, Judge
from tests.refusals import boxes
from tests.refusals.clauses import Row
from tests.refusals.club import at_table, in_folder
from tests.refusals.homes import JOINED, at

BUNDLE = str(min((Path(__file__).parents[2] / "games").glob("*/bundle.tar.gz")))
"""The bundle of a finished game."""


def told(*words: str, home: Path | None = None) -> str:
    """What a command says to whoever gave it."""
    said = io.StringIO()
    with _home(home), redirect_stdout(said), redirect_stderr(said):
        main([*words])
    return said.getvalue()


@contextmanager
def _home(home: Path | None) -> Iterator[None]:
    """And the club of the current folder, whatever another test has named."""
    before = dict(os.environ)
    os.environ["PBEM_HOME"] = str(home or before["PBEM_HOME"])
    os.environ.pop("PBEM_CLUB", None)
    try:
        yield
    finally:
        os.environ.update(before)


def tried_practice(place: Path) -> str:
    """A folder of a practice game."""
    with chdir(place):
        told("practice", "game")
        return told("try", "x", "game")


def says(*words: str, **files: bytes) -> Callable[[], object]:
    """In a folder with these files."""

    def do(place: Path) -> str:
        for name, data in files.items():
            (place / name).write_bytes(data)
        with chdir(place):
            return told(*words)

    return in_folder(do)


def in_club(*words: str, file: Callable[[Table], bytes] | None = None) -> Callable[[], object]:
    """In the folder of a club, with the file FILE."""

    def do(table: Table) -> str:
        with chdir(table.club.path):
            if file is not None:
                Path("FILE").write_bytes(file(table))
            return told(*words)

    return at_table(do)


def at_home(*words: str) -> Callable[[], object]:
    """In the home of a player who was invited to a game."""
    return at(lambda alice, _: told(*words, home=alice.path))


def not_invited(alice: Home, _: Judge) -> str:
    return told("show", GAME, home=alice.path)


def site_without_folder(table: Table) -> str:
    """The club has pages, and no folder for them."""
    settings = table.club.path / "club.toml"
    settings.write_text(f'{settings.read_text()}\n[site]\nname = "The Hearth"\n')
    with chdir(table.club.path):
        return told("site")


def joins(table: Table) -> bytes:
    alice = table.people["alice"]
    return sign_fields(alice.join(), alice.key)


def rotated(table: Table) -> bytes:
    new = keys.generate("new")
    return sign_rotation(table.key_change("alice", new.public), table.people["alice"].key, new)


def two_games(alice: Home, _: Judge) -> str:
    """A turn of one of two games, and neither waits for anything."""
    for game in ("dunbar", "stirling"):
        alice.join(game, player="alice", judge=None)
    return told("turn", home=alice.path)


def away(table: Table) -> bytes:
    judge, key = table.club.key.public.fingerprint, table.people["alice"].key
    return sign_days("alice", judge, "2026-01-09", "2026-01-09", table.clock(), key)


def both(table: Table) -> bytes:
    """One is about a league, and one is not."""
    key = table.club.key.public.fingerprint
    said = Statement(
        league="league.cup", player="alice", say=WITHDRAW, judge=key, genesis="0" * 64, made=table.clock()
    )
    return away(table) + sign_statement(said, table.people["alice"].key)


def sealed_roots(alice: Home, _: Judge) -> str:
    path = alice.path / "roots"
    path.write_bytes(seal(b"chain x\n", [alice.keys.public("alice")]))
    return told("complete", str(alice.path), "--roots", str(path), "--into", str(alice.path / "all"))


def full_notifier(place: Path) -> str:
    """A notifier whose disk is full."""
    (place / "full").mkdir()
    with pytest.MonkeyPatch.context() as patch, chdir(place):
        patch.setattr(Courier, "make_round", lambda _: os.write(os.open("/dev/full", os.O_WRONLY), b"x"))
        return told("notify", "full", "--rounds", "1")


def open_league(table: Table) -> str:
    begin_league(table.club, file_of("knockout"))
    with chdir(table.club.path):
        return told("league", "classes", "cup")


def undrawn(alice: Home, _: Judge) -> str:
    """A report that shows no position."""
    (alice.path / "report.txt").write_text("pbem1 report\n")
    out = str(alice.path / "x")
    return told("page", "--report", str(alice.path / "report.txt"), "--out", out, "--picture", f"{out}.svg")


def practised(*words: str) -> Callable[[], object]:
    """In a practice game in which nothing was sent."""

    def do(place: Path) -> str:
        (place / "orders").write_text("nonsense\n")
        with chdir(place):
            told("practice", "game")
            return told("practice", "game", *words)

    return in_folder(do)


ONE, HEAD = "--genesis, --held, --games, --last and --json are for one bundle; name one", "a" * 64
LAST = f'[last]\nleagues = ["old {HEAD} {HEAD}"]'
LEAGUE = "--what-if is for what is signed about a league, and FILE is something else"
MUCH = "too many words: "
CHANGE = "change one thing: --side with --line, or --option"
HOW = "give either GAME, SIZE and HEAD, or mail: --sent, --from"
NO_ODDS = next(name for name in names() if load(name).odds is None)
JUDGES = (
    Row("club.toml has no [site]; write", in_club("site")),
    Row("give [site] in club.toml a folder", at_table(site_without_folder)),
    Row("'hash' writes no site", says("club", "web", "hash", "--serve")),
    Row("choose one of --report, --html and --json", says("show", "demo", "--report", "--json")),
    Row("choose one of --answered, --read and --json", in_club("status", "--read", "1", "--json")),
    Row(
        "--after-gap is for one pass, so leave --every out",
        says("run", "--after-gap", "--every", "1", "--passes", "1"),
    ),
    Row("--sent belongs to --rehearse", says("restore", "f", "x", "--sent", ".", f=b"")),
    Row("--passes belongs to --every", says("run", "--passes", "3")),
    Row("dora is not enrolled: name their key file", in_club("player", "add", "dora")),
    Row("alice is enrolled: give their address with --address", in_club("player", "add", "alice")),
    Row("this is the join file of alice, not of bob", in_club("player", "add", "bob", "FILE", file=joins)),
    Row("this is the new key of alice, not of bob", in_club("player", "add", "bob", "FILE", file=rotated)),
    Row("name either a new folder, or say --rehearse", in_club("restore", "FILE", file=lambda _: b"x")),
    Row("say who plays: --players NAME,NAME in the order", in_club("new", "next")),
    Row("'a' should read NAME=VALUE", in_club("new", "next", "--seat", "a")),
    Row(LEAGUE, in_club("submit", "FILE", "--what-if", file=lambda _: b"hello\n")),
    Row(LEAGUE, in_club("submit", "FILE", "--what-if", file=both)),
    Row(f"{MUCH}'1 2'", in_club("act", "demo", "hold", "1", "2", "--reason", "x")),
    Row(f"{MUCH}'a=1 b=2'", in_club("act", "demo", "hold", "a=1", "b=2", "--reason", "x")),
    Row(
        " holds no consent: ",
        in_club("act", "demo", "hold", "--reason", "x", "--consent", "FILE", file=lambda _: b"x"),
    ),
    Row("'a' should read HOUSE_RULE=VALUE", in_club("what-if", "demo", "1", "--option", "a")),
    Row(CHANGE, in_club("what-if", "demo", "1")),
    Row("name the games, or say --all", in_club("replay")),
    Row("name the games, or say --all", in_club("replay", "demo", "--all")),
    Row("give either a rotation file or --judge", in_club("replace-key")),
    Row("give either a rotation file or --judge", in_club("replace-key", "club.toml", "--judge")),
    Row("give either --rules, or in a game that goes on", in_club("seat", "offer", "demo")),
    Row("give either --rules, or in a", in_club("seat", "offer", "x", "--rules", "y", "--side", "z")),
    Row("--side stands for one seat", in_club("seat", "offer", "demo", "--side", "z", "--seats", "2")),
    Row("--side stands for one seat", in_club("seat", "offer", "demo", "--side", "z", "--with", "a")),
    Row("cup is not over", at_table(open_league)),
    Row("name the game", in_club("press", "--to", "bob")),
    Row("use either --again or --drop, not both", in_club("apart", "1", "--again", "--drop")),
    Row("name the thing to try again or to drop", in_club("apart", "--again")),
    Row("name the thing to try again or to drop", in_club("apart", "--drop")),
    Row("name either an archive, or a folder by --into", in_club("backup")),
    Row("name either an archive, or a folder by --into", in_club("backup", "x", "--into", "y")),
    Row(HOW, in_club("confirm", "demo", "1", "--sent", "club.toml")),
    Row(HOW, in_club("confirm", "demo")),
)
ANYBODYS = (
    Row("a head has 64 digits (0-9, a-f), and all of them", says("audit", ".", "--genesis", "abc")),
    Row(ONE, says("audit", ".", ".", "--genesis", HEAD)),
    Row(ONE, says("audit", ".", ".", "--held", ".")),
    Row(ONE, says("audit", ".", ".", "--games", ".")),
    Row(ONE, says("audit", ".", ".", "--last", ".")),
    Row(ONE, says("audit", ".", ".", "--json")),
    Row("exists already", says("complete", ".", "--roots", "r", "--into", ".", r=b"chain ")),
    Row("no game called 'tag'; installed: ", says("demo", "--into", "x", "--game", "tag")),
    Row(
        "nothing can come from earlier seasons: the bundle of old was not given",
        says("league", "check", "f", "--last", ".", f=file_of("knockout", more=LAST)),
    ),
    Row("no page called 'x'; there are", says("guide", "x")),
    Row(f"the game {NO_ODDS} has no odds", says("odds", "a", "b", "--game", NO_ODDS)),
    Row("no game called 'x'; installed: ", says("odds", "a", "b", "--game", "x")),
    Row("is not written in UTF-8; write it so", says("show", "bj\udcf6rn")),
    Row("--plan reads SIDE=PLAN", says("odds", "a", "b", "--plan", "x")),
    Row("--option reads NAME=VALUE", says("odds", "a", "b", "--option", "x")),
    Row("--anyway belongs to --send", says("practice", "--anyway")),
    Row("nothing is sent; to send it as it is, add --anyway", practised("--send", "orders")),
    Row("--send belongs to a game that was begun in FOLDER", says("practice", "x", "--send", "f", f=b"")),
    Row("no game called 'tag'; installed: ", says("practice", "--game", "tag")),
    Row("--option reads NAME=VALUE", says("practice", "--option", "x")),
    Row("choose one of --send, --again and --back", says("try", "x", "--again", "--back")),
    Row("choose one of --mark, --blocks and --remove", says("note", "x", "--blocks", "--remove", "1")),
    Row("a TEXT belongs to --mark, or to the game", says("note", "x", "y", "--blocks")),
    Row("say with --as whose eyes", says("try", BUNDLE)),
    Row("--step belongs to --exchange", says("try", "x", "--step", "1")),
    Row("belong to a try that was begun in FOLDER", says("try", "x", "--send", "f", f=b"")),
    Row("belong to a try that was begun in FOLDER", says("try", "x", "--again")),
    Row("belong to a try that was begun in FOLDER", says("try", "x", "--back")),
    Row("holds a practice game and no try", in_folder(tried_practice)),
)
WHICH = "say which league it is: --judge KEY --genesis HEAD"
PLAYERS = (
    Row("the letter is sealed: say with --key which key opens it", at(sealed_roots)),
    Row("--out belongs to --recovery; other keys are kept in your home", says("keygen", "x", "--out", "y")),
    Row("name the judge with --judge SHA256:..., or with", says("join", "x", "--as", "alice")),
    Row("--judge x is neither a fingerprint (SHA256:", says("join", "x", "--as", "alice", "--judge", "x")),
    Row("give either a draft, which is your orders (pbem seal orders.txt), or --bare", says("seal")),
    Row("give either a draft, which is your orders", says("seal", "f", "--bare", f=b"")),
    Row("--reveal seals nothing but your reveal", says("seal", "--reveal", "--bare")),
    Row("--reveal seals nothing but your reveal", says("seal", "f", "--reveal", f=b"")),
    Row("in your home there is only what your own side sees", at_home("show", GAME, "--as", "england")),
    Row("in your home there is only what your own side sees", at_home("try", GAME, "--as", "england")),
    Row(f"no report of {GAME} has been received yet", at(not_invited, last=JOINED)),
    Row(
        "either --share-address or --no-share-address",
        says("profile", "--as", "alice", "--share-address", "a@example.org", "--no-share-address"),
    ),
    Row("--genesis x is not a head", says("league", "enter", "cup", "--as", "ann", "--genesis", "x")),
    Row(WHICH, says("league", "enter", "cup", "--as", "ann", "--genesis", "c" * 64)),
    Row(WHICH, says("league", "enter", "cup", "--as", "ann", "--judge", f"SHA256:{'c' * 43}")),
    Row("which one is meant? pbem turn --game dunbar or pbem turn --game", at(two_games, last=JOINED)),
    Row("this report has nothing to draw", at(undrawn)),
    Row(
        f"there is no such report of {GAME}; kept are those of exchanges: 0",
        at_home("page", GAME, "--exchange", "7"),
    ),
    Row("cup.toml: line 1", says("league", "check", "cup.toml", **{"cup.toml": b"x = 1"})),
    Row("gone is not there", says("notify", "gone", "--rounds", "1")),
    Row("full cannot be written: no space left on device", in_folder(full_notifier)),
    Row("both.txt exists already", says("ratings", "merge", ".", "--out", "both.txt", **{"both.txt": b""})),
    Row("exists already; name a new file", at_home("hand-over", GAME, os.devnull)),
)
ROWS = (*JUDGES, *ANYBODYS, *PLAYERS, *boxes.COMMANDS)
FOLDERS = ("cli",)
ELSEWHERE = (
    {
        "cli/show.py _from_bundle: not found": "disputes/test_show.py",
        "cli/show.py _own_story: viewer not in (None, side)": "disputes/test_looking_back.py",
        "cli/upkeep.py _plays_otherwise: difference": "mail/test_rehearsal.py",
    }
    | dict.fromkeys(
        (
            "cli/options.py write_output: path.is_symlink()",
            "cli/options.py _check_replaceable: (there, began) != (kind, begins)",
            "cli/options.py _check_replaceable: there in ('', *KEPT)",
            "cli/options.py _write_whole: cannot be written:",
        ),
        "player/test_output.py",
    )
    | boxes.COMMANDS_ELSEWHERE
)
"""Clauses that take a file system of their own -> who has a test of them."""
