"""A player's home: their keys, their games, and everything that the judge has signed to them.

    keys/<name>, <name>.pub     see pbem.player.keyring
    games/<game>/               see pbem.player.store.game_store
    leagues/<ledger>/           see pbem.player.leagues.league
    glances/<game>.json         what `glance` of pbem.player.status shows without reading the ledger again

It needs nothing of the judge's but mails. Every file is written whole or not at all; whatever a
command was stopped in the middle of, the same command does again.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.errors import ConfigError
from pbem.player.contents import HomeContents
from pbem.player.faults import Refused
from pbem.player.files import lock_folder
from pbem.player.store.game_store import Membership, position, position_in
from pbem.reports.base import NOTHING_ASKED
from pbem.trust.act_entries import CLAIM, LEAST_SILENCE, Consent, sign_consent
from pbem.trust.entries import EXTEND
from pbem.trust.identifiers import check_game_id, check_player_name, is_hash, quote, who_of
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.orderfile import Draft, form_in
from pbem.trust.times import utc_text

if TYPE_CHECKING:
    from pbem.orders.base import Follower, Language
    from pbem.player.incoming.letters_in import Arrival
    from pbem.player.incoming.receiving import Delivery
    from pbem.player.outgoing.drafts import Study
    from pbem.player.outgoing.ordering import SealedOrders
    from pbem.player.status import GameStatus
    from pbem.player.store.game_store import GameFolder
    from pbem.trust.rotations import KeyChange


class Home(HomeContents):
    """A player's home: the folder of their keys and games, and all that the player can do with it.

    `path`: its folder, which is made when something is put there. `passphrase`: gives the passphrase of a
    locked key, by the key's name; or the passphrase itself.
    """

    # Set-up

    def keygen(self, name: str, *, passphrase: str = "") -> PublicKey:
        """Make a key pair called `name`; return its public half."""
        return self.keys.generate(name, passphrase)

    def keygen_recovery(
        self, name: str, *, passphrase: str = "", out: Path | None = None
    ) -> tuple[PublicKey, bytes]:
        """Make a recovery key for the key `name`; return its public half and its key file, which is not kept.

        With `out` the key file is written there.
        """
        return self.keys.generate_recovery(name, passphrase, out)

    def join(
        self,
        game: str,
        *,
        player: str,
        judge: str | None,
        key: str | None = None,
        recovery: str | None = None,
        zone: str = "",
        share: str = "",
        publish: str = "",
    ) -> bytes:
        """Return the signed join file of `player` for `game`; the same one every time.

        `judge`: the fingerprint of the judge whom it is meant for: an invitation by anybody else is refused;
        None says that anybody may invite (protocol 22). `key`: name or path of the key, if it is not called
        like the player. `recovery`: the fingerprint of a recovery key, if it is not the one that
        `keygen_recovery` made. `zone`, `share`, `publish`: see `profile`.
        """
        from pbem.player.contents import bring_back
        from pbem.player.outgoing.signing import sign_up

        check_game_id(game)
        check_player_name(player)
        key_file = key or player
        private = self.keys.unlock(key_file)
        member = Membership(player, key_file, private.public)
        folder = self.place(game)
        with lock_folder(self.path):
            bring_back(self.path, game)
            return sign_up(folder, self.keys, member, private, recovery, judge, _wishes(zone, share, publish))

    def rotate(
        self,
        game: str,
        exchange: int,
        player: str,
        new: str,
        *,
        by: PrivateKey | None = None,
        old: str = "",
        chain: int = 0,
        person: str = "",
        genesis: str = "",
    ) -> KeyChange:
        """Return the signed statement that replaces a seat's key by the key `new` while an exchange is open.

        A home that plays the game from here on is ready for its letters. `by`: the old or recovery key, if
        one of them signs. `old`: the old key's fingerprint. `chain`: the generation of a new chain, if there
        is to be one. `person`: who takes the seat. `genesis`: the head of the game's first entry, if it is
        not here.
        """
        from pbem.player.outgoing.signing import enlist_anew, first_head, replaced_key
        from pbem.trust.rotations import KeyChange

        folder, public = self.place(check_game_id(game)), self.keys.unlock(new).public
        check_player_name(player)
        head = first_head(folder, genesis)
        with lock_folder(self.path):
            anchor = enlist_anew(folder, Membership(player, new, public), chain)
        recovery = self.keys.recovery(new) if by is None else None
        return KeyChange(
            game=game,
            genesis=head,
            player=player,
            exchange=exchange,
            old=old or replaced_key(folder, self.keys, player, exchange),
            new=public.line,
            anchor=anchor,
            recovery=recovery.fingerprint if recovery else "",
            person=check_player_name(person) if person else "",
        )

    # Letters in

    def receive(self, data: bytes, *, genesis: str | None = None) -> tuple[Arrival, ...]:
        """Take in all letters of the judge in a file; return what arrived.

        Raises:
            PbemError: the first thing that is wrong with the file; what is right was taken in all the same.
        """
        delivery = self.deliver({"": data}, genesis=genesis)
        for _, fault in delivery.faults:
            raise fault
        return delivery.arrivals

    def deliver(self, sources: Mapping[str, bytes], *, genesis: str | None = None) -> Delivery:
        """Take in several files from the judge in any order; `genesis` is the head that entry 1 must have."""
        from pbem.player.incoming.receiving import Incoming

        if genesis is not None and not is_hash(genesis.lower()):
            raise ConfigError(f"{quote(genesis, 80)} is not a head of a genesis; one is 64 hex digits")
        delivery = Incoming(self, genesis, self.clock).take_in(sources)
        if delivery.faults or any(arrival.remarks for arrival in delivery.arrivals):
            from pbem.player.answering import note_remarks

            note_remarks(self, delivery)
        return delivery

    def keep_copy(self, game: str, data: bytes) -> tuple[tuple[Path, ...], tuple[str, ...]]:
        """Keep sealed orders that another player has sent to everybody, as proof.

        Returns their paths, and sentences about the mail's files that are not kept for this game.
        """
        from pbem.player.incoming.mail_parts import readable, sort_copies

        folder = self.place(game)
        folder.membership()
        kept, others = sort_copies(self.folders(), game, readable(data))
        return tuple(folder.judge_statements.keep_copy(one)[0] for one in kept), tuple(others)

    # Orders out

    def seal(
        self,
        draft: str | bytes | None,
        *,
        game: str | None = None,
        player: str | None = None,
    ) -> SealedOrders:
        """Complete, sign and seal a draft, or a report with its form filled in; or, for None, no orders."""
        from pbem.player.outgoing.drafts import read_draft
        from pbem.player.outgoing.ordering import BARE, seal_orders

        read = BARE if draft is None else read_draft(draft)
        if game is not None and read.game is not None and read.game != game:
            raise Refused(f"these orders are for the game {read.game}, not for {game}")
        folder = self.place(game or read.game or self.only_game())
        _refuse_another(folder, player)
        with lock_folder(self.path):
            return seal_orders(folder, self.keys, read, self.clock)

    def form(self, game: str) -> str:
        """Return the order form for the open exchange, from its report; "" if nothing is asked."""
        folder = self.place(game)
        chronicle = folder.chronicle()
        if chronicle is None or (current := chronicle.history.current) is None:
            return ""
        report = position_in(folder, chronicle, current) or ""
        return "" if f"\n{NOTHING_ASKED}" in report else form_in(report)

    def check(
        self, draft: bytes, *, game: str | None = None, report: bytes | None = None, forecast: bool = True
    ) -> Study:
        """Check a draft before it is sent, by `report`, a report in the draft, or the last one in this home.

        Orders that were sent from this home before count as well, as far as they still apply.
        """
        from pbem.player.outgoing.drafts import read_text, study
        from pbem.player.store.game_store import earlier_orders

        def last_report(read: Draft) -> str | None:
            folder = self.place(game or read.game or self.only_game())
            if folder.find_membership() is None:
                played = ", ".join(one.game for one in self.folders()) or "none yet"
                raise Refused(
                    f"you play no game called {folder.game} from this home, but {played}; to check orders "
                    f"with another report, name its file with --report"
                )
            kept = folder.reports()
            if kept and kept[-1] == 0:
                raise Refused(
                    f"{folder.game} has not begun, so you cannot order anything yet: answer the invitation "
                    f"with pbem seal --bare"
                )
            return self.last_report(folder.game)

        def earlier(
            named: str | None, exchange: int | None, side: str, language: Language
        ) -> Follower | None:
            name = game or named or self._lone_game()
            return None if name is None else earlier_orders(self.place(name), side, exchange, language)

        given = None if report is None else read_text(report)
        return study(read_text(draft), given, last_report, earlier, forecast=forecast)

    def check_key(self, game: str) -> None:
        """Check that this home has the key that signs orders in the open exchange of a game."""
        from pbem.player.outgoing.ordering import check_key

        check_key(self.place(game), self.keys)

    def reveal(self, game: str) -> SealedOrders:
        """Sign and seal the reveal of an exchange that was closed, in a game with the mode after-close."""
        from pbem.player.outgoing.ordering import seal_reveal

        with lock_folder(self.path):
            return seal_reveal(self.place(game), self.keys, self.clock)

    def absent(
        self, player: str, begins: str, ends: str, *, key: str | None = None, judge: str = ""
    ) -> bytes:
        """Return the signed absence of `player` from one day to another; `judge` is as for `profile`."""
        from pbem.trust.player_statements import sign_days

        judge = judge or self._only_judge()
        return sign_days(player, judge, begins, ends, self.clock(), self.keys.unlock(key or player))

    def mail(self, orders: SealedOrders, *, sender: str = "", copies: bool = True) -> bytes:
        """Return sealed orders as a mail to the judge and, by default, to the opponents (protocol 7)."""
        folder = self.place(orders.game)
        player = folder.membership().player
        from pbem.player.outgoing.mailing import order_mail

        return order_mail(orders, player, folder.addresses(), self.clock(), sender=sender, copies=copies)

    def _only_judge(self) -> str:
        """Return the fingerprint of the only judge that this home's games have, or that their joins name."""
        from pbem.trust.player_statements import read_join

        found = set[str | None]()
        for folder in self.folders():
            join = folder.join_file()
            found.add(key.fingerprint if (key := folder.judge()) else read_join(join).judge if join else None)
        judges = sorted(one for one in found if one)
        if len(judges) != 1:
            known = f"; your games have {' and '.join(judges)}" if judges else ""
            raise ConfigError(f"name the judge that gets it: --judge SHA256:...{known}")
        return judges[0]

    def profile(self, player: str, *, key: str | None = None, judge: str = "", **wishes: str) -> bytes:
        """Return a player's signed wishes, each by its word in a profile (`pbem.trust.player_statements`).

        `judge`: the fingerprint of the judge whom it is for, if this home has games of several or none.
        """
        from pbem.trust.fields import sign_fields
        from pbem.trust.player_statements import Profile

        wishes |= _wishes(*(wishes.get(word, "") for word in ("zone", "share", "publish")))
        made = self.clock().replace(microsecond=0)
        name, judge = check_player_name(player), judge or self._only_judge()
        profile = Profile(player=name, judge=judge, made=made, **wishes)
        return sign_fields(profile, self.keys.unlock(key or player))

    def claim(self, game: str, of: str, *, by: str | None = None) -> bytes:
        """Return the signed claim of a game from its player `of`, who sends nothing; `by`: the signer.

        Raises:
            Refused: by the verified ledger `of` is not silent, or does not play.
        """
        from pbem.player.outgoing.ordering import sign_consent_now
        from pbem.steps import Step

        folder = self.place(game)
        member = folder.membership()
        _refuse_another(folder, by)
        chronicle = folder.chronicle()
        if chronicle is None or (exchange := chronicle.history.current) is None:
            raise Refused(
                f"no exchange of {game} is open in your ledger of the game; receive the newest letter of the "
                f"judge: {Step.LETTER.command()}"
            )
        others = [player.name for player in chronicle.genesis.players if player.name != member.player]
        if of not in others:
            raise Refused(f"{of} is not your opponent in {game}; you play against {', '.join(others)}")
        if (count := chronicle.history.silence(of)) < LEAST_SILENCE:
            raise Refused(
                f"your ledger of the game shows only {count} exchanges in a row "
                f"without a file of {of}; a game can be claimed after {LEAST_SILENCE}; if a newer letter "
                f"of the judge has come, receive it first: {Step.LETTER.command()}"
            )
        return sign_consent_now(folder, self.keys, chronicle, exchange, f"{CLAIM} {of}")

    def more_time(self, game: str, time: str = "") -> bytes:
        """Return the signed consent to a later deadline of the open exchange; the default is one day later.

        Raises:
            Refused: by the verified ledger the exchange cannot have this deadline.
        """
        from pbem.player.outgoing.ordering import sign_consent_now
        from pbem.player.outgoing.signing import check_more_time

        folder = self.place(game)
        chronicle = folder.chronicle()
        if chronicle is None or (exchange := chronicle.history.current) is None or exchange.deadline is None:
            raise Refused(f"no exchange of {game} waits for orders in your ledger of the game")
        to = f"{EXTEND} {time or utc_text(exchange.deadline + timedelta(days=1))}"
        check_more_time(folder, exchange.number, to)
        return sign_consent_now(folder, self.keys, chronicle, exchange, to)

    def consent(
        self,
        game: str,
        exchange: int,
        by: str,
        to: str,
        *,
        key: str | None = None,
        genesis: str = "",
        lost: int = 0,
    ) -> bytes:
        """Return the signed consent of the player `by` to what `to` names, such as an act of the game master.

        `genesis` is the head of the game's first entry, if it is not here.

        `lost`: how many entries of this home's ledger a restored game lacks that is put away.
        """
        from pbem.player.outgoing.signing import check_lost, check_more_time, first_head, newest_seen

        folder = self.place(check_game_id(game))
        head = first_head(folder, genesis)
        check_lost(folder, to, lost)
        check_more_time(folder, exchange, to)
        seen = newest_seen(folder, head, to)
        said = Consent(game=game, genesis=head, seen=seen, exchange=exchange, by=check_player_name(by), to=to)
        return sign_consent(said, self.keys.unlock(key or by))

    def sheet(self, game: str, first: int, last: int) -> tuple[str, ...]:
        """Return the reveals of a game for printing; with them a player without this program can send orders.

        Each reveal is of the chain that is in force in its exchange, as far as the kept ledger says.
        """
        folder = self.place(game)
        member, chronicle = folder.membership(), folder.chronicle()
        seats = chronicle.history.seats if chronicle else None
        rows: list[str] = []
        for step in range(first, last + 1):
            who = seats.chain_of(member.player, step) if seats else who_of(member.player)
            chain = folder.chain(who) if who else None
            rows += [f"reveal {chain.who} {step} {chain.reveal(step)}"] if chain else []
        if not rows:
            raise Refused(f"you have no chain in {game}, so there is nothing to reveal")
        head = f"{game}: the reveals of {member.player}, one for each exchange; show none before its exchange"
        key = seats.fingerprint(member.player, last) if seats else member.public.fingerprint
        return (head, f"Key {key}", "", *rows)

    # What there is

    def last_report(self, game: str) -> str | None:
        """Return the report that orders for a game answer, proven by the ledger; None if it is not kept."""
        folder = self.place(game)
        chronicle = folder.chronicle()
        return None if chronicle is None else position(folder, chronicle)

    def games(self) -> tuple[GameStatus, ...]:
        """Return the status of every joined game."""
        from pbem.player.status import status_of

        return tuple(status_of(folder) for folder in self.folders())

    def given_up(self, game: str) -> tuple[str, ...]:
        """Return sentences that say what a player gives up if they forget a game."""
        from pbem.player.contents import given_up

        return given_up(self.folder(game))

    def forget(self, game: str) -> Path:
        """Put a game's files away, so that another invitation to it can come; return where they are."""
        from pbem.player.contents import forget

        with lock_folder(self.path):
            return forget(self.path, self.folder(game))


def _refuse_another(folder: GameFolder, player: str | None) -> None:
    """Raise Refused if this home plays a game as somebody else than the named player."""
    own = folder.membership().player
    if player is not None and player != own:
        raise Refused(f"you play {folder.game} as {own}, not as {player}")


def _wishes(zone: str, share: str, publish: str) -> dict[str, str]:
    """Check those wishes of a player that a join file can hold, too; return them by their words."""
    from pbem.trust.identifiers import typed_address
    from pbem.trust.player_statements import NOBODY, check_wishes
    from pbem.trust.times import find_zone

    if zone:
        find_zone(zone)
    share = share if share in ("", NOBODY) else typed_address(share)
    check_wishes(zone, share, publish)
    return {"zone": zone, "share": share, "publish": publish}
