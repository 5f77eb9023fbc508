"""A player's leagues: what they have signed, the ledger that the judge sends, and answers to calls.

home/leagues/league.spring-2027/
    player          name, key, and the judge whose league it is
    chain-secret    the last link of the player's chain for the league's draws
    chain-secret-2  that of the chain which came with a new key
    letters/        every letter of the judge's as it was signed, named by the size of the ledger with it
    entries/        what stood beside letters, by its hash
    said/           what was signed here, by its hash: .statement; and the judge's word that it is an entry,
                    by the number of that: .txt
    receipts/       the judge's word for each file that came, by its number: .txt, and its .words
    sent/           what was sent, by call and revision

A letter is taken in only if the judge has signed it who is named there, and its leaves go on exactly from
those before, fold to the signed head and hold the entries that come with them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from secrets import token_bytes
from typing import TYPE_CHECKING

from pbem.errors import ConfigError
from pbem.leagues.entries import (
    ENTRANT,
    SEATS,
    Ended,
    Pairings,
    Substituted,
    purpose_of,
)
from pbem.leagues.keys import Keys
from pbem.leagues.replies import Reply
from pbem.leagues.statements import (
    ENTER,
    NEW_KEY,
    Statement,
    allowed_by,
)
from pbem.player import files
from pbem.player.faults import Contradiction, Incomplete, NotJoined, NotOurs
from pbem.player.incoming.letters_in import Arrival
from pbem.player.kept.keeping import GameFolder
from pbem.player.leagues.ledger import Kept
from pbem.player.leagues.said import SaidHere
from pbem.player.outgoing.ordering import leaving_step, refuse_forked, refuse_uncounted
from pbem.records import dataclass
from pbem.trust import ledger, signature
from pbem.trust.chains import Chain, Reveal, make_chain
from pbem.trust.entries import Entry, Open
from pbem.trust.faults import KeyFault
from pbem.trust.identifiers import check_player_name, split_who, who_of
from pbem.trust.joins import read_join
from pbem.trust.keys import PrivateKey, PublicKey, parse_public
from pbem.trust.letters import ReportLetter, read_report, without_salt
from pbem.trust.namespaces import Namespace
from pbem.trust.orderfile import OrderFile, Seen, check_writable
from pbem.trust.sealing import ORDERS_UNIT, seal_signed, to_armor

if TYPE_CHECKING:
    from pbem.player.home import Home


@dataclass(frozen=True, slots=True)
class Member:
    """Who takes part from here, with which key, in whose league."""

    player: str
    key_file: str
    judge: str
    instead_of: str = ""
    """Whose place they take."""

    @property
    def text(self) -> bytes:
        """The file `player`."""
        lines = [f"player {self.player}", f"key {self.key_file}", f"judge {self.judge}"]
        lines += [f"of {self.instead_of}"] if self.instead_of else []
        return "".join(f"{line}\n" for line in lines).encode()


class PlayersLeague:
    """One league of a player's home. `name`: of the league, or of its ledger."""

    def __init__(self, home: Home, name: str) -> None:
        self.home = home
        self.ledger = name if name.startswith("league.") else f"league.{name}"
        self.path = home.path / "leagues" / self.ledger
        self._said = SaidHere(self.path / "said", self.ledger)

    # What is signed

    def enter(
        self,
        player: str,
        *,
        judge: str,
        now: datetime,
        key: str | None = None,
        rating: int | None = None,
        games: int = 0,
        eliminator: bool = False,
        say: str = ENTER,
        instead_of: str = "",
    ) -> bytes:
        """The signed wish to take part, or to take a place; its chain's secret stays here.

        `say`: enter or substitute; `instead_of`: for whom, else for who leaves first.
        """
        member = Member(check_player_name(player), key or player, judge, instead_of)
        private = self.home.keys.unlock(member.key_file)
        files.write_new(self._secret(who_of(player)), f"{token_bytes(32).hex()}\n".encode())
        statement = Statement(
            league=self.ledger,
            player=player,
            say=say,
            key=private.public,
            anchor=Reveal(who_of(player), 0, self._chain(who_of(player)).anchor),
            judge=judge,
            rating=rating,
            games=games,
            eliminator=eliminator,
            of=instead_of,
            made=now,
        )
        signed = self._said.sign(statement, private)
        files.write(self.path / "player", member.text)
        return signed

    def say(self, statement: Statement, key: str | None = None) -> bytes:
        """Something else that a player says, signed with the key of their entry, or with this one.

        Raises:
            ConfigError: whose league it is must be said.
        """
        member = self.find_member()
        statement = replace(statement, judge=self.whose(statement.judge))
        if key or member is None:
            return self._said.sign(statement, self.home.keys.unlock(key or statement.player))
        return self._said.sign(statement, self._key(member))

    def whose(self, judge: str) -> str:
        """The judge's key: as it is said, or as this home knows it."""
        member = self.find_member()
        if member is not None and judge not in ("", member.judge):
            raise ConfigError(f"the judge of {self.ledger} has the key {member.judge} here, not {judge}")
        if member is None and not judge:
            raise ConfigError(
                f"this home has not entered {self.ledger.removeprefix('league.')}, and another club's league "
                "may have the same name: say whose league it is, with --judge"
            )
        return member.judge if member else judge

    def new_key(
        self,
        player: str,
        new: str,
        *,
        now: datetime,
        key: str | None = None,
        lost: bool = False,
        old: str = "",
        judge: str = "",
        chain: int = 0,
        official: bool = False,
    ) -> bytes:
        """A new key: `new`, its file, for which the key that counts, or `key`, signs; for an entrant a chain.

        `lost`: it cannot, and the director has to rule. `old`: its fingerprint, and `judge`, for a home that
        does not know them. `chain`: the number of the chain, if this home cannot know it. `official`: they
        have not entered, but are of the panel or an official, and have no chain.

        Raises:
            ConfigError: something of this must be said.
        """
        member, private = self.find_member(), self.home.keys.unlock(new)
        judge = self.whose(judge)
        if member is None and not official:
            member = Member(player, new, judge)
            files.write(self.path / "player", member.text)
        if member is None and lost and not old:
            raise ConfigError(
                "this home does not know your league: say which key is lost, with --old-fingerprint"
            )
        counts = None
        if not lost:
            counts = self.home.keys.unlock(key or (self._key_file(member) if member else player))
            old = counts.public.fingerprint
        anchor = None
        if member is not None:
            old = old or self._counting(member).fingerprint
            who = who_of(player, chain or self._generation(self.kept().entries, player) + 1)
            files.write_new(self._secret(who), f"{token_bytes(32).hex()}\n".encode())
            anchor = Reveal(who, 0, self._chain(who).anchor)
        statement = Statement(
            league=self.ledger,
            player=player,
            say=NEW_KEY,
            key=private.public,
            old=old,
            anchor=anchor,
            judge=judge,
            made=now,
        )
        return self._said.sign(allowed_by(statement, counts) if counts else statement, private)

    def _keys(self, entries: Iterable[Entry]) -> Keys:
        counting = Keys()
        for entry in entries:
            counting.take(entry, self.ledger)
        return counting

    def _counting(self, member: Member) -> PublicKey:
        """The player's key that counts, as far as the judge has told."""
        line = self._keys(self.kept().entries).now.get(member.player)
        return parse_public(line) if line else self.home.keys.public(member.key_file)

    def _generation(self, entries: Iterable[Entry], player: str) -> int:
        """The number of the player's chain that counts after these entries."""
        anchor = self._keys(entries).chains.get(player)
        return split_who(anchor.who)[1] if anchor else 1

    def _key_file(self, member: Member) -> str:
        """The name of that key in this home.

        Raises:
            KeyFault: it is not here.
        """
        public = self._counting(member)
        for name in (*self.home.keys.names(), member.key_file):
            if self.home.keys.public(name) == public:
                return name
        raise KeyFault(f"{member.player} signs with {public.fingerprint}, and that key is not in this home")

    def _key(self, member: Member) -> PrivateKey:
        return self.home.keys.unlock(self._key_file(member))

    def find_member(self) -> Member | None:
        """Who takes part from here, if anybody does."""
        if (data := files.read(self.path / "player")) is None:
            return None
        words = dict(line.split(" ", 1) for line in data.decode().splitlines())
        return Member(words["player"], words["key"], words["judge"], words.get("of", ""))

    def member(self) -> Member:
        """Who takes part from here.

        Raises:
            NotJoined: nobody does.
        """
        if (member := self.find_member()) is None:
            name = self.ledger.removeprefix("league.")
            others = ", ".join(
                path.parent.name.removeprefix("league.") for path in sorted(self.path.parent.glob("*/player"))
            )
            told = f"you have entered {others} from here; " if others else ""
            raise NotJoined(f"{told}pbem league enter {name} enters {name}, which you have not")
        return member

    def _secret(self, who: str) -> Path:
        generation = split_who(who)[1]
        return self.path / ("chain-secret" if generation == 1 else f"chain-secret-{generation}")

    def _chain(self, who: str) -> Chain:
        data = files.read(self._secret(who))
        if data is None:
            raise ConfigError(
                f"the secret of your chain {who} for {self.ledger} is not in this home: in this call you "
                "have no share in the dice, and cannot bid; pbem league new-key gives you a new chain"
            )
        return make_chain(self.ledger, who, bytes.fromhex(data.decode().strip()))

    # Letters in

    def kept(self) -> Kept:
        """The ledger that the letters give."""
        member, kept = self.member(), Kept(self.ledger)
        for path in sorted((self.path / "letters").glob("*.txt")):
            kept.go_on(self._whole(read_report(path.read_bytes(), self._judge(path.read_bytes(), member))))
        return kept

    def _whole(self, letter: ReportLetter) -> ReportLetter:
        """A letter with the entries that stood beside it.

        Raises:
            Incomplete: they did not come.
        """
        if not letter.beside:
            return letter
        texts = [files.read(self._beside(name)) for name in letter.beside]
        if None in texts:
            raise Incomplete(
                f"the entries that belong to a letter of {self.ledger} did not come with it: take in the "
                "mail as a whole"
            )
        return letter.with_entries([text for text in texts if text is not None])

    def _beside(self, sha256: str) -> Path:
        return self.path / "entries" / f"{sha256}.txt"

    def _judge(self, text: bytes, member: Member) -> PublicKey:
        key = signature.parse(signature.split(text).armor).key
        if key.fingerprint != member.judge:
            raise NotOurs(
                f"this is signed with the key {key.fingerprint}; "
                f"the judge of {self.ledger} has {member.judge}"
            )
        return key

    def take_letter(self, text: bytes, beside: Sequence[bytes] = ()) -> Arrival:
        """Take in a letter of the judge's about this league. `beside`: entries that it may name.

        Raises:
            SealError: it is not the judge's, or not for this player.
            Incomplete: letters before it are missing. Contradiction: two histories were signed.
        """
        member = self.member()
        letter = read_report(text, self._judge(text, member))
        if letter.player != member.player or letter.game != self.ledger:
            raise NotOurs(f"this letter is for {letter.player} in {letter.game}")
        for entries in beside:
            if (name := hashlib.sha256(entries).hexdigest()) in letter.beside:
                files.write_once(self._beside(name), entries)
        letter, kept = self._whole(letter), self.kept()
        place = self.path / "letters" / f"{letter.checkpoint.size:06d}.txt"
        known = kept.heads[letter.checkpoint.size - 1] if letter.checkpoint.size <= kept.size else ""
        if known:
            if known != letter.checkpoint.head:
                why = f"the judge has signed two heads of {letter.checkpoint.size} entries"
                raise self._keep_evidence(letter.checkpoint.size, text, why)
            return self._arrival(letter.exchange, letter.report, new=False)
        try:
            kept.go_on(letter)
            self._said.check(kept)
        except Contradiction as fault:
            raise self._keep_evidence(letter.checkpoint.size, text, str(fault)) from None
        files.write_once(place, text)
        return self._arrival(letter.exchange, letter.report, new=True)

    def _keep_evidence(self, size: int, text: bytes, why: str) -> Contradiction:
        """Keep a letter that cannot be true; the error to raise. Nothing more is signed for this league."""
        digest = hashlib.sha256(text).hexdigest()[:12]
        place = self.path / "evidence" / f"{size:06d}-{digest}.txt"
        files.write(place, text)
        return Contradiction(
            f"{why}; the judge has signed this, and the letter is kept as evidence in {place}"
        )

    def take_receipt(self, text: bytes) -> Arrival:
        """Keep a receipt: it proves that the judge has a file."""
        key = self._judge(text, self.member())
        parts = signature.split(text)
        receipt = ledger.verify_receipt(parts.body, parts.armor, key)
        new = files.write_once(
            self.path / "receipts" / f"{receipt.number:04d}.txt", text.rstrip(b"\n") + b"\n"
        )
        told = f"the judge has your file for call {receipt.exchange} of {self.ledger}\n"
        return self._arrival(receipt.exchange, told, new=new, kind="receipt")

    def take_said(self, text: bytes) -> Arrival:
        """Keep a receipt for something said: it proves that the judge has entered it, and where.

        Raises:
            SealError: it is not the judge's, or for nobody here.
            Contradiction: in the ledger that the judge has sent, something else stands there.
        """
        member = self.find_member()
        receipt, new = self._said.take(text, (member.player, member.judge) if member else ("", ""))
        if member is not None:
            try:
                self._said.check(self.kept())
            except Contradiction as fault:
                raise self._keep_evidence(receipt.entry, text, str(fault)) from None
        told = f"the judge has entered what you said about {self.ledger}: it is entry {receipt.entry}\n"
        return self._arrival(0, told, new=new, kind="receipt")

    def take_words(self, text: bytes) -> Arrival | None:
        """Keep the words of a receipt, if one of this league names them."""
        echo = hashlib.sha256(text.rstrip(b"\n") + b"\n").hexdigest()
        for path in sorted((self.path / "receipts").glob("*.txt")):
            receipt = ledger.parse_receipt(signature.split(path.read_bytes()).body)
            if receipt.echo == echo:
                words = text.rstrip(b"\n") + b"\n"
                new = files.write_once(path.with_suffix(".words"), words)
                return self._arrival(receipt.exchange, without_salt(words.decode()), new=new, kind="words")
        return None

    def _arrival(self, call: int, text: str, *, new: bool, kind: str = "notice") -> Arrival:
        return Arrival(kind=kind, game=self.ledger, exchange=call, text=text, new=new)

    # Answers

    def reply(self, bids: Mapping[str, str] | None = None) -> bytes:
        """The answer to the call that was sent last: signed, sealed and armored; a new revision each time.

        `bids`: game -> bid; "" stands for every game.

        Raises:
            ConfigError: no call was sent, or it does not ask this player.
        """
        member, kept = self.member(), self.kept()
        refuse_forked(self.ledger, sorted(map(str, (self.path / "evidence").glob("*"))))
        last = kept.calls.last if kept.calls else None
        if kept.calls is None or last is None:
            raise ConfigError(f"the judge has called for nothing in {self.ledger} yet")
        call = last.opened
        recipient = dict(call.seals).get(member.player)
        if recipient is None:
            raise ConfigError(f"call {call.exchange} of {self.ledger} does not ask {member.player}")
        who = last.chains[member.player]
        known, chain = kept.calls.known(who), self._chain(who)
        if last.closed is not None:
            raise ConfigError(f"call {call.exchange} of {self.ledger} is closed: an answer comes too late")
        step = leaving_step(self.ledger, chain, call.exchange, known, self._secret(who))
        sent = self.path / "sent"
        rev = 1 + len(list(sent.glob(f"{call.exchange:04d}-*.age")))
        orders = OrderFile(
            game=self.ledger,
            exchange=call.exchange,
            player=member.player,
            side=ENTRANT,
            rev=rev,
            seal=recipient,
            seen=Seen(kept.size, kept.heads[-1]),
            reveal=step,
            body=self._body(kept, call, member, bids or {}).body,
        )
        check_writable(orders.text)
        key = self._key(member)
        refuse_uncounted(orders, key, kept.calls.standing_of(last, member.player, kept.head_at))
        sealed = seal_signed(orders.text, key, Namespace.ORDERS, [recipient], ORDERS_UNIT)
        files.write_once(sent / f"{call.exchange:04d}-{rev:03d}.age", sealed)
        return to_armor(sealed).encode()

    def games(self, kept: Kept) -> tuple[str, ...]:
        """The player's games that have no result yet, as far as the judge has told."""
        member = self.member()
        places = {one.player: one.of for one in kept.entries if isinstance(one, Substituted)}
        places |= {member.player: member.instead_of} if member.instead_of else {}
        names = {name := member.player}
        while name in places:
            names.add(name := places.pop(name))
        drawn = [entry for entry in kept.entries if isinstance(entry, Pairings)]
        ended = {(one.round, one.pairing) for one in kept.entries if isinstance(one, Ended)}
        return tuple(
            pair.game
            for made in drawn[-1:]
            for pair in made.pairs
            if names & set(pair.players) and (made.round, pair.number) not in ended
        )

    def _body(self, kept: Kept, call: Open, member: Member, bids: Mapping[str, str]) -> Reply:
        if purpose_of(call).what != SEATS:
            return Reply()
        anchors = []
        for game in self.games(kept):
            folder = GameFolder(self.home.path / "games" / game)
            signed = folder.join_file() or self.home.join(
                game, player=member.player, key=self._key_file(member), judge=member.judge
            )
            anchor = read_join(signed).anchor
            if anchor is not None:
                anchors.append((game, anchor.value))
        said = ((game, bids.get(game, bids.get("", ""))) for game, _ in anchors)
        return Reply(tuple(anchors), tuple((game, words) for game, words in said if words))
