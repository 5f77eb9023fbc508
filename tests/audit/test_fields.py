"""What stands in an entry is of the form that its kind demands: both verifiers see the same."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest

from pbem.audit.bundle import Files as Read
from pbem.audit.evidence import Unreadable, read_log
from pbem.audit.fairness import check_times
from pbem.audit.findings import Findings
from pbem.trust import ledger
from pbem.trust.sealing import seal_key
from tests.audit.script import SCRIPT
from tests.audit.stage import GAME, Files, key_of, write
from tests.trust.stock import finished

NEXT = "    the_keys_are_those_of_the_genesis\n"
"""What follows in the script when the log has been read."""
HASHES = iter(f"{number:064x}" for number in range(1, 1_000))
FREE = {("option", 1), ("option", 2), ("winner", 1)}
"""Word and place of fields that may hold anything; what `over` says is compared with the game."""
MAY_LACK = {
    "recovery",
    "official",
    "rated",
    "mode",
    "option",
    "deadline",
    "person",
    "winner",
    "anchor",
    "consent",
}
"""Lines that may be left out of some entry."""
LATER_CLAIMS = {"reveal", "absent", "die", "rules"}
"""What lines of these are left out or stand twice `pbem audit` finds later than in the log."""


def _print(name: str) -> str:
    return key_of(name).public.fingerprint


def _seal(exchange: int, *names: str) -> str:
    keys = {name: seal_key(bytes(32), GAME, exchange, name).recipient for name in names}
    return "".join(f"seal {name} {recipient}\n" for name, recipient in keys.items())


def _at(day: int, word: str = "at") -> str:
    return f"{word} 2028-02-{day:02d}T18:00:00Z\n"


RULES, LATER, MIX, OTHER_MIX = (next(HASHES) for _ in range(4))
BOTH = f"consent alice {next(HASHES)} 1\nconsent bob {next(HASHES)} 1\nreason as agreed\n"
LEDGER = (
    (
        f"genesis {GAME}\nformat 3\nexchanges 20\nbeacon none\n"
        f"gm {_print('gm')}\nrecovery gm {_print('spare')}\n"
        f"official olga {_print('olga')}\nrated yes\nrules {RULES}\n"
        "mode after-close\noption game hammer\noption bid none\n"
        f"anchor gm.1 0 {next(HASHES)}\nanchor gm-secret.1 0 {next(HASHES)}\n"
        f"commit salt-root {next(HASHES)}\ncommit seal-root {next(HASHES)}\n"
        f"player alice {_print('alice')}\nside alice scotland\nanchor alice.1 0 {next(HASHES)}\n"
        f"recovery alice {_print('alice 2')}\n"
        f"player bob {_print('bob')}\nside bob england\nanchor bob.1 0 {next(HASHES)}\n"
    ),
    f"open 1\nrules {RULES}\n{_seal(1, 'alice', 'bob')}{_at(8, 'deadline')}",
    f"received 1 alice rev 1 sealed {next(HASHES)}\n{_at(1)}",
    f"refused 1 bob 1 sealed {next(HASHES)} wrong-side\n{_at(1)}",
    f"rules {LATER}\n",
    f"extend 1\n{_at(29, 'deadline')}{_at(2)}reason snow\n",
    (
        f"rotate 1 alice {_print('dora')}\n{_at(3)}key {key_of('dora').public.line}\nold {_print('alice')}\n"
        f"anchor alice.2 0 {next(HASHES)}\nrecovery {_print('spare dora')}\nperson dora\n"
        f"consent bob {next(HASHES)} 1\nreason ill\ntext {next(HASHES)}\n"
    ),
    f"act 1 look england\n{_at(3)}reason a question\n",
    f"act 1 hold\n{_at(4)}reason summer\n",
    f"act 1 resume\n{_at(5)}reason autumn\n",
    f"received 1 bob rev 2 sealed {next(HASHES)}\n{_at(5)}",
    f"close 1\n{_at(5)}{_at(9, 'deadline')}",
    f"revealed 1 alice sealed {next(HASHES)}\n{_at(6)}",
    (
        f"resolve 1\nreveal gm.1 1 {next(HASHES)}\nreveal alice.1 1 {next(HASHES)}\nabsent bob.1\nmix {MIX}\n"
        "die 1 6 year-1/muster/die-1 4\ndie 1 20 year-1/muster/die-2 17\n"
    ),
    "draw 1 scotland year-1/cards/card-1 herald\n",
    f"report 1 public {next(HASHES)}\n",
    f"open 2\nrules {LATER}\n{_seal(2, 'alice', 'bob')}{_at(28, 'deadline')}",
    f"act 2 correct 1 bid=S1\n{_at(10)}{BOTH}",
    f"open 3\nagain 1\nrules {LATER}\n",
    f"close 3\n{_at(10)}",
    f"resolve 3\nmix {MIX}\ndie 1 6 year-1/muster/die-1 4\n",
    f"report 3 public {next(HASHES)}\n",
    f"open 4\nrules {LATER}\n{_seal(4, 'alice', 'bob')}{_at(28, 'deadline')}",
    f"act 4 roll-back 4\n{_at(11)}{BOTH}",
    f"open 5\nrules {LATER}\n{_seal(5, 'alice', 'bob')}{_at(28, 'deadline')}",
    f"act 5 go-on rules={OTHER_MIX}\n{_at(11)}{BOTH}",
    f"act 5 concede bob\n{_at(12)}{BOTH}",
    "over 5\nwinner scotland\nreason bob concedes\n",
)
"""An entry of each kind, with each of its lines. Of what is signed nothing is there."""
WRONG = (
    # times: the form, and the calendar
    *((place, "2028-02-08T18:00:00Z", time) for place in (1,) for time in (
        "0", "2028-02-30T18:00:00Z", "2027-02-29T18:00:00Z", "2100-02-29T18:00:00Z", "2028-04-31T18:00:00Z",
        "2028-13-01T18:00:00Z", "2028-00-08T18:00:00Z", "2028-02-00T18:00:00Z", "2028-02-08T24:00:00Z",
        "2028-02-08T18:60:00Z", "2028-02-08T18:00:60Z", "0000-02-08T18:00:00Z", "2028-02-08 18:00:00",
        "2028-02-08T18:00:00+00:00", "2028-02-08T18:00:00Z Z",
    )),
    # numbers
    *((0, "exchanges 20", f"exchanges {number}") for number in ("020", "1", "1001", "+20", "2e1", "20 20")),
    *((2, "rev 1", f"rev {number}") for number in ("0", "01", "1234567890")),
    (13, "die 1 6 year", "die 1 1 year"),
    (13, "die 1 6 year", "die 1 257 year"),
    (13, "die-1 4", "die-1 0"),
    # names, labels, fingerprints, keys
    (0, "olga", "gm"),
    (0, "olga", "Olga"),
    (0, "side bob england", "side bob england england"),
    (0, "side bob", "side carol"),
    (0, "recovery alice", "recovery bob"),
    (0, "anchor bob.1", "anchor bob.2"),
    (0, "option bid none", "option game none"),
    (0, "mode after-close", "mode at-once"),
    (0, "rated yes", "rated no"),
    (0, "commit salt-root", "commit other-root"),
    (0, "SHA256:", "MD5:"),
    (1, "age1", "age2"),
    (13, "year-1/muster/die-1", "year-1//die-1"),
    (13, "year-1/muster/die-1", "year-1/Muster/die-1"),
    (6, "key ssh-ed25519 ", "key ssh-rsa "),
    (6, "person dora", "person public"),
    (6, "anchor alice.2 0", "anchor alice.2 1"),
    # what is done
    (7, "look england", "look"),
    (8, "hold", "hold now"),
    (8, "hold", "wait"),
    (17, "bid=S1", "bid="),
    (17, "bid=S1", "game=S1"),
    (17, "bid=S1", "rules=S1"),
    (17, "bid=S1", "bid=none"),
    (25, "rules=", "bid="),
    (25, OTHER_MIX, LATER),
    # the order of the lines, and what is no line
    (0, "format 3\nexchanges 20\n", "exchanges 20\nformat 3\n"),
    (1, f"rules {RULES}\n", ""),
    (11, _at(5), f"remark before\n{_at(5)}"),
    (5, "reason snow\n", f"reason snow\n{_at(2)}"),
    (11, "close 1\n", "close 1\n\n"),
    (11, "close 1\n", "close 1 \n"),
    (14, LEDGER[14], ""),
    (16, f"rules {LATER}", f"rules {RULES}"),
    (27, "over 5", "over 4"),
    (27, "over 5", "over"),
)  # fmt: skip
"""Entry (from 0), what stands there, and what may not stand there."""


def log(texts: tuple[str, ...]) -> Files:
    """The log of these entries, its salts known to all. A lone surrogate stands for a byte outside UTF-8."""
    files: Files = {"log/leaves": b""}
    for number, text in enumerate(texts, 1):
        salt = f"{number:064x}"
        data = text.encode("utf-8", errors="surrogateescape")
        files["log/leaves"] += f"{number} {ledger.leaf(salt, data)}\n".encode()
        files[f"log/{number:04d}.entry"] = data
        files[f"log/{number:04d}.salt"] = f"{salt}\n".encode()
    return files


def changed(place: int, old: str, new: str) -> tuple[str, ...]:
    """The ledger with something else in one entry."""
    assert old in LEDGER[place]
    return (*LEDGER[:place], LEDGER[place].replace(old, new, 1), *LEDGER[place + 1 :])


def refuted_by_audit(texts: tuple[str, ...]) -> str:
    """Why `pbem audit` does not take the log; "" if it takes it."""
    findings = Findings()
    with contextlib.suppress(Unreadable):
        check_times(read_log(Read(log(texts), ()), findings))
    rules = [row for row in findings.rows if row.state == "refuted"]
    return str(rules[0]) if rules else ""


@pytest.fixture(scope="module")
def refuted_by_script(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[str, ...]], str]:
    """The script as far as it reads the log."""
    script = tmp_path_factory.mktemp("script") / "log.sh"
    text = SCRIPT.read_text(encoding="utf-8")
    assert NEXT in text
    script.write_text(text.replace(NEXT, f"    verdict\n{NEXT}"), encoding="utf-8")

    def refuted(texts: tuple[str, ...]) -> str:
        done = finished("sh", script, write(log(texts), tmp_path_factory.mktemp("log")))
        assert done.returncode in (0, 3), done
        assert not done.stderr, done.stderr
        return "" if done.returncode == 0 else done.stdout.decode()

    return refuted


Script = Callable[[tuple[str, ...]], str]


def ill_formed() -> Iterator[tuple[int, int, str]]:
    """Every field of every line made what none can be; every line longer, said twice, or left out."""
    for place, text in enumerate(LEDGER):
        for number, line in enumerate(text.splitlines()):
            words = line.split(" ")
            is_free = words[0] in ("reason", "winner", "format")
            for field in range(1 if number else 0, 0 if is_free else len(words)):
                if (words[0], field) not in FREE:
                    yield place, number, " ".join([*words[:field], "!", *words[field + 1 :]])
            if not is_free and words[0] != "option":
                yield place, number, f"{line} !"
            if number and not is_free and words[0] not in LATER_CLAIMS:
                yield place, number, f"{line}\n{line}"
                if words[0] not in MAY_LACK:
                    yield place, number, ""


CASES = list(ill_formed())


def test_the_ledger_itself_is_well_formed(refuted_by_script: Script) -> None:
    assert refuted_by_audit(LEDGER) == ""
    assert refuted_by_script(LEDGER) == ""


def test_what_is_not_known_means_nothing(refuted_by_script: Script) -> None:
    """Lines with other words are kept and hashed."""
    texts = tuple(f"{text}remark  of ours\n" for text in LEDGER)
    assert refuted_by_audit(texts) == refuted_by_script(texts) == ""


@pytest.mark.ci
@pytest.mark.parametrize("kind", ["note", "hidden"])
def test_entries_of_other_kinds_stand_where_something_may(refuted_by_script: Script, kind: str) -> None:
    """One may be called as the script calls what it cannot see."""
    for place in range(len(LEDGER) + 1):
        texts = (*LEDGER[:place], f"{kind} 1 hello\n", *LEDGER[place:])
        assert bool(refuted_by_audit(texts)) == bool(refuted_by_script(texts)), place


@pytest.mark.ci
@pytest.mark.parametrize(("place", "old", "new"), WRONG)
def test_neither_takes_what_is_not_of_its_form(
    refuted_by_script: Script, place: int, old: str, new: str
) -> None:
    texts = changed(place, old, new)
    assert refuted_by_script(texts)
    if (place, old) not in ((1, f"rules {RULES}\n"), (16, f"rules {LATER}")):  # audit sees it later
        assert refuted_by_audit(texts)


@pytest.mark.ci
def test_draws_stand_before_reports(refuted_by_script: Script) -> None:
    texts = (*LEDGER[:14], LEDGER[15], LEDGER[14], *LEDGER[16:])
    assert refuted_by_audit(texts)
    assert refuted_by_script(texts)


@pytest.mark.ci
def test_nobody_waits_for_who_has_vanished(refuted_by_script: Script) -> None:
    """Others have given bob's seat away; whose it will be changes the key before it counts."""
    texts = (
        LEDGER[0],
        LEDGER[1],
        LEDGER[2],
        (
            f"rotate 1 bob {_print('carl')}\n{_at(2)}key {key_of('carl').public.line}\nold {_print('bob')}\n"
            f"consent alice {next(HASHES)} 1\nreason ill\ntext {next(HASHES)}\n"
        ),
        f"close 1\n{_at(8)}{_at(9, 'deadline')}",
        f"resolve 1\nreveal gm.1 1 {next(HASHES)}\nabsent alice.1\nabsent bob.1\nmix {MIX}\n",
        f"open 2\nrules {RULES}\n{_seal(2, 'alice', 'bob')}{_at(20, 'deadline')}",
        (
            f"rotate 2 bob {_print('cecil')}\n{_at(10)}key {key_of('cecil').public.line}\n"
            f"old {_print('carl')}\ntext {next(HASHES)}\n"
        ),
        f"received 2 alice rev 1 sealed {next(HASHES)}\n{_at(11)}",
        f"close 2\n{_at(11)}{_at(12, 'deadline')}",
    )
    assert refuted_by_audit(texts) == refuted_by_script(texts) == ""


def with_line(place: int, number: int, line: str) -> tuple[str, ...]:
    """The ledger with another line there; none if it is empty."""
    lines = LEDGER[place].splitlines()
    text = "\n".join([*lines[:number], *([line] if line else []), *lines[number + 1 :]])
    return (*LEDGER[:place], f"{text}\n", *LEDGER[place + 1 :])


@pytest.mark.parametrize(("place", "number", "line"), CASES)
def test_pbem_audit_reads_every_field(place: int, number: int, line: str) -> None:
    assert refuted_by_audit(with_line(place, number, line))


@pytest.mark.parametrize(
    ("place", "number", "line"),
    [
        pytest.param(*case, marks=pytest.mark.ci if place % 10 == 0 else pytest.mark.slow)
        for place, case in enumerate(CASES)
    ],
)
def test_the_script_reads_every_field(refuted_by_script: Script, place: int, number: int, line: str) -> None:
    assert refuted_by_script(with_line(place, number, line))
