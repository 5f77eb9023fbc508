"""The api of the player's page: all that the page may ask of Python; data in, data out, no HTML or rules.

`Api` is one home and who has unlocked it. Its methods are the page's whole vocabulary (`door` calls nothing
else); what they say is for the player whose home it is. The page's own notes lie in the home under `page/`:

    page/saved               the digest of keys and secrets when the home was last saved as a file, and
                             that of the files sent and the receipts
    page/<game>.json         the exchanges up to which reports were looked at and gone through, the orders
                             that were handed over or posted, the box to which the join was posted, and the
                             absences that were signed
    page/<game>-<n>.txt      the draft for an exchange
    page/<game>-<n>.forecast what the player foresaw of it, see looking_back
    page/outbox-, pocket     see outbox and pocket

What a first look does not need (reports, stories, mails) is imported when it is asked for, or by `warm_up`
while the player looks: importing is a large part of the page's start.
"""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem import __version__
from pbem.errors import PbemError
from pbem.player import GameStatus, Home, files
from pbem.player.contents import wall_clock
from pbem.player.faults import DamagedPosition, Refused
from pbem.trust.identifiers import quote as shorten
from pbem.trust.keys import PrivateKey
from pbem.trust.player_statements import read_join
from pbem.trust.post_box import check_box_url
from pbem.web import homefile
from pbem.web.calls import DeviceCalls, NoteCalls, SigningCalls, TalkCalls
from pbem.web.table import (
    JOINING,
    NAMES_A_PAGE,
    Fetched,
    GameLine,
    Key,
    Looked,
    Received,
    Recommended,
    Shown,
    Standing,
    StoryPicture,
    StoryStep,
    earlier_report,
    lay_out,
    line_of,
    looked_at,
    not_looked_at,
    offers_by,
    received_of,
    story_of,
    story_picture_of,
)

if TYPE_CHECKING:
    from pbem.moments.own_lines import Answered
    from pbem.orders.base import Offer
    from pbem.playback import Step
    from pbem.player.store.game_store import Folder
    from pbem.web.looking_back import LookedBack
    from pbem.web.outbox import BoxCall, Outbox, Outgoing, Peek, Pocket, Reader, Waiting

LATER = ("pbem.web.reading", "email.parser", "email.policy", "pbem.player.incoming.letters_in")
"""Modules that are imported in the background while the player looks at the page's first view."""


class Api(DeviceCalls, NoteCalls, SigningCalls, TalkCalls):
    """The api of the page to one home at `path`, and to the keys that are unlocked in it."""

    def __init__(self, path: Path, clock: Callable[[], datetime] = wall_clock) -> None:
        self._path = path
        self._clock = clock
        self._passphrases: dict[str, str] = {}
        self._open()

    def _open(self) -> None:
        self._home = Home(
            self._path, passphrase=lambda name: self._passphrases.get(name, ""), clock=self._clock
        )
        self._outbox: Outbox | None = None

    def _post(self) -> Outbox:
        """Return the home's outbox for post boxes, imported when it is first needed."""
        from pbem.web.outbox import Outbox

        self._outbox = self._outbox or Outbox(self._home, self._clock)
        return self._outbox

    # The home

    def warm_up(self) -> None:
        """Import the modules that the page will need next, and the titles of the games in this home."""
        for module in LATER:
            import_module(module)
        for folder in self._home.folders():
            with suppress(PbemError):
                import_module("pbem.web.reading").load_title(folder.report(max(folder.reports(), default=0)))

    def standing(self) -> Standing:
        """Return the contents of the home: its version, keys and games."""
        home = self._home
        keys = tuple(
            Key(name, home.keys.public(name).fingerprint, home.keys.is_unlocked(name))
            for name in home.keys.names()
            if not name.endswith(".recovery")
        )
        return Standing(
            __version__, keys, tuple(map(self._line, home.games())), self._is_saved(), self._knows_sent()
        )

    def make_key(self, name: str, passphrase: str) -> Key:
        """Make a key that is stored under a passphrase; return its name and fingerprint.

        Raises:
            Refused: the passphrase is empty.
        """
        if not passphrase:
            raise Refused(
                "a key in a browser needs a passphrase, because others who use this computer "
                "could copy its file"
            )
        public = self._home.keygen(name, passphrase=passphrase)
        return Key(name, public.fingerprint, self._home.keys.is_unlocked(name))

    def unlock(self, name: str, passphrase: str) -> Key:
        """Unlock a key until the page is closed; return its name and fingerprint."""
        self._passphrases[name] = passphrase
        try:
            key = self._home.keys.unlock(name)
        finally:
            del self._passphrases[name]
        return Key(name, key.public.fingerprint, unlocked=True)

    def borrow(self, name: str, stand_in: str) -> Key:
        """Use a key unlocked in another tab of the browser, where `stand_in` stands for the key's seed."""
        public = self._home.keys.borrow(name, PrivateKey(_bytes(stand_in), name))
        return Key(name, public.fingerprint, unlocked=True)

    def seed_of(self, name: str) -> bytes:
        """Return the seed of a key that is unlocked; the page itself never gets the seed as an answer.

        Raises:
            Refused: the key is locked.
        """
        if not self._home.keys.is_unlocked(name):
            raise Refused(f"the key {name} is locked")
        return self._home.keys.unlock(name).seed

    def save_home(self) -> str:
        """Return the home as a file, in base64; `saved` must be called once the player has kept that file."""
        return base64.b64encode(homefile.pack(self._path)).decode()

    def saved(self) -> Standing:
        """Note that the player has kept the home's file in its present state; return the home's contents."""
        digests = (homefile.secrets_digest(self._path), homefile.sent_digest(self._path))
        files.write(self._path / "page/saved", "".join(f"{one}\n" for one in digests).encode())
        return self.standing()

    def load_home(self, data: str) -> Standing:
        """Take over a home from its file, where no home may be yet; return the home's contents."""
        homefile.unpack(_bytes(data), self._path)
        self._open()
        return self.saved()

    def names(self) -> tuple[str, ...]:
        """Return the names that confirm this home's removal: those of its keys, or "home" if it has none."""
        named = (name for name in self._home.keys.names() if not name.endswith(".recovery"))
        return tuple(named) or ("home",)

    def remove_home(self, name: str) -> Standing:
        """Remove everything that is kept in the home, once the player has typed the name of a key in it.

        Raises:
            Refused: another name was typed.
        """
        if name not in self.names():
            raise Refused(
                f"{shorten(name, 80)} is not the name of this home; "
                f"to remove it, type {' or '.join(self.names())}"
            )
        for path in self._path.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        self._open()
        return self.standing()

    def _is_saved(self) -> bool:
        return self._saved_digests()[:1] == [homefile.secrets_digest(self._path)]

    def _knows_sent(self) -> bool:
        return self._saved_digests()[1:2] == [homefile.sent_digest(self._path)]

    def _saved_digests(self) -> list[str]:
        return (files.read_file(self._path / "page/saved") or b"").decode("ascii", errors="replace").split()

    # Games

    def recommended(self) -> tuple[Recommended, ...]:
        """Return the web pages that invitations in the home recommend, to be compared with this page."""
        invitations = {folder.game: folder.report(0) or "" for folder in self._home.folders()}
        named = ((game, NAMES_A_PAGE.search(text)) for game, text in invitations.items())
        return tuple(Recommended(game, *found.groups()) for game, found in named if found)

    def judges(self, game: str) -> tuple[str, ...]:
        """Return the known fingerprints of the judge of a game, the present one last."""
        folder = self._home.place(game)
        signed, join = tuple(key.fingerprint for key in folder.judges()), folder.join_file()
        named = read_join(join).judge if join and not signed else None
        return (named,) if named else signed

    def join(
        self,
        game: str,
        player: str,
        judge: str,
        zone: str = "",
        share: str = "",
        publish: bool = False,
        linked: bool = False,
        box: str = "",
    ) -> Outgoing:
        """Return the signed file with which the player asks to join a game; their key has the player's name.

        `linked`: a link has brought the player here, which may fill in a judge and never replace one. `box`:
        the post box to which the join is posted, and which has the invitation.

        Raises:
            Refused: the link names another judge than the one who is known for this game.
        """
        from pbem.web.outbox import Outgoing

        known = self.judges(game) if linked else ()
        if known and judge not in known:
            raise Refused(
                f"you know {game} as a game of the judge with the key {known[-1]}, and a link does not "
                f"change that; this one names {shorten(judge, 80)}. Ask your club which is right"
            )
        shown = "yes" if publish else ""
        signed = self._home.join(
            game, player=player, judge=judge or None, zone=zone, share=share, publish=shown
        )
        if box:
            self._note(game, box=check_box_url(box), posted="")
            self._post().add(game, box, signed.decode())
        return Outgoing(
            game=game,
            file=f"{player}-joins-{game}.txt",
            text=signed.decode(),
            subject=f"{game}: {player} joins",
        )

    def receive(self, given: Sequence[tuple[str, str]]) -> Received:
        """Take in files given as names and contents in base64: saved mails, or any parts of them."""
        sources = {f"{place}. {name}": _bytes(data) for place, (name, data) in enumerate(given, 1)}
        delivery = self._home.deliver(sources)
        return received_of(delivery)

    def show(self, game: str, exchange: int | None = None) -> Shown:
        """Return a report of a game, by default the last one, with the questions that the report asks."""
        folder = self._home.folder(game)
        line, kept = self._line_of(game), folder.reports()
        wanted = exchange if exchange is not None else (kept[-1] if kept else 0)
        text = self._home.last_report(game) if exchange is None else folder.report(wanted)
        if text is None:
            raise Refused(f"there is no report of {game} here; first open the judge's invitation")
        receipts = tuple(
            {
                "number": number,
                "exchange": signed.receipt.exchange,
                "rev": signed.receipt.rev,
                "sealed": signed.receipt.sealed,
                "words": folder.echo(number) or "",
            }
            for number, signed in sorted(folder.judge_statements.receipts().items())
        )
        return lay_out(text, line, wanted, kept, self._draft(game, line.exchange), receipts)

    def story(self, game: str, exchange: int) -> tuple[StoryStep, ...]:
        """Return the steps of the story that a report tells, without their pictures."""
        from pbem.web.reading import counted_orders, lines_beside

        folder = self._home.folder(game)
        reports = {number: folder.report(number) or "" for number in folder.reports() if number < exchange}

        def own_lines(steps: Sequence[Step]) -> Sequence[tuple[Answered, ...]]:
            return lines_beside(reports, counted_orders(folder), exchange, steps)

        return story_of(*self._reports(game, exchange), own_lines)

    def story_picture(self, game: str, exchange: int, step: int) -> StoryPicture:
        """Return the picture after a step of a report, with what moved in it; steps are counted from 0."""
        return story_picture_of(*self._reports(game, exchange), step)

    def look_back(self, game: str) -> LookedBack:
        """Return the whole story of a game so far as the player was shown it, with forecasts they had."""
        from pbem.web.looking_back import look_back

        return look_back(self._home.folder(game), self._path / "page")

    def first_heads(self) -> dict[str, str]:
        """Return the first heads of the ledgers of this home's games, by which bundles are recognised."""
        from pbem.web.looking_back import first_heads

        return first_heads(self._home)

    def _reports(self, game: str, exchange: int) -> tuple[str, str]:
        """Return the texts of the report before that of an exchange, and of that report; "" if not stored."""
        folder = self._home.folder(game)
        before = earlier_report(folder.reports(), exchange)
        return "" if before is None else folder.report(before) or "", folder.report(exchange) or ""

    def looked(self, game: str, exchange: int) -> None:
        """Note that the player has looked at the report of an exchange."""
        before = self._notes(game).get("seen", -1)
        if exchange > before:
            self._note(game, seen=exchange, since=before)

    def went_through(self, game: str, exchange: int) -> None:
        """Note that the player has gone through all reports up to that of an exchange."""
        self._note(game, since=exchange)

    # Orders

    def keep_draft(self, game: str, text: str) -> None:
        """Store the draft of orders that the player has written for the open exchange."""
        if (number := self._line_of(game).exchange) is not None:
            files.write(self._path / f"page/{game}-{number:04}.txt", text.encode())

    def check(self, game: str, text: str, forecast: bool = False) -> Looked:
        """Return the result of checking a draft of orders, with its forecast if that is asked for."""
        try:
            looked = looked_at(self._home.check(text.encode(), game=game, forecast=forecast))
        except DamagedPosition as fault:
            return not_looked_at(fault)
        if forecast and (number := self._line_of(game).exchange) is not None:
            from pbem.web.looking_back import keep_forecast

            keep_forecast(self._path / "page", game, number, text, looked.forecast)
        return looked

    def offers(self, game: str, line: str, above: str = "") -> tuple[Offer, ...]:
        """Return how an order line below the lines `above` may begin or continue, by the player's view."""
        return offers_by(self._home.last_report(game) or "", line, above)

    def seal(self, game: str, text: str, post: bool = False) -> Outgoing:
        """Sign and seal orders; empty orders accept the game, or send the player's reveal alone.

        `post`: the orders wait to be posted from this moment on, if the game has a box.

        Raises:
            Refused: the home was not saved as a file since its keys and secrets last changed.
        """
        from pbem.web.outbox import orders_out

        if not self._is_saved():
            raise Refused(
                "first save your home as a file: if this browser loses its storage, nobody can sign for you"
            )
        self.keep_draft(game, text)
        orders = self._home.seal(text if text.strip() else None, game=game)
        made = orders_out(self._home, orders)
        return self._queue_for_post(made) if post else made

    def reveal(self, game: str, post: bool = False) -> Outgoing:
        """Sign and seal the reveal of an exchange that was closed, in a game where orders carry no reveal."""
        from pbem.web.outbox import orders_out

        made = orders_out(self._home, self._home.reveal(game))
        return self._queue_for_post(made) if post else made

    def last_sealed(self, game: str) -> Outgoing | None:
        """Return the orders sealed last for the open exchange, to be sent again; None if there are none."""
        from pbem.player.outgoing.ordering import SealedOrders
        from pbem.web.outbox import orders_out

        number = self._line_of(game).exchange
        sent = self._home.folder(game).sent_files.orders_of(number)
        if not sent or (sealed := sent[-1].sealed) is None:
            return None
        orders = SealedOrders(game=game, exchange=sent[-1].exchange, rev=sent[-1].rev, sealed=sealed)
        return orders_out(self._home, orders)

    def handed(self, game: str, exchange: int, rev: int) -> GameLine:
        """Note the player's word that these orders were given to their mail program, which proves nothing."""
        self._note(game, handed=f"{exchange}-{rev}")
        self._post().drop(game, exchange, rev)
        return self._line_of(game)

    # The post box

    def send(self, game: str) -> GameLine:
        """Add the file that was sealed last in a game to those that wait to be posted."""
        if made := self.last_sealed(game):
            self._queue_for_post(made)
        return self._line_of(game)

    def waiting(self) -> tuple[Waiting, ...]:
        """Return the entries of the outbox that wait to be posted, in their order."""
        return self._post().waiting()

    def posting(self, number: int) -> BoxCall:
        """Return the request that posts the outbox's entry with this number."""
        return self._post().request(number)

    def posted(self, number: int, answer: str) -> GameLine | None:
        """Take in a post box's answer to a posted entry; only the judge's receipt proves more."""
        one = self._post().posted(number, answer)
        if one.signed or not (self._home.place(one.game).path / "player").exists():
            return None  # it is neither orders nor a join, or the game was forgotten
        if one.exchange or self._line_of(one.game).state == JOINING:  # a message says nothing of orders
            self._note(one.game, posted=f"{one.exchange}-{one.rev}")
        return self._line_of(one.game)

    def readers(self) -> tuple[Reader, ...]:
        """Return each key for which letters are fetched, with the box that they are fetched from."""
        return self._post().readers(self._boxes())

    def fetching(self, box: str, key: str) -> BoxCall:
        """Return the request to a post box for letters of a key that this home lacks."""
        from pbem.web.outbox import Reader

        return self._post().fetching(Reader(box, key))

    def fetched(self, box: str, key: str, answer: str) -> Fetched:
        """Take in the letters in a post box's answer to a request of `fetching`."""
        from pbem.web.outbox import Reader

        delivery, acknowledgement, more = self._post().take(Reader(box, key), answer)
        return Fetched(received_of(delivery), acknowledgement, more)

    # While keys are locked

    def pockets(self) -> tuple[str, ...]:
        """Return the names of the keys whose letters this browser may look for with a fetch key."""
        return self._pocket().names()

    def offer(self, name: str, public: str) -> int:
        """Name a fetch key to each judge who has a post box and lacks the key; return the number of games."""
        return self._pocket().offer(name, public, self._box_of)

    def withdraw(self, name: str) -> None:
        """Withdraw the fetch key that this browser has for a player's key."""
        self._pocket().withdraw(name, self._box_of)

    def peeks(self) -> tuple[Peek, ...]:
        """Return the requests that the fetch keys must sign to find out whether letters wait."""
        return self._pocket().questions(self._boxes())

    def peeking(self, box: str, key: str, time: str, signature: str) -> BoxCall:
        """Return the request that asks whether letters wait, with the signature that a fetch key has made."""
        return self._pocket().request(box, key, time, signature)

    def peeked(self, box: str, key: str, answer: str) -> int:
        """Return the number of waiting letters, from a post box's answer to a request of `peeking`."""
        return self._pocket().count(box, key, answer)

    # Inside

    def _pocket(self) -> Pocket:
        from pbem.web.outbox import Pocket

        return Pocket(self._home, self._post(), self._clock)

    def _boxes(self) -> dict[str, str]:
        boxes = {folder.game: self._box_of(folder) for folder in self._home.folders()}
        return boxes | {line.league: line.box for line in self.leagues()}

    def _queue_for_post(self, made: Outgoing) -> Outgoing:
        """Add a new file to those that wait to be posted, if its game or league has a post box; return it."""
        if box := self._box_of(self._home.place_of(made.game)):
            self._post().add(made.game, box, made.text, made.exchange, made.rev)
        return made

    def _box_of(self, folder: Folder) -> str:
        """Return the address of a game's or league's post box; "" if it has none, or a damaged letter."""
        from pbem.web.outbox import box_known

        try:
            return box_known(folder, self._notes(folder.game).get("box", ""))
        except PbemError:
            return ""

    def _line_of(self, game: str) -> GameLine:
        return next(line for line in map(self._line, self._home.games()) if line.game == game)

    def _line(self, status: GameStatus) -> GameLine:
        from pbem.web.outbox import push_known

        waiting = {f"{one.exchange}-{one.rev}" for one in self.waiting() if one.game == status.game}
        folder = self._home.place(status.game)
        return line_of(
            *(status, self._notes(status.game), waiting),
            box=self._box_of(folder),
            push=push_known(folder),
            press=self._press(status),
        )

    def _draft(self, game: str, exchange: int | None) -> str:
        if exchange is None:
            return ""
        return (files.read_file(self._path / f"page/{game}-{exchange:04}.txt") or b"").decode(
            errors="replace"
        )

    def _notes(self, game: str) -> dict[str, Any]:
        kept = files.read_file(self._path / f"page/{game}.json")
        try:
            found = json.loads(kept or b"{}")
        except (ValueError, RecursionError):
            return {}
        found = found if isinstance(found, dict) else {}
        texts = ("handed", "posted", "box", "agreed", "away")
        kinds = {"seen": int, "since": int} | dict.fromkeys(texts, str)
        return {name: said for name, said in found.items() if type(said) is kinds.get(name)}

    def _note(self, game: str, **said: object) -> None:
        self._home.folder(game)
        files.write(self._path / f"page/{game}.json", json.dumps(self._notes(game) | said).encode())


def _bytes(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except ValueError:
        raise Refused("the page gave something that is not a file") from None
