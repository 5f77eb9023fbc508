"""A player's leagues: signed statements, the ledger that the judge sends, and answers to calls.

home/leagues/league.spring-2027/
    player          name, key, and the judge whose league it is
    entries/        what stood beside letters, by its hash
    said/           what was signed here, by its hash: .statement; and the judge's word that it is an entry,
                    by the number of that: .txt
    chains/         what was sent with answers to calls, for games (drawn)
    chain-secret, ledger.txt, held/, reports/, echoes/, sent/     as of a game (store/game_store)

Letters and receipts are taken in, and answers leave, as those of a game do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from secrets import token_bytes

from pbem.errors import ConfigError
from pbem.leagues.calls import Call, Keys, Reply, Sent
from pbem.leagues.entries import ENTRANT, Ended, Pairings, Substituted
from pbem.leagues.model import next_words
from pbem.leagues.statements import ENTER, NEW_KEY, Statement, allowed_by
from pbem.player import files
from pbem.player.faults import Contradiction, Incomplete, NotOurs
from pbem.player.incoming.letters_in import Arrival, check_known_judge, extend_ledger, keep_letter
from pbem.player.keyring import Keyring
from pbem.player.leagues.ledger import (
    LeagueChronicle,
    LeagueFolder,
    Member,
    SaidHere,
    contradiction_of_league_letter,
    head_fault,
    read_league_chronicle,
    sent_path,
)
from pbem.player.outgoing.ordering import leaving_step, refuse_forked, refuse_uncounted, reserve
from pbem.player.store.evidence import Statement as Signed
from pbem.player.store.evidence import check_receipts, keep_fault
from pbem.player.store.game_papers import Chronicle
from pbem.player.store.game_store import game_folder, read_secret
from pbem.trust import signature
from pbem.trust.chance import Chain, Reveal, make_chain, sent_name
from pbem.trust.entries import Entry
from pbem.trust.faults import KeyFault, LedgerFault
from pbem.trust.formats import MAX_GAMES
from pbem.trust.identifiers import check_player_name, split_who, who_of
from pbem.trust.keys import PrivateKey, PublicKey, parse_public
from pbem.trust.letters import ReportLetter, read_report
from pbem.trust.orderfile import OrderFile, Seen, parse_orders
from pbem.trust.sealing import to_armor


class PlayersLeague:
    """One league in a player's home; `name` is that of the league or of its ledger."""

    def __init__(self, home: Path, keys: Keyring, name: str) -> None:
        self.home = home
        self.keys = keys
        self.ledger = name if name.startswith("league.") else f"league.{name}"
        self.path = home / "leagues" / self.ledger
        self.folder = LeagueFolder(self.path, keys)
        self._said = SaidHere(self.path / "said", self.ledger)

    # What is signed

    def enter(
        self,
        player: str,
        *,
        judge: str,
        genesis: str,
        now: datetime,
        key: str | None = None,
        rating: int | None = None,
        games: int = 0,
        eliminator: bool = False,
        say: str = ENTER,
        instead_of: str = "",
    ) -> bytes:
        """Return the signed wish to enter a league or take a place in it; its chain's secret is not sent.

        `say`: enter or substitute. `instead_of`: whose place is taken; "" takes the first that comes free.
        """
        member = Member(check_player_name(player), key or player, judge, genesis, instead_of)
        private = self.keys.unlock(member.key_file)
        self.folder.new_chain(who_of(player), token_bytes(32))
        statement = Statement(
            league=self.ledger,
            player=player,
            say=say,
            key=private.public,
            anchor=Reveal(who_of(player), 0, self._chain(who_of(player)).anchor),
            judge=judge,
            genesis=genesis,
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
        """Sign a statement about the league with the key that the player entered with, or with a given one.

        Raises:
            ConfigError: the league must be named by its judge and first head.
        """
        member = self.folder.find_member()
        judge, genesis = self.judge_and_genesis(statement.judge, statement.genesis)
        statement = replace(statement, judge=judge, genesis=genesis)
        if key or member is None:
            return self._said.sign(statement, self.keys.unlock(key or statement.player))
        return self._said.sign(statement, self._key(member))

    def judge_and_genesis(self, judge: str, genesis: str) -> tuple[str, str]:
        """Return the league's judge and first head, as they were given or as this home knows them."""
        member = self.folder.find_member()
        if member is None and (not judge or not genesis):
            raise ConfigError(
                f"this home has not entered {self.ledger.removeprefix('league.')}, and another league may "
                "have the same name: say which league it is, with --judge and --genesis"
            )
        if member is None:
            return judge, genesis
        if judge not in ("", member.judge):
            raise ConfigError(f"the judge of {self.ledger} has the key {member.judge} here, not {judge}")
        if genesis not in ("", member.genesis):
            raise ConfigError(f"the first head of {self.ledger} is {member.genesis} here, not {genesis}")
        return member.judge, member.genesis

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
        genesis: str = "",
        chain: int = 0,
        official: bool = False,
    ) -> bytes:
        """Return the signed statement that changes a player's key, with a new chain for an entrant.

        `new` is the new key's file; the key that counts signs, or `key`.

        `lost`: whether no key can sign, so that the director has to rule. `old`: the old key's fingerprint,
        `judge` and `genesis`, for a home that does not know them. `chain`: the number of the new chain, if
        this home cannot know it. `official`: whether the player has not entered, but is of the panel or an
        official, without a chain.

        Raises:
            ConfigError: an argument is missing that this home cannot know by itself.
        """
        member, private = self.folder.find_member(), self.keys.unlock(new)
        judge, genesis = self.judge_and_genesis(judge, genesis)
        if member is None and not official:
            member = Member(player, new, judge, genesis)
            files.write(self.path / "player", member.text)
        if member is None and lost and not old:
            raise ConfigError(
                "this home does not know your league: say which key is lost, with --old-fingerprint"
            )
        counts = None
        if not lost:
            counts = self.keys.unlock(key or (self._key_file(member) if member else player))
            old = counts.public.fingerprint
        anchor = None
        if member is not None:
            old = old or self._counting(member).fingerprint
            who = who_of(player, chain or self._generation(self.kept_ledger().entries, player) + 1)
            self.folder.new_chain(who, token_bytes(32))
            anchor = Reveal(who, 0, self._chain(who).anchor)
        statement = Statement(
            league=self.ledger,
            player=player,
            say=NEW_KEY,
            key=private.public,
            old=old,
            anchor=anchor,
            judge=judge,
            genesis=genesis,
            made=now,
        )
        return self._said.sign(allowed_by(statement, counts) if counts else statement, private)

    def _keys(self, entries: Iterable[Entry]) -> Keys:
        counting = Keys()
        for entry in entries:
            counting.take(entry, self.ledger)
        return counting

    def _counting(self, member: Member) -> PublicKey:
        """Return the player's key that is valid now, by the entries that have come."""
        line = self._keys(self.kept_ledger().entries).current_keys.get(member.player)
        return parse_public(line) if line else self.keys.public(member.key_file)

    def _generation(self, entries: Iterable[Entry], player: str) -> int:
        """Return the number of the player's chain that is valid after these entries."""
        anchor = self._keys(entries).chains.get(player)
        return split_who(anchor.who)[1] if anchor else 1

    def _key_file(self, member: Member) -> str:
        """Return the name that the player's valid key has in this home.

        Raises:
            KeyFault: the valid key is not in this home.
        """
        public = self._counting(member)
        for name in (*self.keys.names(), member.key_file):
            if self.keys.public(name) == public:
                return name
        raise KeyFault(f"{member.player} signs with {public.fingerprint}, and that key is not in this home")

    def _key(self, member: Member) -> PrivateKey:
        return self.keys.unlock(self._key_file(member))

    def keys_now(self) -> dict[str, str]:
        """Return every player's key that is valid now, by the entries that have come."""
        return dict(self._keys(self.kept_ledger().entries).current_keys)

    def signing_name(self) -> str:
        """Return the name that the player's valid key has in this home.

        Raises:
            KeyFault: the valid key is not in this home.
        """
        return self._key_file(self.folder.member())

    def reading_names(self) -> tuple[str, ...]:
        """Return the names of this home's keys to which letters of the league may be sealed.

        A new key counts when it is in the ledger, and the letter that says so is sealed to it.
        """
        member, keys = self.folder.member(), self.keys
        lines = {*self._said.new_keys(), self.keys_now().get(member.player, "")}
        return tuple(
            name for name in keys.names() if name == member.key_file or keys.public(name).line in lines
        )

    def signing_key(self) -> PrivateKey:
        """Return the player's key that is valid now, unlocked."""
        return self._key(self.folder.member())

    def _chain(self, who: str) -> Chain:
        if (chain := self.folder.chain(who)) is None:
            raise ConfigError(
                f"the secret of your chain {who} for {self.ledger} is not in this home: in this call you "
                "have no share in the dice, and cannot bid; pbem league new-key gives you a new chain"
            )
        return chain

    # Letters in

    def kept_ledger(self) -> LeagueChronicle:
        """Return the league's ledger by the letters that have come."""
        self.folder.member()
        return self.folder.chronicle() or read_league_chronicle(self.ledger, (), {})

    def _whole(self, letter: ReportLetter, beside: Sequence[bytes]) -> ReportLetter:
        """Return a league's letter with the entries that came in texts beside it.

        Raises:
            Incomplete: the texts beside the letter did not come.
        """
        if not letter.beside:
            return letter
        for entries in beside:
            if (name := hashlib.sha256(entries).hexdigest()) in letter.beside:
                files.write_once(self.path / f"entries/{name}.txt", entries)
        texts = [files.read_file(self.path / f"entries/{name}.txt") for name in letter.beside]
        if None in texts:
            raise Incomplete(
                f"the entries that belong to a letter of {self.ledger} did not come with it: take in the "
                "mail as a whole"
            )
        return letter.with_entries([text for text in texts if text is not None])

    def take_letter(self, text: bytes, beside: Sequence[bytes] = ()) -> Arrival:
        """Take in a letter of the judge's about this league. `beside`: entries that it may name.

        Raises:
            SealError: the letter is not the judge's, or not for this player.
            Incomplete: letters before this one are missing.
            Contradiction: the judge signed something impossible; evidence was kept.
            Fork: the judge signed two histories.
        """
        folder, member = self.folder, self.folder.member()
        statement, judge = Signed(folder, text), check_known_judge(folder, text)
        folder.pin_judge(judge, member.player, self.keys.public(member.key_file))
        try:
            letter = self._whole(read_report(text, judge), beside)
        except LedgerFault as fault:
            raise keep_fault(statement, str(fault)) from None
        if letter.player != member.player:
            raise NotOurs(f"this letter is for {letter.player} in {letter.game}")
        before = folder.chronicle()
        try:
            kept = extend_ledger(statement, before, letter, read_league_chronicle)
        except Incomplete as lack:
            short = self.ledger.removeprefix("league.")
            raise Incomplete(f"{lack}; a mail whose first line is 'resend {short}' brings all") from None
        if kept.heads[0] != member.genesis:
            raise NotOurs(
                f"this is the ledger of another league called {self.ledger}, whose first head is "
                f"{kept.heads[0]}; that of yours is {member.genesis}"
            )
        self._check_said(statement, kept)
        news = kept.entries[len(before.entries) if before else 0 :]
        if told := head_fault(self.ledger, member.judge, news, self._game):
            raise keep_fault(statement, told)
        lie = contradiction_of_league_letter(letter, kept.entries)
        new = keep_letter(folder, letter, kept, is_true=not lie)
        check_receipts(folder, kept, folder.judge_statements.receipts())
        faults = (keep_fault(statement, lie),) if lie else ()
        return self._arrival(letter.exchange, letter.report, new=new or bool(lie), faults=faults)

    def _game(self, name: str) -> Chronicle | None:
        """Return the ledger of a game that is in this home; None if it is not."""
        return game_folder(self.home, name).chronicle()

    def _check_said(self, statement: Signed, kept: LeagueChronicle) -> None:
        try:
            self._said.check(kept)
        except Contradiction as fault:
            raise keep_fault(statement, str(fault)) from None

    def take_said(self, text: bytes) -> Arrival:
        """Keep a receipt for a statement: it proves that the judge has entered it, and where.

        Raises:
            SealError: the receipt is not the judge's, or for nobody here.
            Contradiction: in the ledger that the judge has sent, something else stands there.
        """
        member = self.folder.find_member()
        receipt, new = self._said.take(text, (member.player, member.judge) if member else ("", ""))
        if member is not None:
            key = signature.parse(signature.split(text).armor).key
            self.folder.pin_judge(key, member.player, self.keys.public(member.key_file))
            self._check_said(Signed(self.folder, text, "pbem1-receipt"), self.kept_ledger())
        told = (
            f"the judge has entered what you said about {self.ledger}: it is entry {receipt.entry}\n"
            f"{next_words(receipt.coming)}\n"
        )
        return self._arrival(0, told, new=new, kind="receipt")

    def _arrival(
        self, call: int, text: str, *, new: bool, kind: str = "notice", faults: tuple[Contradiction, ...] = ()
    ) -> Arrival:
        return Arrival(kind=kind, game=self.ledger, exchange=call, text=text, new=new, faults=faults)

    # Answers

    def reply(self, bids: Mapping[str, str] | None = None) -> bytes:
        """Return the answer to the last call, signed, sealed and armored, which is the same every time.

        `bids`: game -> bid; "" stands for every game.

        Raises:
            ConfigError: no call was sent, or the last call does not ask this player.
        """
        member, kept = self.folder.member(), self.kept_ledger()
        refuse_forked(self.ledger, [str(one) for one in self.folder.judge_statements.evidence()])
        if (calls := kept.calls) is None or (last := calls.last) is None:
            raise ConfigError(f"the judge has called for nothing in {self.ledger} yet")
        call = last.opened
        recipient = dict(call.seals).get(member.player)
        if recipient is None:
            raise ConfigError(f"call {call.exchange} of {self.ledger} does not ask {member.player}")
        who = last.chains[member.player]
        known, chain = calls.known(who), self._chain(who)
        if last.closed is not None:
            raise ConfigError(f"call {call.exchange} of {self.ledger} is closed: an answer comes too late")
        step = leaving_step(self.ledger, chain, call.exchange, known, self.folder.secret_path(who))
        orders = OrderFile(
            game=self.ledger,
            exchange=call.exchange,
            player=member.player,
            side=ENTRANT,
            rev=1,
            seal=recipient,
            seen=Seen(kept.size, kept.heads[-1]),
            reveal=step,
            body=self._body(kept, last, bids or {}, step.value).body,
        )
        key = self._key(member)
        refuse_uncounted(orders, key, calls.standing_of(last, member.player, kept.head_at))
        rev, text, _ = reserve(self.folder, kept, orders, key)
        return to_armor(
            self.folder.sent_files.finish(call.exchange, rev, key, parse_orders(text).seal)
        ).encode()

    def games(self, kept: LeagueChronicle) -> tuple[str, ...]:
        """Return the player's games in the league that have no result, by the entries that have come."""
        member = self.folder.member()
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

    def _body(self, kept: LeagueChronicle, call: Call, bids: Mapping[str, str], share: str) -> Reply:
        if call.seating is None:
            return Reply()
        many = min(call.seating.chains, MAX_GAMES)
        chains = tuple(self._send_chain(call.number, one, share) for one in range(1, many + 1))
        said = ((game, bids.get(game, bids.get("", ""))) for game in (self.games(kept) if bids else ()))
        return Reply(chains, tuple((game, words) for game, words in said if words))

    def _send_chain(self, call: int, number: int, share: str) -> Sent:
        """Return the chain that goes with the answer to a call, always the same; its secret is not sent."""
        path, name = sent_path(self.folder, call, number), sent_name(self.ledger, call, number)
        files.write_new(path, f"{token_bytes(32).hex()} {name}\n".encode())
        secret = read_secret(path)
        assert secret is not None
        chain = make_chain(secret.under, who_of(self.folder.player), secret.last)
        return Sent(number, chain.anchor, share)
