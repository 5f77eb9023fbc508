"""Games that a league has drawn: the chain is made with the answer to its call, and found as a game begins.

    home/leagues/<ledger>/chains/
        chain-secret-3-1   the last link of the first chain that was sent with the answer to call 3, and the
                           name under which its links are hashed
        given-3-1          the game that has it: a chain is for one game

Whoever answers has accepted the game. So a genesis is refused here that leaves their chain out or has
another one, or another part of the judge's than the call had fixed before; or with which anybody contributes
another step to exchange 1 than that of their league chain for the call. Where the league names other heads
of a game than the game itself has, there are two games under one name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from pbem.characters import strip_blanks
from pbem.leagues.calls import Calls
from pbem.leagues.entries import Ended, GameAt, Opened
from pbem.leagues.seating import game_name
from pbem.leagues.state import Call
from pbem.player import files
from pbem.player.faults import Incomplete, NotOurs
from pbem.player.keyring import Keyring
from pbem.player.leagues.ledger import LeagueChronicle, LeagueFolder, read_league_chronicle
from pbem.player.store.chronicle import Chronicle
from pbem.player.store.game_store import GameFolder, Membership, read_secret
from pbem.trust.chance import Reveal, check_reveal, make_chain
from pbem.trust.entries import Enrolled, Entry, Genesis
from pbem.trust.faults import ChainFault


def seat_drawn(folder: GameFolder, chronicle: Chronicle, player: str, keyring: Keyring) -> Membership | None:
    """Return the player's part in a drawn game, with its chain in its folder; None if they do not play it.

    Raises:
        NotOurs: the genesis is not what this home has accepted.
    """
    genesis, enrolled = chronicle.genesis, chronicle.enrolled_player(player)
    if genesis.drawn is None or enrolled is None:
        return None
    ledger, call = genesis.drawn
    league = LeagueFolder(folder.path.parent.parent / "leagues" / ledger, keyring)
    member = league.find_member()
    if member is None or member.player != player:
        return None
    if genesis.gm != member.judge:
        raise NotOurs(
            f"{folder.game} is said to be of {ledger}, whose judge is {member.judge}, not {genesis.gm}"
        )
    kept = league.chronicle() or read_league_chronicle(ledger, (), {})
    if call > len(kept.exchanges):
        raise Incomplete(
            f"{folder.game} is said to be drawn by call {call} of {ledger}, which has not come here yet: "
            f"a mail whose first line is 'resend {ledger.removeprefix('league.')}' brings it"
        )
    assert kept.calls is not None, "it has a call"
    _check_fixed(kept, genesis, call)
    _check_shares(kept, kept.calls, genesis, call)
    if told := head_fault(ledger, member.judge, kept.entries, {folder.game: chronicle}.get):
        raise NotOurs(told)
    if enrolled.anchor is not None:
        _hand_over(league, call, enrolled, folder)
    elif any(one.receipt.exchange == call for one in league.judge_statements.receipts().values()):
        raise NotOurs(
            f"the genesis of {folder.game} leaves out the chain of {player}, for which the judge has given "
            f"a receipt in call {call} of {ledger}"
        )
    for name in keyring.names():
        if (public := keyring.public(name)).fingerprint == enrolled.fingerprint:
            return Membership(player, name, public)
    return None


def head_fault(
    ledger: str, judge: str, entries: Iterable[Entry], game_of: Callable[[str], Chronicle | None]
) -> str:
    """Return what is wrong with a league's entries about games that this home plays; "" if nothing is.

    `game_of`: a game's ledger by its name, if it is here. Another club's game may have the same name.
    """
    for entry in entries:
        match entry:
            case Opened():
                named = GameAt(entry.game, 1, entry.head)
            case Ended(game=GameAt() as named):
                pass
            case _:
                continue
        own = game_of(named.game)
        if own is None or (own.genesis.gm, (own.genesis.drawn or ("",))[0]) != (judge, ledger):
            continue
        if (head := own.head_at(named.size)) not in (None, named.head):
            return (
                f"{ledger} says that {named.game} has the head {named.head} at entry {named.size}, "
                f"and in the game itself the judge has signed {head}"
            )
    return ""


def _check_fixed(kept: LeagueChronicle, genesis: Genesis, number: int) -> None:
    """Check that the judge's part of a game is as the league's call has fixed it."""
    call = kept.exchanges[number - 1]
    fixed = {
        game_name(kept.game, call.purpose.round, one): anchors
        for one, anchors in enumerate(call.seating.games if call.seating else (), 1)
    }
    if fixed.get(genesis.game) != (genesis.anchor, genesis.secret_anchor):
        raise NotOurs(
            f"the judge's anchors in the genesis of {genesis.game} are not those that call {number} of "
            f"{kept.game} has fixed before anybody answered"
        )


def _check_shares(kept: LeagueChronicle, calls: Calls, genesis: Genesis, number: int) -> None:
    """Check that everybody contributes to a game the step that they reveal in the league's call."""
    call = kept.exchanges[number - 1]
    for player in genesis.players:
        if player.share is not None and not _is_step(calls, call, player.name, player.share):
            raise NotOurs(
                f"what {player.name} contributes to exchange 1 of {genesis.game} is not their step of call "
                f"{number} of {kept.game}"
            )


def _is_step(calls: Calls, call: Call, player: str, value: str) -> bool:
    """Tell whether a value is a player's step for a call: that which the call revealed, or the chain's."""
    if (who := call.chains.get(player)) is None:
        return False
    step, known = Reveal(who, call.number, value), calls.known(who)
    if call.resolved is not None:
        return step in call.resolved.reveals
    try:
        assert known is not None, "who is asked has a chain"
        check_reveal(calls.ledger, step, known)
    except ChainFault:
        return False
    return True


def _hand_over(league: LeagueFolder, call: int, enrolled: Enrolled, folder: GameFolder) -> None:
    """Give a drawn game the chain that was sent for it with the answer to the league's call."""
    path = sent_path(league, call, enrolled.chain)
    if (secret := read_secret(path)) is None:
        raise NotOurs(
            f"genesis anchors a chain of {enrolled.name}, and its secret is not in this home: receive this "
            "where you answered the league's call"
        )
    chain = make_chain(secret.under, enrolled.who, secret.last)
    if chain.anchor != enrolled.anchor:
        raise NotOurs(f"genesis anchors another chain for {enrolled.name}; you have sent {chain.anchor}")
    given = path.with_name(f"given-{call}-{enrolled.chain}")
    files.write_new(given, f"{folder.game}\n".encode())
    if (other := strip_blanks((files.read_file(given) or b"").decode())) != folder.game:
        raise NotOurs(
            f"chain {enrolled.chain} of call {call} was given to {other}, and a chain is for one game"
        )
    folder.new_chain(enrolled.who, secret.last, secret.under)


def sent_path(folder: LeagueFolder, call: int, number: int) -> Path:
    """Return the file for the secret of a chain that was sent with the answer to a call."""
    return folder.path / f"chains/chain-secret-{call}-{number}"
