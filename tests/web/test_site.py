"""The site: the same bytes twice, what it holds and what it leaves out, and its primitives."""

import base64
import hashlib
import json
import re
import socket
import subprocess
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.trust import keys, primitives
from pbem.trust.faults import OrderFileFault
from pbem.web.build import BUNDLE, POLICY, SITE, SUMS, WORKER, SiteHandler, bundle, policy_with
from tests.web.node import python_of
from tests.web.table import pbem

IDENTITY = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
VECTORS = """
import base64, json
from pbem.trust import primitives
from tests.trust.primitives.vectors import faults

def decoded(name):
    return base64.b64decode(told[name])

def encoded(data):
    return base64.b64encode(data).decode()

told = json.loads(given)
seed = primitives.read_key_file(decoded("key"), told["passphrase"].encode())
found = json.dumps({
    "backend": primitives.sign.__module__,
    "faults": faults(primitives),
    "seed": seed.hex(),
    "opened": encoded(primitives.age_open(decoded("sealed"), [seed])),
    "key": encoded(primitives.write_key_file(seed, told["passphrase"].encode(), 4)),
    "sealed": encoded(primitives.age_seal(b"from the page", [told["recipient"], told["line"]])),
    "signature": encoded(primitives.sign(seed, b"from the page")),
})
"""


@pytest.mark.ci
def test_python_in_the_page_has_no_judge_and_no_mail() -> None:
    held = json.loads(bundle())
    assert {
        "pbem/web/api.py",
        "pbem/player/home.py",
        "jinja2/__init__.py",
    } <= held.keys()
    unwanted = re.compile(
        r"pbem/(judge|mail|service|cli|demo|bots)/|\.pyc$|\.ttf$|pbem/web/(build|packages|site)"
    )
    assert not [name for name in held if unwanted.search(name)]
    assert bundle() == bundle()


def test_the_page_has_no_script_of_its_own_in_its_html() -> None:
    html = (SITE / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script[^>]*>(.*?)</script>", html, re.DOTALL) == [""]
    assert not re.search(r"\son\w+=|style=|javascript:|https?://", html)
    assert "'unsafe-inline'" not in POLICY
    assert "'unsafe-eval'" not in POLICY
    for path in SITE.glob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text
        ), path
        elsewhere = re.sub(r"http://www\.w3\.org/2000/svg", "", text)
        assert "://" not in elsewhere, path


CATALOGUE = ("words.js", "story_words.js")
BY_THE_BOX = {'"to be sent"', "sent", "joinSent"}
"""Words about what the page itself has carried to a post box."""


def test_the_page_never_says_that_something_was_sent_but_what_the_post_box_has() -> None:
    words = "\n".join((SITE / name).read_text(encoding="utf-8") for name in CATALOGUE)
    said = [line.strip() for line in words.splitlines() if re.search(r"\bsent\b", line, re.IGNORECASE)]
    assert {line.partition(":")[0] for line in said} == BY_THE_BOX


def test_every_word_that_is_asked_for_is_in_the_catalogue_and_every_one_is_used() -> None:
    catalogue = "".join((SITE / name).read_text(encoding="utf-8") for name in CATALOGUE)
    known = set(re.findall(r"^  (\w+):", catalogue, re.MULTILINE))
    used: set[str] = set()
    for path in SITE.glob("*.js"):
        if path.name not in CATALOGUE:
            used |= set(re.findall(r"\bwords\.(?!js\b)(\w+)", path.read_text(encoding="utf-8")))
    assert used - known == set()
    assert known - used == set()


def hash_in(printed: str) -> str:
    """Return the page's hash in what a command has printed, beside what it says of its progress."""
    (found,) = re.findall(r"^[0-9a-f]{64}$", printed, re.MULTILINE)
    return str(found)


@pytest.mark.ci
def test_two_builds_are_the_same_and_the_sums_hold(site: Path, tmp_path: Path) -> None:
    printed = pbem("web", tmp_path / "again")
    files = sorted(path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    for name in files:
        assert (site / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", SUMS],
        cwd=site,
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert hash_in(printed) == hashlib.sha256((site / SUMS).read_bytes()).hexdigest()
    assert files == sorted([*(line.split("  ")[1] for line in (site / SUMS).read_text().splitlines()), SUMS])
    assert POLICY in (site / "index.html").read_text(encoding="utf-8")
    worker = (site / WORKER).read_text(encoding="utf-8")
    assert POLICY in worker
    assert BUNDLE in worker
    assert ".wasm" in SiteHandler.extensions_map


BOXES = ("https://box.club.example/", "https://a.example:8443/mail/")


@pytest.mark.ci
def test_the_page_is_not_served_where_another_program_listens(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert site.exists()
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert main(["club", "web", str(tmp_path / "site"), "--serve", "--port", port]) == 1
    text = " ".join(capsys.readouterr().err.split())
    assert f"on port {port} of 127.0.0.1: address already in use; take another with --port" in text


@pytest.mark.ci
def test_boxes_stand_in_the_policy_in_one_order_and_the_hash_follows_from_them(
    site: Path, tmp_path: Path
) -> None:
    given, turned = (
        [word for box in boxes for word in ("--box", box)] for boxes in (BOXES, (*BOXES[::-1], BOXES[0]))
    )
    printed = hash_in(pbem("web", tmp_path / "site", *given))
    assert hash_in(pbem("web", "hash", *turned)) == printed
    assert not (tmp_path / "hash").exists()
    policy = policy_with(BOXES)
    assert f"connect-src 'self' {BOXES[1]} {BOXES[0]};" in policy
    assert policy in (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert policy in (tmp_path / "site" / WORKER).read_text(encoding="utf-8")
    without = hashlib.sha256((site / SUMS).read_bytes()).hexdigest()
    assert hash_in(pbem("web", "hash")) == without != printed


WRONG_BOXES = (
    "https://box.club.example",
    "http://box.club.example/",
    "https://Box.club.example/",
    "https://box.club.example/; script-src *",
    "https://box.club.example/ https://other.example/",
    "https://*.example/",
    "https://me@box.club.example/",
    "https://box.club.example/?x/",
    "https://box.club.example/../",
    "https://box.club.example/\n",
    "'unsafe-inline'",
    "",
)


@pytest.mark.parametrize("box", WRONG_BOXES)
def test_what_is_no_address_of_a_box_stands_in_no_policy(box: str) -> None:
    with pytest.raises(OrderFileFault, match="is not the address of a post box"):
        policy_with([box])
    assert policy_with([]) == POLICY


@pytest.mark.ci
def test_the_primitives_of_the_page_hold_the_vectors_and_each_backend_opens_what_the_other_wrote(
    site: Path,
) -> None:
    key = keys.generate()
    text = b"sealed natively\n" * 9_000
    recipient = primitives.age_recipient(IDENTITY)
    told = {
        "key": base64.b64encode(key.to_openssh("a horse", rounds=4)).decode(),
        "passphrase": "a horse",
        "sealed": base64.b64encode(primitives.age_seal(text, [recipient, key.public.line])).decode(),
        "recipient": recipient,
        "line": key.public.line,
    }
    found = json.loads(python_of(site, VECTORS, json.dumps(told)))
    assert found["backend"] == "pbem.trust.primitives.javascript"
    assert found["faults"] == []
    assert found["seed"] == key.seed.hex()
    assert base64.b64decode(found["opened"]) == text
    assert primitives.read_key_file(base64.b64decode(found["key"]), b"a horse") == key.seed
    for opener in (IDENTITY, key.seed):
        assert primitives.age_open(base64.b64decode(found["sealed"]), [opener]) == b"from the page"
    assert key.public.verifies(base64.b64decode(found["signature"]), b"from the page")
