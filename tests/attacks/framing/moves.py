"""What strangers and a hostile player send and do. Each takes the arena, and answers nothing.

A stranger knows what is public: recipients, the ledger, sealed files on their way. He also has signed texts
of the hostile player's, who may have given them away. The player has his key and chain as well. The judge has
to live with whatever comes; only an error that he tells a person (PbemError) may come of an act.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from pbem.errors import PbemError
from pbem.judge import acts
from pbem.judge.intake.consents import take_consent
from pbem.judge.new_keys import rotate
from pbem.judge.tables.note_tables import FOR_GM
from pbem.trust import keys, sealing, signature
from pbem.trust.chance import Reveal
from pbem.trust.identifiers import Namespace
from pbem.trust.ledger import Checkpoint, sign_statement
from pbem.trust.orderfile import OrderFile, Seen
from pbem.trust.press import GM, GREY, PRESS_UNIT, WHITE
from pbem.trust.sealing import seal, to_armor
from pbem.trust.signature import sign_text
from pbem.trust.times import utc_text
from tests.attacks.framing.arena import HONEST, HOSTILE, Arena
from tests.judge.press import message_of, sealed_message
from tests.judge.table import GAME, SEATS
from tests.trust.envelopes import sealed_by_hand, sealed_for_two
from tests.trust.sealed import seal_orders

Move = Callable[[Arena], None]
STRANGERS: dict[str, Move] = {}
PLAYERS: dict[str, Move] = {}

WORDS = ("Peace?\n", "Peace <b>bold</b>\n", "pbem1 press\ngame demo\n", "Peace " * 2_000 + "\n", "\n")

ORDER_OF_THE_CURVE = 2**252 + 27742317777372353535851937790883648493


def stranger(move: Move) -> Move:
    """Anybody can do this."""
    STRANGERS[move.__name__] = move
    return move


def player(move: Move) -> Move:
    """A player can do this."""
    PLAYERS[move.__name__] = move
    return move


def _recipients(arena: Arena, exchange: int = 0) -> dict[str, str]:
    exchanges = arena.book.history.exchanges
    return exchanges[(exchange or len(exchanges)) - 1].seals or exchanges[0].seals


def _any_recipient(arena: Arena) -> str:
    exchanges = arena.book.history.exchanges
    number = arena.random.randint(max(1, len(exchanges) - 4), len(exchanges))
    recipients = _recipients(arena, number)
    return recipients[arena.random.choice(sorted(recipients))]


def _signed(arena: Arena, text: bytes, key: keys.PrivateKey | None = None) -> bytes:
    return signature.sign_text(key or arena.key(HOSTILE), Namespace.ORDERS, text)


def _wrong(arena: Arena, name: str) -> OrderFile:
    """Orders with something changed, or nothing."""
    orders, random = arena.orders(name, _body(arena)), arena.random
    book, number, chain = arena.book, arena.exchange, arena.people[name].chain
    changes: list[dict[str, object]] = [
        {},
        {"side": random.choice(["scotland", "england", "france"])},
        {"rev": random.choice([1, 2, 3, 7, 999_999_999])},
        {"seal": _any_recipient(arena)},
        {"seen": None},
        {"seen": Seen(0, "0" * 64)},
        {"seen": Seen(random.randint(0, book.size + 30), random.choice([book.head, "a" * 64]))},
        {"seen": Seen(size := random.randint(1, book.size), book.head_at(size) or "")},
        {"reveal": None},
        {"reveal": Reveal(f"{name}.1", number, chain.reveal(number))},
        {"reveal": Reveal(f"{name}.1", number + 1, chain.reveal(number + 1))},
        {"reveal": Reveal(f"{name}.1", number, "c" * 64)},
        {"reveal": Reveal(f"{name}.2", number, chain.reveal(number))},
        {"exchange": max(1, number - random.randint(1, 5))},
        {"exchange": number + 1},
        {"player": HONEST, "reveal": None},
        {"game": "another"},
    ]
    for change in random.sample(changes, random.choice([1, 1, 1, 2])):
        orders = replace(orders, **change)  # type: ignore[arg-type]
    return orders


def _body(arena: Arena) -> str:
    return arena.random.choice(
        [
            "",
            "card 1\nmove none\n",
            "move all from Fife to Mentieth\n",
            "---\nseen 1 a\n---\n",
            "-----END SSH SIGNATURE-----\n",
            " -----BEGIN SSH SIGNATURE-----\n",
            "x" * 9_000 + "\n",
            "move \u00e9\u2028\x0b\x0c\x85 none\r\n\r\r\n\ufeff\n",
            "if " * 4_000 + "\n",
            "plan any:\n" + "  if they have wallace\n" * 300,
            "\x1b[2J\x07\n\t\t\n",
        ]
    )


# What anybody can send


@stranger
def forged_for_two(arena: Arena) -> None:
    """Orders in a player's name, signed with a key of the stranger's, sealed to both players (finding 1)."""
    forged = arena.orders(arena.random.choice(list(SEATS))).text
    to = list(_recipients(arena).values())
    arena.random.shuffle(to)
    arena.deliver(seal(_signed(arena, forged, keys.generate("stranger")), to))


@stranger
def junk_for_a_player(arena: Arena) -> None:
    """Anything at all, sealed to a recipient that all know (finding 5)."""
    sizes = [0, 1, 5, 700, 20_000, 33_000, 60_000]
    for _ in range(arena.random.choice([1, 3, 20])):
        text = arena.random.randbytes(arena.random.choice(sizes))
        arena.deliver(seal(text, [_any_recipient(arena)]))


@stranger
def forged_alone(arena: Arena) -> None:
    """Orders in the honest player's name, signed by a stranger."""
    forged = arena.orders(HONEST).text
    arena.deliver(seal(_signed(arena, forged, keys.generate("stranger")), [_recipients(arena)[HONEST]]))


@stranger
def one_line_for_two(arena: Arena) -> None:
    """A recipient line that two seal keys unwrap."""
    to = list(_recipients(arena).values())
    arena.random.shuffle(to)
    arena.deliver(sealed_for_two(arena.orders(HOSTILE).text, *to[:2]))


@stranger
def seen_again(arena: Arena) -> None:
    """A file that was seen on its way, again: as it was, armored, cut or changed."""
    if not arena.seen_files:
        return
    file = bytearray(arena.random.choice(arena.seen_files))
    match arena.random.randrange(4):
        case 0:
            arena.deliver(to_armor(bytes(file)).encode())
        case 1:
            arena.deliver(bytes(file[: arena.random.randrange(len(file))]))
        case 2:
            file[arena.random.randrange(len(file))] ^= 1 << arena.random.randrange(8)
            arena.deliver(bytes(file))
        case _:
            arena.deliver(bytes(file) + b"\n")


@stranger
def a_text_sealed_anew(arena: Arena) -> None:
    """A text that the hostile player has signed, sealed anew to any key, many times."""
    if arena.seen_texts:
        for _ in range(arena.random.choice([1, 2, 20])):
            arena.deliver(seal(arena.random.choice(arena.seen_texts), [_any_recipient(arena)]))


@stranger
def a_forged_new_key(arena: Arena) -> None:
    """A new key for a seat that its player has not signed, or not as he has to."""
    by = arena.random.choice([None, keys.generate("stranger"), arena.key(HOSTILE), *arena.old_keys])
    with suppress(PbemError):
        rotate(arena.club, arena.rotation(HONEST, by, keys.generate("new")))


@stranger
def a_forged_consent(arena: Arena) -> None:
    """Consents to an act, of which one is not the other player's."""
    said = arena.random.choice(
        ["agree-draw", f"roll-back {arena.exchange}", f"concede {HONEST}", "correct 1 bid=S1"]
    )
    forged = arena.consent(said, HONEST, keys.generate("stranger"))
    given = [arena.consent(said, HOSTILE, arena.key(HOSTILE)), forged]
    with suppress(PbemError):
        acts.act(arena.club, GAME, *said.split(), reason="as agreed", consents=given)
        raise AssertionError("the act was done")


@stranger
def a_head_by_mail(arena: Arena) -> None:
    """A head of the judge's own, which is in his ledger; or one that he has not signed, or not so."""
    signed = arena.club.store.checkpoints(GAME)
    row, book = arena.random.choice(signed), arena.book
    longer = Checkpoint(game=GAME, size=book.size + arena.random.randint(0, 9), head="ab" * 32)
    by = arena.random.choice([keys.generate("stranger"), arena.people[HOSTILE].key, *arena.old_keys])
    arena.mail_in(
        arena.random.choice(
            [
                Checkpoint(game=GAME, size=row.size, head=row.head).text + row.signature,
                longer.text + row.signature,
                longer.text + sign_statement(longer, by),
                longer.text,
            ]
        )
    )


@stranger
def a_message_in_anothers_name(arena: Arena) -> None:
    """A message of the honest player's that a stranger has signed, or the hostile player with their key."""
    by = arena.random.choice([keys.generate("stranger"), arena.key(HOSTILE), *arena.old_keys])
    before = len(arena.club.store.notes(FOR_GM))
    arena.deliver(sealed_message(arena, message_of(arena, HONEST, GM), by))
    assert len(arena.club.store.notes(FOR_GM)) == before, "it was passed on"


@stranger
def a_forged_consent_to_more_time(arena: Arena) -> None:
    """The hostile player asks for any time, and a stranger signs for the others."""
    exchange = arena.book.history.exchanges[-1]
    if exchange.deadline is None:
        return
    agreed = len([one for one in exchange.extended if one.consents])
    later = exchange.deadline + timedelta(days=arena.random.choice([-1, 0, 1, 2, 3, 400]))
    said = f"extend {utc_text(later)}"
    for name in sorted(arena.people):
        key = arena.key(name) if name == HOSTILE else keys.generate("stranger")
        with suppress(PbemError), arena.club.store.step():
            take_consent(arena.club, arena.consent(said, name, key))
    assert agreed == len([one for one in arena.book.history.exchanges[-1].extended if one.consents])


# What a player can send besides


@player
def odd_messages(arena: Arena) -> None:
    """Messages to the others and to nobody, also with what nobody's program writes; many, and twice."""
    before = arena.book.size
    for _ in range(arena.random.choice([1, 1, 3, 40])):
        to = arena.random.choice([HONEST, "all", GM, "nobody", f"{HONEST} {HOSTILE}"])
        kind = arena.random.choice([WHITE, GREY])
        number = arena.random.randint(1, 99)
        message = message_of(arena, HOSTILE, to, arena.random.choice(WORDS), number=number, kind=kind)
        text = sign_text(arena.key(HOSTILE), Namespace.PRESS, message.body)
        text = text.replace(b"Peace", arena.random.choice([b"Peace", b"Peace", b"Pe\x1b[2J", b"\xff"]))
        size = arena.random.choice([PRESS_UNIT, PRESS_UNIT, PRESS_UNIT - 1, 2 * PRESS_UNIT])
        sealed = seal(text.ljust(size, b"\0")[:size], [arena.club.key.public])
        for _ in range(arena.random.choice([1, 2])):
            arena.deliver(sealed)
    assert arena.book.size == before, "no message enters the ledger"


@player
def orders_with_something_wrong(arena: Arena) -> None:
    """His own file, of which something is not as it must be, or is."""
    orders = _wrong(arena, HOSTILE)
    text = _signed(arena, orders.text)
    arena.seen_texts.append(text)
    arena.deliver(seal(text, [_recipients(arena)[HOSTILE]]))


@player
def valid_for_two(arena: Arena) -> None:
    """Good orders, sealed to both players' keys at once (finding 2)."""
    orders = arena.orders(HOSTILE, rev=arena.random.randint(1, 9))
    to = list(_recipients(arena).values())
    arena.random.shuffle(to)
    arena.deliver(seal(_signed(arena, orders.text), to))


@player
def odd_envelope(arena: Arena) -> None:
    """Good orders in a file that pyrage opens and age does not, or the other way round (finding 3)."""
    full = b"A" * 64 + b"\n"
    odd = arena.random.choice(
        [
            {"after": [b"-> x-grease\n" + full]},
            {"after": [b"-> x-grease\n" + full + b"\n"]},
            {"after": [b"-> x-grease a b\nAB\n"]},
            {"after": [b"-> x-grease\n\n", b"-> y-grease\n\n"]},
            {"before": [b"-> x-grease\n\n"]},
            {"after": [b"-> ssh-ed25519 AAAA " + b"A" * 43 + b"\n" + b"A" * 43 + b"\n"]},
            {"after": [b"-> piv-p256 AAAA\n\n"]},
            {"empty_chunk": True},
        ]
    )
    text = _signed(arena, arena.orders(HOSTILE, rev=arena.random.randint(1, 9)).text)
    arena.deliver(sealed_by_hand(text, _recipients(arena)[HOSTILE], **odd))  # type: ignore[arg-type]


@player
def odd_signature(arena: Arena) -> None:
    """Good orders with a signature that one reader cuts otherwise than another (finding 3)."""
    body = arena.orders(HOSTILE, _body(arena), rev=arena.random.randint(1, 9)).text
    good = _signed(arena, body).removeprefix(body)
    begin = signature.BEGIN
    odd = arena.random.choice(
        [
            good + b"\n\r\r\n",
            good + b"\r\n\n",
            good.replace(b"\n", b"\r\n"),
            good.replace(begin, begin + b"\r", 1),
            good.replace(begin, begin + b" ", 1),
            good[:-1],
            good + good,
            good + b"\n" * 5,
            good + b"\0" * 10,
            begin + b"\n" + good,
            good.replace(b"\n-----END", b"\n\n-----END"),
            _malleable(good),
            signature.sign(arena.key(HOSTILE), Namespace.ROTATE, body),
        ]
    )
    arena.deliver(seal(body + odd, [_recipients(arena)[HOSTILE]]))


def _malleable(armor: bytes) -> bytes:
    """The signature with the order of the curve added to it, which ssh-keygen takes for the same."""
    parsed = signature.parse(armor)
    number = int.from_bytes(parsed.raw[32:], "little") + ORDER_OF_THE_CURVE
    raw = parsed.raw[:32] + number.to_bytes(32, "little")
    return signature._armor(parsed.key, parsed.namespace.encode(), parsed.hash_name.encode(), raw)


@player
def odd_text(arena: Arena) -> None:
    """Good orders whose head or body is written as nobody's program writes it."""
    text = arena.orders(HOSTILE, _body(arena), rev=arena.random.randint(1, 9)).text
    first, *head = text.partition(b"---\n")[0].splitlines(keepends=True)
    rest = text[text.index(b"---\n") :]
    odd = arena.random.choice(
        [
            text.replace(b"\n", b"\r\n"),
            text.replace(b"\n", b"\r\n", 3),
            first + b"".join(reversed(head)) + rest,
            text.replace(b"side ", b"side  "),
            text.replace(b"rev ", b"rev 0"),
            text.replace(b"rev ", b"rev 1000000000"),
            first + head[0] + b"".join(head) + rest,
            b"\xef\xbb\xbf" + text,
            text + b"\xff\xfe\n",
            text + b"\0\n",
            text.replace(b"---\n", b"--- \n", 1),
            text.replace(b"---\n", b"", 1),
            b"pbem1 orders\r\r\n" + text.partition(b"\n")[2],
            text + b"y\n" * 15_000,
        ]
    )
    arena.deliver(seal(_signed(arena, odd), [_recipients(arena)[HOSTILE]]))


@player
def many_revisions(arena: Arena) -> None:
    """More revisions than anybody needs, as large as they can be (finding 4)."""
    start = arena.random.randint(1, 50)
    for rev in range(start, start + arena.random.choice([3, 20])):
        orders = arena.orders(HOSTILE, "x" * arena.random.choice([10, 26_000]) + "\n", rev=rev)
        arena.deliver(seal_orders(orders, arena.key(HOSTILE)))


@player
def late_orders(arena: Arena) -> None:
    """Orders for an exchange that is closed, good otherwise, or not."""
    number = max(1, arena.exchange - arena.random.randint(1, 4))
    if not (recipient := arena.book.history.exchanges[number - 1].seals.get(HOSTILE)):
        return
    for rev in range(90, 90 + arena.random.choice([1, 2, 20])):
        orders = replace(arena.orders(HOSTILE, rev=rev), exchange=number, seal=recipient)
        key = arena.random.choice([arena.key(HOSTILE), *arena.old_keys])
        text = _signed(arena, orders.text, key)
        arena.seen_texts.append(text)
        arena.deliver(seal(text, [recipient]))


@player
def another_key(arena: Arena) -> None:
    """Orders signed with a key of before, or of afterwards."""
    _, later = arena.new_keys.get(HOSTILE, (0, keys.generate("other")))
    key = arena.random.choice([*arena.old_keys, later, arena.spares[HOSTILE]])
    arena.deliver(seal_orders(arena.orders(HOSTILE), key))


@player
def odd_reveals(arena: Arena) -> None:
    """Reveals before the close, for another exchange, of another step, twice."""
    number, chain = arena.exchange, arena.people[HOSTILE].chain
    changes: list[dict[str, object]] = [
        {},
        {"reveal": Reveal(f"{HOSTILE}.1", number, "d" * 64)},
        {"reveal": Reveal(f"{HOSTILE}.1", number + 1, chain.reveal(number + 1))},
        {"seen": Seen(1, arena.book.head_at(1) or "")},
        {"seen": Seen(arena.book.size + 5, "e" * 64)},
        {"exchange": number + 1},
    ]
    for _ in range(arena.random.choice([1, 2])):
        arena.deliver(arena.late_reveal(HOSTILE, **arena.random.choice(changes)))


@player
def a_new_key(arena: Arena) -> None:
    """New keys, one after the other, with what may and may not stand in them."""
    extra: list[dict[str, object]] = [
        {},
        {"recovery": keys.generate("r").public.fingerprint},
        {"person": "carol"},
        {"exchange": arena.exchange + 1},
        {"old": keys.generate("o").public.fingerprint},
        {"anchor": Reveal(f"{HOSTILE}.3", 0, "f" * 64)},
    ]
    for _ in range(arena.random.choice([1, 4])):
        change = arena.random.choice(extra)
        with suppress(PbemError):
            if not change:
                arena.rotate(HOSTILE)
            else:
                new = keys.generate("n")
                rotate(arena.club, arena.rotation(HOSTILE, arena.key(HOSTILE), new, **change))


@player
def orders_for_the_other(arena: Arena) -> None:
    """His own good text, sealed to the honest player's key."""
    text = _signed(arena, _wrong(arena, HOSTILE).text)
    arena.deliver(seal(text, [_recipients(arena)[HONEST]]))


@player
def too_large(arena: Arena) -> None:
    """A file just within, and just beyond, what is taken."""
    text = _signed(arena, arena.orders(HOSTILE, rev=arena.random.randint(1, 9)).text)
    size = sealing.MAX_ORDERS_SIZE + arena.random.choice([-1, 0, 1])
    arena.deliver(seal(text + b"\n" * (size - len(text)), [_recipients(arena)[HOSTILE]]))
