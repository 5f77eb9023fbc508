"""Press in a player's home: what others have written, and what this player writes; see store/press_store.

Whatever is shown was checked before: the judge's signature, and the writer's own where they are named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from pbem.characters import plain_line
from pbem.player.faults import NotOurs, Refused
from pbem.player.incoming.letters_in import Arrival, check_known_judge
from pbem.player.keyring import Keyring
from pbem.player.store.game_store import Folder, GameFolder
from pbem.player.store.press_store import KeptMessage, Line, PressStore, in_words, plain_text
from pbem.trust import sealing
from pbem.trust.identifiers import quote as quoted
from pbem.trust.keys import PrivateKey, parse_public
from pbem.trust.ledger import parse_game_entry
from pbem.trust.press import (
    ALL,
    GM,
    GREY,
    KINDS,
    NOBODY,
    NONE,
    OPEN_END,
    PRESS_UNIT,
    PUBLIC,
    SIDE,
    TERMS,
    WHITE,
    Message,
    PressShown,
    read_letter,
    read_terms,
    reason_closed,
    show_paper,
    sign_message,
)
from pbem.trust.sealing import pad
from pbem.trust.times import utc_text

if TYPE_CHECKING:
    from pbem.player.leagues.league import PlayersLeague

KIND = "press"
"""The kind of an arrival that is about press, the messages between players."""
MEANING = {
    NONE: "there is none; nothing is passed on.",
    PUBLIC: "you can write to all, and to the director. Who writes is named.",
    WHITE: "you can write to all, to some, and to the director. Who writes is named.",
    GREY: "you can write to all, to some, and to the director; if you want, without your name. The judge "
    "always knows who wrote.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedMessage:
    """A message that the player has written, signed and sealed to the judge."""

    game: str
    to: tuple[str, ...]
    sealed: bytes

    @property
    def armor(self) -> str:
        """The sealed message as text."""
        return sealing.to_armor(self.sealed)


class Press:
    """The press of one game or league of a home. `league`: the league, if any; `now`: tells the time."""

    def __init__(
        self, folder: Folder, keys: Keyring, now: Callable[[], datetime], league: PlayersLeague | None
    ) -> None:
        self.folder = folder
        self.keys = keys
        self.now = now
        self.league = league
        self.store = PressStore(folder)

    # What there is

    @property
    def kind(self) -> str:
        """The kind of press that the judge's signed terms allow; `none` if no terms have come."""
        return found.kind if (found := self.store.terms) else NONE

    @property
    def closed(self) -> str:
        """The reason why the director has closed the press, by the ledger; "" if the press is open."""
        chronicle = self.folder.chronicle() if isinstance(self.folder, GameFolder) else None
        if chronicle is None:
            return ""
        texts = (entry.text for entry in chronicle.opened.values())
        return reason_closed(parse_game_entry(text) for text in texts if text.startswith(b"press "))

    def readers(self) -> tuple[str, ...]:
        """Return the readers to whom this player may write, as messages name them."""
        if self.kind == PUBLIC:
            return (ALL, GM)
        seats, sides = self._people()
        others = [name for name in seats if name != self.folder.player]
        several = {side for side in sides.values() if list(sides.values()).count(side) > 1}
        everybody = (ALL,) if isinstance(self.folder, GameFolder) else ()
        return (*everybody, *others, *(f"{SIDE}{side}" for side in sorted(several)), GM)

    def lines(self) -> tuple[Line, ...]:
        """Return all messages, own ones among them, in the order of arrival; those under way come last."""
        kept = self.store.letters()
        here = {one.shown.receipt.message for one in kept}
        under_way = (
            message for sha256, (message, _) in self.store.sent_messages().items() if sha256 not in here
        )
        waiting = (
            Line(
                number=0,
                at=utc_text(message.made),
                writer=message.writer,
                kind=message.kind,
                to=message.to,
                subject=message.subject,
                text=message.text,
                own=True,
                remarks=("no receipt of the judge has come for it yet",),
            )
            for message in sorted(under_way, key=lambda message: message.made)
        )
        return (*self._lines(kept), *waiting)

    def _lines(self, kept: list[KeptMessage]) -> Iterator[Line]:
        last: dict[tuple[object, ...], int] = {}
        for one in kept:
            receipt, remarks = one.shown.receipt, []
            own = receipt.writer == self.folder.player
            if receipt.number and not own:
                talk = (receipt.writer, receipt.kind, receipt.to)
                before = last.get(talk, receipt.number - 1)
                if receipt.number == before:
                    remarks.append(f"{receipt.writer} has used this number before, or the judge has")
                elif receipt.number > before + 1:
                    remarks.append(
                        f"before it {receipt.number - before - 1} of {receipt.writer} did not come"
                    )
                last[talk] = max(before, receipt.number)
            yield Line(
                number=one.number,
                at=utc_text(receipt.at),
                writer=receipt.writer,
                kind=receipt.kind,
                to=receipt.to,
                subject=one.shown.subject,
                text=one.shown.text,
                own=own,
                is_muted=self.store.is_muted(receipt.writer),
                remarks=tuple(remarks),
            )

    def keep_seen(self, lines: Iterable[Line]) -> None:
        """Keep that these messages were shown to the player; of a muted one only the head is shown."""
        self.store.keep_seen(line.number for line in lines if line.number and not line.is_muted)

    def paper(self, number: int) -> bytes:
        """Return the paper by which a message can be shown to others: its receipt, and what was signed.

        Raises:
            Refused: there is no message of this number.
        """
        kept = self.store.letter(number)
        found = self.store.sent_messages().get(kept.shown.receipt.message)
        return (replace(kept.paper, message=found[1]) if found else kept.paper).data

    def mute(self, name: str, *, is_muted: bool = True) -> None:
        """Hide the messages of a writer, or all grey ones (`grey`), in this home alone; nobody is told.

        Raises:
            Refused: nobody is called so; the director's words are always shown.
        """
        seats, _ = self._people()
        who = NOBODY if name == GREY and name not in seats else name
        if who != NOBODY and (who not in seats or who == self.folder.player):
            raise Refused(f"{quoted(name)} is nobody in {self.folder.game} whom you can mute")
        self.store.keep_muted(
            {*self.store.muted_writers(), who} if is_muted else {*self.store.muted_writers()} - {who}
        )

    # Out

    def write(
        self, to: tuple[str, ...], text: str, subject: str = "", *, grey: bool = False, report: int = 0
    ) -> SealedMessage:
        """Sign a message and seal it to the judge; `report` is the number of a message that it reports.

        Raises:
            Refused: this press does not allow it, or nothing says that the judge would pass it on.
        """
        judge, chronicle = self.folder.judge(), self.folder.chronicle()
        if chronicle is None:
            raise Refused(f"the judge of {self.folder.game} is not known here: first receive the invitation")
        assert judge is not None, "who has a ledger knows its judge"
        readers = (GM,) if report else self._read_readers(to)
        self._check_allowed(readers, grey=grey)
        message = Message(
            game=self.folder.game,
            genesis=chronicle.heads[0],
            writer=self.folder.player,
            kind=GREY if grey else WHITE,
            to=readers,
            number=self._next(GREY if grey else WHITE, readers),
            made=self.now(),
            about=self.paper(report) if report else b"",
            subject=plain_line(subject),
            text=plain_text(text),
        )
        signed = sign_message(message, self._key())
        if len(signed) > PRESS_UNIT:
            raise Refused(
                "the message that you report has no room beside so long a text; say it in fewer words"
            )
        self.store.keep_sent(message, signed)
        return SealedMessage(
            game=message.game, to=readers, sealed=sealing.seal(pad(signed, PRESS_UNIT), [judge])
        )

    def send_again(self) -> tuple[SealedMessage, ...]:
        """Return the messages for which no receipt has come, sealed once more."""
        judge = self.folder.judge()
        here = {one.shown.receipt.message for one in self.store.letters()}
        found = [row for sha256, row in self.store.sent_messages().items() if sha256 not in here]
        if not found:
            raise Refused(f"no message of yours in {self.folder.game} waits for its receipt")
        assert judge is not None, "who has written knows the judge"
        return tuple(
            SealedMessage(
                game=message.game, to=message.to, sealed=sealing.seal(pad(signed, PRESS_UNIT), [judge])
            )
            for message, signed in found
        )

    def mail(self, *messages: SealedMessage, sender: str = "") -> bytes:
        """Return sealed messages as one mail to the judge, who passes them on."""
        from pbem.player.outgoing.mailing import press_mail

        addresses, now = self.folder.addresses(), self.now()
        armor = "".join(one.armor for one in messages)
        return press_mail(self.folder.game, armor, addresses, now, sender=sender)

    @property
    def first_word(self) -> str:
        """The warning that a player reads before their first message; "" after that."""
        return "" if self.store.sent_messages() else OPEN_END

    def _read_readers(self, to: tuple[str, ...]) -> tuple[str, ...]:
        """Return the readers that a player has named: by name, by side, `all` or `gm`."""
        seats, sides = self._people()
        found = set[str]()
        for name in to:
            side = name.removeprefix(SIDE)
            if name in seats and name in sides.values() and sides.get(name) != name:
                raise Refused(f"{name} is a player and a side; for the side write {SIDE}{name}")
            if name in (ALL, GM, *seats):
                found.add(name)
            elif side in sides.values():
                found.add(f"{SIDE}{side}")
            else:
                known = ", ".join(self.readers())
                raise Refused(f"{quoted(name)} is nobody in {self.folder.game}; you can write to {known}")
        if not found:
            raise Refused(f"say to whom: {', '.join(self.readers())}")
        return tuple(sorted(found))

    def _check_allowed(self, readers: tuple[str, ...], *, grey: bool) -> None:
        game, kind = self.folder.game, self.kind
        if kind == NONE:
            raise Refused(f"{game} has no press, as far as the judge has told you")
        if (why := self.closed) and readers != (GM,):
            raise Refused(f"the director has closed the press of {game}: {why}; you can write to gm alone")
        if grey and KINDS.index(kind) < KINDS.index(GREY):
            raise Refused(f"in {game} whoever writes is named; its press is {kind}")
        if kind == PUBLIC and readers not in ((ALL,), (GM,)):
            raise Refused(f"in {game} you can write to all, or to the director (gm), and to nobody else")

    def _next(self, kind: str, to: tuple[str, ...]) -> int:
        """Return the number of the next message to some readers, by what this home sent and got back."""
        key = (self.folder.player, kind, to)
        receipts = [one.shown.receipt for one in self.store.letters()]
        used = [one.number for one in receipts if (one.writer, one.kind, one.to) == key]
        sent = [message for message, _ in self.store.sent_messages().values()]
        used += [one.number for one in sent if (one.writer, one.kind, one.to) == key]
        return max(used, default=0) + 1

    # In

    def take(self, text: bytes) -> Arrival:
        """Take in an opened letter about press.

        Raises:
            SealError: the letter is not the judge's, not for this player, or not signed by its writer.
        """
        judge = check_known_judge(self.folder, text)
        if text.startswith(f"pbem1 {TERMS}\n".encode()):
            return self._take_terms(text)
        letter = read_letter(text, judge)
        if (letter.game, letter.reader) != (self.folder.game, self.folder.player):
            raise NotOurs(
                f"this message is for {letter.reader} in {letter.game}, not for {self.folder.player}"
            )
        shown = show_paper(letter.paper, judge)
        if shown.receipt.game != self.folder.game:
            raise NotOurs(f"the message in it is of another game, {shown.receipt.game}")
        self._check_writer(shown)
        number = next((one.number for one in self.store.letters() if _is_same(shown, one.shown)), 0)
        is_new = not number
        number = number or self.store.keep_letter(text)
        line = next(line for line in self._lines(self.store.letters()) if line.number == number)
        return Arrival(
            kind=KIND,
            game=self.folder.game,
            exchange=0,
            text=in_words(line, self.folder.game),
            new=is_new,
            remarks=line.remarks,
        )

    def _take_terms(self, text: bytes) -> Arrival:
        terms, known = read_terms(text, check_known_judge(self.folder, text)), self.store.terms
        if terms.game != self.folder.game:
            raise NotOurs(f"these terms are for {terms.game}")
        is_new = known is None or terms.made > known.made
        if is_new:
            self.store.keep_terms(text)
        told = f"Press in {terms.game}: {MEANING[terms.kind]}\n"
        if terms.kind in (WHITE, GREY):
            told += f"{OPEN_END}\n"
        return Arrival(kind=KIND, game=self.folder.game, exchange=0, text=told, new=is_new)

    def _check_writer(self, shown: PressShown) -> None:
        """Refuse a message that its named writer has not signed, or a grey one that names another player."""
        receipt = shown.receipt
        if receipt.writer in (NOBODY, GM):
            return
        own = receipt.writer == self.folder.player
        if receipt.kind == GREY and not own:
            raise NotOurs("this letter names the writer of a grey message, which no honest judge does")
        if shown.signer is None:
            if own and receipt.message in self.store.sent_messages():
                return
            raise NotOurs(
                f"the judge says that {receipt.writer} wrote this, and shows no signature of theirs"
            )
        if shown.signer.fingerprint not in self._keys_of(receipt.writer):
            raise NotOurs(
                f"this message names {receipt.writer} as its writer, and is signed with another key, "
                f"{shown.signer.fingerprint}"
            )

    # Who takes part

    def _people(self) -> tuple[tuple[str, ...], dict[str, str]]:
        """Return the seats of a game, and the side of each; of a league those who have a key, and no side."""
        if isinstance(self.folder, GameFolder):
            chronicle = self.folder.chronicle()
            players = chronicle.genesis.players if chronicle else ()
            return tuple(player.name for player in players), {one.name: one.side for one in players}
        return tuple(sorted(self._league_keys())), {}

    def _keys_of(self, seat: str) -> set[str]:
        """Return the fingerprints of the keys that a seat has had."""
        if not isinstance(self.folder, GameFolder):
            line = self._league_keys().get(seat)
            return {parse_public(line).fingerprint} if line else set()
        chronicle = self.folder.chronicle()
        enrolled = chronicle.enrolled_player(seat) if chronicle else None
        if chronicle is None or enrolled is None:
            return set()
        return {enrolled.fingerprint, *(one.fingerprint for one in chronicle.history.seats.of(seat))}

    def _league_keys(self) -> dict[str, str]:
        assert self.league is not None
        return self.league.keys_now()

    def _key(self) -> PrivateKey:
        if isinstance(self.folder, GameFolder):
            return self.keys.unlock(self.folder.membership().key_file)
        assert self.league is not None
        return self.league.signing_key()


def _is_same(one: PressShown, other: PressShown) -> bool:
    """Tell whether two letters bring the same message, whatever time the judge has written down."""
    if one.receipt.writer in (NOBODY, GM):
        return one.receipt == other.receipt
    return one.receipt.message == other.receipt.message
