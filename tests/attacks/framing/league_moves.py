"""What strangers and a hostile entrant send to a league. Each takes the plot, and asserts what it claims.

A stranger knows what is public: the ledger, recipients, statements. An entrant has a key and a chain as well.
None of it may count but what the rules let them say, and nothing of it may make the judge look guilty.
"""

from __future__ import annotations

from collections.abc import Callable

from pbem.judge.leagues.desk import take_statement
from pbem.leagues.statements import (
    ABSENT,
    APPEAL,
    CHALLENGE,
    NEW_KEY,
    SUBSTITUTE,
    VOTE,
    WITHDRAW,
    Statement,
    allowed_by,
    sign_statement,
)
from pbem.trust import keys, ledger
from pbem.trust.chance import Reveal, make_chain
from pbem.trust.ledger import Checkpoint, Receipt
from pbem.trust.orderfile import Seen
from pbem.trust.sealing import seal
from tests.attacks.framing.plot import HONEST, HOSTILE, Plot
from tests.leagues.world import key_of, secret, take_reply

Move = Callable[[Plot], None]
STRANGERS: dict[str, Move] = {}
ENTRANTS: dict[str, Move] = {}


def stranger(move: Move) -> Move:
    """Anybody can do this."""
    STRANGERS[move.__name__] = move
    return move


def entrant(move: Move) -> Move:
    """An entrant can do this."""
    ENTRANTS[move.__name__] = move
    return move


def made(plot: Plot, player: str, say: str, signer: keys.PrivateKey, **more: object) -> bytes:
    """Something in somebody's name, signed by anybody."""
    parts: dict[str, object] = {**plot.world.which, **more}
    said = Statement(league="league.cup", player=player, say=say, made=plot.world.clock(), **parts)  # type: ignore[arg-type]
    return sign_statement(said, signer)


def victim(plot: Plot) -> str:
    """Somebody who takes part."""
    return plot.random.choice([name for name, one in plot.season.members.items() if not one.leaving_reason])


def is_in(plot: Plot, player: str) -> bool:
    """Whether somebody takes part."""
    member = plot.season.members.get(player)
    return member is not None and not member.leaving_reason and not plot.season.is_over


@stranger
def withdraws_for_another(plot: Plot) -> None:
    """A withdrawal in an entrant's name under a stranger's key."""
    plot.refused(statement=made(plot, victim(plot), WITHDRAW, keys.generate("mallory")))


@stranger
def a_statement_of_another_club(plot: Plot) -> None:
    """What ann has signed for another club's league of the same name."""
    signed = made(plot, HONEST, WITHDRAW, key_of(HONEST), judge=key_of("gm 2").public.fingerprint)
    plot.refused(statement=signed, address="mallory@example.org")


@stranger
def enters_under_a_taken_name(plot: Plot) -> None:
    """A second entry under a name, with a stranger's key and chain."""
    key = keys.generate("mallory")
    anchor = Reveal(f"{HONEST}.1", 0, make_chain("league.cup", f"{HONEST}.1", b"m" * 32).anchor)
    plot.refused(statement=made(plot, HONEST, "enter", key, key=key.public, anchor=anchor))


@stranger
def a_new_key_for_another(plot: Plot) -> None:
    """A key that nobody's old key allows, by mail."""
    who, new = victim(plot), keys.generate("mallory")
    old = keys.parse_public(plot.season.key_of(who)).fingerprint
    signed = made(plot, who, NEW_KEY, new, key=new.public, old=old)
    plot.refused(statement=signed, address="mallory@example.org")


@stranger
def votes_of_a_stranger(plot: Plot) -> None:
    """A vote on the first game of the last round by somebody who is not of the panel."""
    if plot.season.rounds:
        pair = plot.season.rounds[-1].pair(1)
        about, places = (len(plot.season.rounds), 1), tuple((player, 1) for player in pair.players)
        plot.refused(statement=made(plot, "mallory", VOTE, key_of("mallory"), about=about, places=places))


@stranger
def junk_for_a_call(plot: Plot) -> None:
    """Words that nobody has signed, sealed to an entrant's recipient."""
    if plot.season.calls:
        recipient = plot.random.choice(plot.season.calls[-1].opened.seals)[1]
        plot.refused(reply=seal(plot.random.randbytes(plot.random.choice([1, 900])), [recipient]))


@stranger
def a_strangers_file_for_a_call(plot: Plot) -> None:
    """A file in ann's name, well written and signed by another."""
    call = plot.season.call
    if call is not None and HONEST in call.asked:
        plot.world.signs[HONEST] = "mallory"
        forged = plot.world.reply(HONEST, rev=9)
        del plot.world.signs[HONEST]
        plot.refused(reply=forged)


@stranger
def a_foreign_paper(plot: Plot) -> None:
    """A receipt or head of this league, signed by anybody but its judge, among what players kept."""
    signer = key_of(plot.random.choice(["mallory", "gm 2", HOSTILE, HONEST]))
    papers: list[Checkpoint | Receipt] = [
        Checkpoint(game="league.cup", size=plot.random.randint(1, 90), head="a" * 64),
        Receipt(
            game="league.cup",
            exchange=1,
            player=HONEST,
            rev=1,
            sealed="5" * 64,
            number=plot.random.randint(1, 9),
            echo="0" * 64,
        ),
    ]
    paper = plot.random.choice(papers)
    signed = paper.text + ledger.sign_statement(paper, signer)
    cut = signed[: plot.random.choice([len(signed), len(paper.text), 14, 300])]
    plot.held[f"foreign-{len(plot.held)}.txt"] = cut


@entrant
def a_flood_of_absences(plot: Plot) -> None:
    """More than a day takes; the rest is refused."""
    if is_in(plot, HOSTILE):
        first = plot.random.randint(20, 900)
        taken = sum(plot.say(HOSTILE, ABSENT, rounds=(one, one)) for one in range(first, first + 12))
        assert taken <= 8


@entrant
def is_absent(plot: Plot) -> None:
    """In the next round."""
    number = len(plot.season.rounds) + 1
    plot.say(HOSTILE, ABSENT, rounds=(number, number))


@entrant
def appeals(plot: Plot) -> None:
    """Against any entry, also one that is not there yet."""
    book = plot.world.book
    number = plot.random.randint(1, book.size + 3)
    taken = plot.say(HOSTILE, APPEAL, entry=number, reason="it is wrong")
    assert not taken or number <= book.size


@entrant
def challenges_where_there_is_no_ladder(plot: Plot) -> None:
    """Nobody can be challenged here."""
    plot.refused(statement=made(plot, HOSTILE, CHALLENGE, key_of(HOSTILE), of=HONEST))


@entrant
def votes_on_a_game(plot: Plot) -> None:
    """An entrant votes, who is not of the panel."""
    if plot.season.rounds:
        pair = plot.season.rounds[-1].pair(1)
        places = tuple((player, 1 if player == HOSTILE else 2) for player in pair.players)
        if min(place for _, place in places) == 1 and len(places) == 2:
            about = (len(plot.season.rounds), 1)
            plot.refused(
                statement=made(plot, HOSTILE, VOTE, plot.world.key(HOSTILE), about=about, places=places)
            )


@entrant
def offers_to_play_for_who_has_not_left(plot: Plot) -> None:
    """Ann plays, and has no substitute."""
    key = keys.generate("sub")
    anchor = Reveal("sub.1", 0, make_chain("league.cup", "sub.1", b"s" * 32).anchor)
    plot.refused(statement=made(plot, "sub", SUBSTITUTE, key, key=key.public, anchor=anchor, of=HONEST))


@entrant
def a_new_key(plot: Plot) -> None:
    """The old key allows it; the chain goes on, or a new one is named."""
    if not is_in(plot, HOSTILE):
        return
    count = int(plot.world.signs.get(HOSTILE, f"{HOSTILE}.0").rpartition(".")[2]) + 1
    new, old = key_of(f"{HOSTILE}.{count}"), plot.world.key(HOSTILE)
    generation = int(plot.season.keys.chains[HOSTILE].who.rpartition(".")[2]) + 1
    who = f"{HOSTILE}.{generation}"
    anchor = Reveal(who, 0, make_chain("league.cup", who, secret(HOSTILE)).anchor)
    said = Statement(
        league="league.cup",
        player=HOSTILE,
        say=NEW_KEY,
        made=plot.world.clock(),
        **plot.world.which,
        key=new.public,
        old=old.public.fingerprint,
        anchor=anchor if plot.random.random() < 0.5 else None,
    )
    with_key = sign_statement(allowed_by(said, old), new)
    if count > 4:
        plot.refused(statement=with_key)
        return
    assert take_statement(plot.world.club, with_key).is_accepted
    plot.world.signs[HOSTILE] = f"{HOSTILE}.{count}"
    plot.refused(statement=made(plot, HOSTILE, WITHDRAW, old))


@entrant
def a_step_too_early(plot: Plot) -> None:
    """The next call's step, in the file for this one."""
    call = plot.season.call
    if call is not None and HOSTILE in call.asked:
        plot.world.chains = dict(call.chains)
        who = call.chains[HOSTILE]
        step = make_chain("league.cup", who, secret(HOSTILE)).reveal(call.number + 1)
        plot.refused(reply=plot.world.reply(HOSTILE, reveal=Reveal(who, call.number + 1, step), rev=50))


@entrant
def a_step_off_the_chain(plot: Plot) -> None:
    """A share that was never fixed."""
    call = plot.season.call
    if call is not None and HOSTILE in call.asked:
        reveal = Reveal(call.chains[HOSTILE], call.number, "e" * 64)
        plot.refused(reply=plot.world.reply(HOSTILE, reveal=reveal, rev=51))


@entrant
def a_head_that_nobody_has_seen(plot: Plot) -> None:
    """He claims to have seen another ledger, or a longer one."""
    call, book = plot.season.call, plot.world.book
    if call is not None and HOSTILE in call.asked:
        plot.world.chains = dict(call.chains)
        seen = plot.random.choice([Seen(book.size, "b" * 64), Seen(book.size + 40, book.head)])
        plot.refused(reply=plot.world.reply(HOSTILE, seen=seen, rev=52))


@entrant
def many_revisions(plot: Plot) -> None:
    """More files than are taken in one call; what comes too late is kept back."""
    call = plot.season.call
    if call is not None and HOSTILE in call.asked:
        plot.world.chains = dict(call.chains)
        taken = 0
        for rev in range(100, 120):
            taken += take_reply(plot.world.club, plot.world.reply(HOSTILE, rev=rev)).is_accepted
        assert taken <= 16
        plot.kept_back.append(plot.world.reply(HOSTILE, rev=200))


@entrant
def lines_that_are_not_understood(plot: Plot) -> None:
    """A reply with a share, and nonsense or bids of any kind below it."""
    call = plot.season.call
    if call is not None and HOSTILE in call.asked and HOSTILE in call.waiting:
        plot.world.chains = dict(call.chains)
        game = plot.season.rounds[-1].pair(1).game if plot.season.rounds else "cup-r1-1"
        body = plot.random.choice(
            [
                f"bid {game} e99\nbid {game} s1\n",
                "chain x y\n",
                "\N{SNOWMAN}\n" * 30,
                f"chain {game} {'f' * 64}\n",
            ]
        )
        assert take_reply(plot.world.club, plot.world.reply(HOSTILE, body=body, rev=1)).is_accepted


@entrant
def what_was_kept_back(plot: Plot) -> None:
    """Files for calls that are closed."""
    for file in plot.kept_back:
        call = plot.season.call
        if call is None and not plot.season.is_over:
            plot.refused(reply=file)


@entrant
def withdraws(plot: Plot) -> None:
    """In the middle of things; seldom, for then he is out."""
    if plot.random.random() < 0.25 and is_in(plot, HOSTILE):
        assert plot.say(HOSTILE, WITHDRAW)
        assert not plot.say(HOSTILE, ABSENT, rounds=(1, 1))


@entrant
def orders_sealed_as_a_statement(plot: Plot) -> None:
    """A statement's text, changed after it was signed."""
    signed = made(plot, HOSTILE, ABSENT, plot.world.key(HOSTILE), rounds=(901, 901))
    plot.refused(statement=signed.replace(b"901 901", b"902 902"))
