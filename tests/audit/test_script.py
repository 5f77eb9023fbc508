"""The script reads what the audit reads: text as text, order files to the byte; and prints nothing raw."""

from __future__ import annotations

import ast
import contextlib
import inspect
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import tests.audit.stage
from pbem.audit import audit, evidence, fairness, game, orders, papers, replay
from pbem.trust import sealing
from pbem.trust.identifiers import Namespace
from pbem.trust.proof import SHARES, STEPS
from tests.audit.attack import Scene
from tests.audit.script import ALONE, SCRIPT, verify_sh
from tests.audit.stage import SEATS, Files, Stage, chain_of, key_of, write

PAIRS = (("7", "07"), ("10", "1e1"), ("1", "0x1"))
BARE = re.compile(r"(==|!=)")
LITERAL = re.compile(r'"|-?\d')
NUMBER_OR_TEXT = re.compile(r"\+ 0\)?$")


@pytest.fixture(params=PAIRS, ids="-".join)
def renamed(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, fresh: Callable[..., Stage]
) -> Stage:
    """A game whose players bear such names."""
    monkeypatch.setattr(tests.audit.stage, "SEATS", dict(zip(request.param, SEATS.values(), strict=True)))
    return fresh()


def judged(files: Files, folder: Path) -> tuple[bool, bool, str]:
    """Does the audit refute it, does the script, and what does the script print?"""
    bundle = write(files, folder)
    status, printed = verify_sh(bundle)
    assert status in (0, 3), printed
    return audit(bundle).is_refuted, status == 3, printed


@pytest.mark.ci
def test_players_whose_names_are_one_number_are_two(renamed: Stage, folder: Callable[[], Path]) -> None:
    stage = renamed
    first, second = stage.people
    stage.go()
    keys = {name: person.key for name, person in stage.people.items()}
    stage.rotate(first, key_of("new"), keys[first], key_of("new"))
    zero = key_of("zero")
    stage.rotate(second, zero, None, zero, chain=chain_of(f"{second}.2"), person="0", **{first: keys[first]})  # type: ignore[arg-type]
    for _ in range(3):
        stage.go()
    stage.send(first)
    assert judged(stage.bundle(), folder())[:2] == (False, False)


@pytest.mark.ci
def test_a_claim_without_the_consent_of_a_player_of_the_same_number(
    renamed: Stage, folder: Callable[[], Path]
) -> None:
    stage = renamed
    silent, other = stage.people
    for _ in range(3):
        stage.send(other)
        stage.wait(8)
        if stage.exchange < 3:
            stage.resolve()
    stage.act("claim", silent)
    audit_refutes, script_refutes, printed = judged(stage.bundle(), folder())
    assert audit_refutes
    assert script_refutes
    assert "claim lacks consent" in printed


BYTES = {
    "a tab in the head": (b"rev 1\n", b"rev\t1\n", "no place for"),
    "a second blank": (b"rev 1\n", b"rev  1\n", "rev"),
    "byte 0": (b"move none", b"move\0none", "byte 0"),
    "broken utf-8": (b"move none", b"move \xc3none", "not utf-8 text"),
    "utf-8 that is longer than need be": (b"move none", b"move \xc0\xafnone", "not utf-8 text"),
    "half a pair": (b"move none", b"move \xed\xa0\x80none", "not utf-8 text"),
    "what is utf-8": (b"move none", "move none # “Ł” 🂡".encode(), ""),
}


@pytest.mark.ci
@pytest.mark.parametrize("what", BYTES)
def test_the_bytes_of_an_order_file(
    fresh: Callable[..., Stage], folder: Callable[[], Path], what: str
) -> None:
    old, new, fault = BYTES[what]
    stage = fresh()
    stage.go()
    stage.go()
    orders = stage.order_file("alice", "move none\n")
    text = orders.text.replace(old, new)
    assert text != orders.text
    key = stage.people["alice"].key
    stage.take_in(
        orders, sealing.seal_signed(text, key, Namespace.ORDERS, [orders.seal], sealing.ORDERS_UNIT)
    )
    stage.send("bob")
    stage.resolve()
    audit_refutes, script_refutes, printed = judged(stage.bundle(), folder())
    assert (audit_refutes, script_refutes) == (bool(fault), bool(fault)), printed
    assert not fault or fault in next(line for line in printed.splitlines() if line.startswith("refuted"))


@pytest.mark.ci
def test_nothing_that_a_name_holds_reaches_the_terminal(scene: Scene, folder: Callable[[], Path]) -> None:
    held = folder()
    held.mkdir(parents=True, exist_ok=True)
    raw = "a\x1b[1A\nproven everything\x07.txt"
    (held / raw).write_text("pbem1 receipt\ngame hearth\nplayer alice\nexchange 1\n")
    status, printed = verify_sh(write(scene.earlier, folder()), "", held)
    assert status == 0
    assert "proves nothing" in printed
    assert re.fullmatch(r"[ -~\n]*", printed)
    assert not any(line.startswith("proven everything") for line in printed.splitlines())


@pytest.mark.ci
def test_without_the_tools_of_one_maker_it_says_the_same(scene: Scene, folder: Callable[[], Path]) -> None:
    tools = folder()
    tools.mkdir(parents=True, exist_ok=True)
    names = "sh awk sed grep sort uniq cmp wc tr cat paste xargs mktemp mkdir rm cp head printf mkfifo yes"
    for name in [*names.split(), "sha256sum", "openssl", "ssh-keygen", "age", "age-keygen"]:
        found = shutil.which(name)
        assert found is not None
        (tools / name).symlink_to(found)
    bundle = write(scene.earlier, folder())
    said = verify_sh(bundle)
    bare = subprocess.run(
        ["sh", SCRIPT, bundle], env={"PATH": str(tools)}, capture_output=True, check=False, timeout=120
    )
    assert (bare.returncode, (bare.stdout + bare.stderr).decode()) == said


@pytest.mark.ci
@pytest.mark.skipif(shutil.which("busybox") is None, reason="busybox is not installed")
@pytest.mark.parametrize("leave_out", ["", "keys/exchange-", "log/"])
def test_by_another_awk_it_says_the_same(scene: Scene, folder: Callable[[], Path], leave_out: str) -> None:
    """To that of busybox 0010 is eight and 08 nothing, and it has functions of its own, as gawk has."""
    tools = folder()
    tools.mkdir(parents=True, exist_ok=True)
    awk = tools / "awk"
    awk.write_text('#!/bin/sh\nexec busybox awk "$@"\n')
    awk.chmod(0o755)
    whole = scene.interrupted.bundle()
    gone = {
        name for name in whole if leave_out and name.startswith(leave_out) and not name.endswith(".entry")
    }
    bundle = write({name: whole[name] for name in whole if name not in gone - {"log/leaves"}}, folder())
    searched = f"{tools}{os.pathsep}{os.environ['PATH']}"
    other = subprocess.run(
        ["sh", SCRIPT, bundle], env={**os.environ, "PATH": searched}, capture_output=True, check=False
    )
    assert verify_sh(bundle)[0] == 0
    assert (other.returncode, (other.stdout + other.stderr).decode()) == verify_sh(bundle)


def test_no_function_of_the_script_has_the_name_of_one_that_another_awk_has() -> None:
    """Where it had, that program did not run at all, and what it should have found was not looked at."""
    theirs = (
        "and or xor compl lshift rshift strtonum gensub asort asorti systime mktime strftime tolower toupper"
    )
    named = set(re.findall(r"function ([a-z_]+)\(", SCRIPT.read_text(encoding="utf-8")))
    assert len(named) > 20
    assert named & {*theirs.split()} == set()


@pytest.mark.ci
def test_it_leaves_no_process_behind(folder: Callable[[], Path]) -> None:
    """Even where it ends before the process that hashes for it has begun to wait for its first message."""
    tools, empty = folder(), folder()
    for path in (tools, empty):
        path.mkdir(parents=True, exist_ok=True)
    slow = tools / "sha256sum"
    slow.write_text(f'#!/bin/sh\n[ "$1" = message ] && sleep 0.2\nexec {shutil.which("sha256sum")} "$@"\n')
    slow.chmod(0o755)
    searched = f"{tools}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.Popen(
        ["sh", SCRIPT, empty],
        env={**os.environ, "PATH": searched},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    printed, _ = done.communicate(timeout=60)
    assert done.returncode == 4, printed  # nothing is in the bundle
    with pytest.raises(ProcessLookupError):
        os.killpg(done.pid, signal.SIGKILL)


def living(group: int) -> list[str]:
    """The processes of a group that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, _, rest = path.read_text().rpartition(") ")
            state, _, of_group = rest.split()[:3]
            found += [name] if int(of_group) == group and state not in "ZX" else []
    return found


@pytest.mark.ci
def test_it_ends_when_it_is_stopped(scene: Scene, folder: Callable[[], Path]) -> None:
    """Also if the process that hashes for it has been stopped with it, as by a service that is stopped."""
    tools = folder()
    tools.mkdir(parents=True, exist_ok=True)
    os.mkfifo(tools / "begun")
    slow = tools / "ssh-keygen"
    slow.write_text(f"#!/bin/sh\necho now >{tools}/begun\nexec sleep 600\n")
    slow.chmod(0o755)
    searched = f"{tools}{os.pathsep}{os.environ['PATH']}"
    bundle = write(scene.earlier, folder())
    running = subprocess.Popen(
        ["sh", SCRIPT, bundle],
        env={**os.environ, "PATH": searched, "TMPDIR": str(tools)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert (tools / "begun").read_text() == "now\n"  # it waits for a signature
    os.killpg(running.pid, signal.SIGTERM)
    try:
        assert running.wait(timeout=60) == 2
        latest = time.monotonic() + 30
        while living(running.pid) and time.monotonic() < latest:
            pass  # the last ones are ending
        assert living(running.pid) == []
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
    assert {path.name for path in tools.iterdir()} == {"begun", "ssh-keygen"}  # no temporary files


def bare_comparisons(script: str) -> list[str]:
    """Comparisons in awk of two things of which neither is written as a text or a number.

    Either may then be taken for a number because it looks like one. Tests of the shell compare texts anyhow.
    """
    found = []
    for number, line in enumerate(script.splitlines(), 1):
        code = line.split("    #")[0]
        for match in [] if code.lstrip().startswith("#") else BARE.finditer(code):
            before, after = code[: match.start()].rstrip(), code[match.end() :].lstrip()
            shell = re.search(r"\[ [^|&]*$", before) and " ]" in after
            literal = before.endswith('"') or LITERAL.match(after) or NUMBER_OR_TEXT.search(before)
            if not shell and not literal:
                found.append(f"{number}: {line.strip()}")
    return found


def test_the_script_says_of_each_comparison_whether_it_is_of_texts_or_of_numbers() -> None:
    assert bare_comparisons('{ if ($6 == name) print }\n[ "$a" = "$b" ]\n') == [
        "1: { if ($6 == name) print }"
    ]
    assert bare_comparisons('$1 == "open" && $6 "" == name "" && $3 + 0 == n + 0 { print }') == []
    assert bare_comparisons(SCRIPT.read_text()) == []


def functions_of(script: str) -> dict[str, str]:
    """Name -> body, in their order."""
    return dict(re.findall(r"^(\w+)\(\) \{(?: #[^\n]*)?\n(.*?)^\}$", script, re.DOTALL | re.MULTILINE))


def contents_of(script: str) -> list[str]:
    """The functions that the contents name."""
    return re.findall(
        r"^    (?!go_on$|verdict$)(\w+)$", functions_of(script)["check_the_bundle"], re.MULTILINE
    )


SAID = re.compile(
    r"""(?:^ +|; |then |else |\|\| )(?:(?:claim|open) |(?:what|agrees)=)"""
    r"""(?:'([^']+)'|"([^"$][^"]+|\$bundle_is[^"]+)")""",
    re.MULTILINE,
)
"""A claim where it is printed, or kept to be printed in one of two ways."""


def claims_in(body: str) -> set[str]:
    """The claims that a function of the script prints, with {} for what is filled in."""
    found = {one or other for one, other in SAID.findall(body)}
    return {re.sub(r"(\$\w+)+", "{}", one) for one in found}


def misnamed(script: str) -> list[str]:
    """What one does not find by the contents: what prints no claim of its name, or stands out of order."""
    functions, contents = functions_of(script), contents_of(script)
    found = [] if contents == [name for name in functions if name in contents] else ["another order"]
    for name in contents:
        said = re.sub(
            r"'s\b", "s", " ".join(claims_in(functions[name])).replace("{} holds", "the bundle holds")
        )
        if not name.startswith("prepare_") and name not in re.sub(r"\W+", "_", said):
            found.append(f"{name} prints no such claim")
    claiming = [name for name, body in functions.items() if claims_in(body) and name != "leave_the_rest"]
    return found + [f"{name} is not in the contents" for name in claiming if name not in contents]


OF_GAMES = (replay, evidence, fairness, game, papers, orders, replay)
"""The modules of the audit of a game."""


def claims_of_the_audit() -> set[str]:
    """All that an audit of a game can print, with {} for what is filled in."""
    found = {STEPS, SHARES}  # these are claimed in a loop
    for module in OF_GAMES:
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "claim"
            ):
                match node.args[0]:
                    case ast.Constant(value=str() as text):
                        found.add(text)
                    case ast.JoinedStr(values=parts):
                        texts = [part.value if isinstance(part, ast.Constant) else "{}" for part in parts]
                        found.add(re.sub(r"(\{\})+", "{}", "".join(map(str, texts))))
                    case ast.Name(id=name) if name.isupper():
                        found.add(getattr(module, name))
    return found


def other_words(script: str) -> list[str]:
    """The claims of the script that are none of the audit's, and do not say at their place why."""
    theirs, found = claims_of_the_audit(), []
    for name, body in functions_of(script).items():
        told = re.search(rf"^{name}\(\) \{{ # the audit says", script, re.MULTILINE)
        found += [one for one in claims_in(body) - theirs if one not in ALONE or not told]
    return sorted(found)


@pytest.mark.ci
def test_every_claim_of_the_script_is_worded_as_the_audit_words_it() -> None:
    script = SCRIPT.read_text()
    printed = set[str]().union(*map(claims_in, functions_of(script).values()))
    assert len(printed) >= len(contents_of(script)) - 3, "three make ready what is looked at"
    assert printed >= ALONE
    assert other_words(script) == []
    claim, own = "every order file is opened", min(ALONE)
    assert other_words(script.replace(f"'{claim}'", "'all is opened'")) == ["all is opened"]
    assert other_words(script.replace(own, f"{own} once")) == [f"{own} once"]
    assert other_words(script.replace(" { # the audit says", " { # it says")) == sorted(ALONE)


@pytest.mark.ci
@pytest.mark.parametrize("audience", ["public", "scotland", "all"])
@pytest.mark.parametrize("played", ["skirmish", "finished", "late", "interrupted", "corrected"])
def test_a_claim_stands_with_the_script_as_it_stands_with_the_audit(
    scene: Scene, folder: Callable[[], Path], played: str, audience: str
) -> None:
    stage = getattr(scene, played)
    bundle, held = write(stage.bundle(audience), folder()), write(stage.held, folder())
    rows = audit(bundle, stage.genesis, held).rows
    theirs = tuple(f"{row.state:<8} {row.claim}" for row in rows if row.claim != replay.ALIKE)
    _, printed = verify_sh(bundle, stage.genesis, held)
    ours = [
        line for line in printed.splitlines() if line.startswith(("proven ", "open ", "missing ", "refuted "))
    ]
    assert len(ours) > 20
    own = [line for line in ours if not line.startswith(theirs)]
    assert [one for one in own if one[9:].partition(": ")[0] not in {replay.ALIKE, *ALONE}] == []
    assert f"open     {replay.ALIKE}: nothing is played here" in printed


def test_a_sceptic_finds_by_the_contents_of_the_script_what_looks_at_a_claim() -> None:
    contents = (
        "check_the_bundle() {\n    # one\n    a_is_b\n    go_on\n    prepare_c\n    bs_c\n    verdict\n}\n"
    )
    first, second = "a_is_b() {\n    claim 'a is b'\n}\n", 'bs_c() {\n    claim "b\'s c"\n}\n'
    ready = "prepare_c() {\n    :\n}\n"
    assert misnamed(contents + first + ready + second) == []
    assert misnamed(contents + ready + first + second) == ["another order"]
    assert misnamed(contents + first.replace("is b'", "is c'") + ready + second) == [
        "a_is_b prints no such claim"
    ]
    assert misnamed(contents + first + "d() {\n    claim 'd'\n}\n" + ready + second) == [
        "d is not in the contents"
    ]
    assert misnamed(SCRIPT.read_text()) == []
