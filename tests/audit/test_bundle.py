"""A bundle may come from anybody: what does not belong in one is refused, unread and unfollowed."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.bundle import read_bundle
from pbem.errors import ConfigError
from pbem.trust import formats
from tests.audit.attack import Scene
from tests.audit.script import verify_sh
from tests.audit.stage import Files, write

pytestmark = pytest.mark.ci


Spoil = Callable[[Path], None]


def _link(bundle: Path) -> None:
    (bundle / "log/0001.entry").unlink()
    (bundle / "log/0001.entry").symlink_to("/etc/passwd")


def _linked_folder(bundle: Path) -> None:
    (bundle / "reports").rename(bundle.parent / "reports.away")
    (bundle / "reports").symlink_to(bundle.parent / "reports.away")


def _linked_side(bundle: Path) -> None:
    (bundle / "reports/extra").symlink_to(bundle / "reports/public")


def _loop(bundle: Path) -> None:
    (bundle / "reports/again").symlink_to(bundle)


def _pipe(bundle: Path) -> None:
    (bundle / "keys/roots").unlink(missing_ok=True)
    os.mkfifo(bundle / "keys/roots")


def _deep(bundle: Path) -> None:
    (bundle / "log" / "/".join("deep" for _ in range(400))).mkdir(parents=True)


def _named(name: str) -> Spoil:
    def spoil(bundle: Path) -> None:
        path = bundle / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x\n")

    return spoil


def _huge(bundle: Path) -> None:
    with (bundle / "dice/all.txt").open("wb") as file:
        file.truncate(5_000_000_000)  # a hole: it takes no room on the disk


HOSTILE: dict[str, Spoil] = {
    "a link": _link,
    "a linked folder": _linked_folder,
    "a linked side": _linked_side,
    "a link to itself": _loop,
    "a pipe": _pipe,
    "deep folders": _deep,
    "a huge file": _huge,
    "a file at the top": _named("README"),
    "a hidden file": _named(".profile"),
    "a hidden folder": _named(".ssh/config"),
    "a program": _named("keys/age-plugin-x"),
    "a name with a line's end": _named("log/0001.entry\nlog"),
    "a name that is a command": _named("log/$(touch hacked).entry"),
    "a name with quotes": _named("reports/'; touch hacked; '/0001.txt"),
    "a name that is an option": _named("-rf"),
    "a name with colours": _named("log/\x1b[31mred"),
    "a name that is not text": _named(os.fsdecode(b"log/\xff\xfe.entry")),
    "digits of other scripts": _named("log/\u0660\u0660\u0660\u0661.entry"),
    "an entry of no number": _named("log/0000.entry"),
    "an entry with a longer number": _named("log/00001.entry"),
    "an entry beyond the end": _named("log/9999.entry"),
    "a key for nobody": _named("keys/exchange-1.mallory.agekey"),
    "a mix of no exchange": _named("mix/77.txt"),
    "a report for nobody": _named("reports/mallory/0001.txt"),
    "a checkpoint without its other half": _named("checkpoints/0003.txt"),
}


@pytest.mark.parametrize("spoil", HOSTILE.values(), ids=HOSTILE)
def test_what_does_not_belong_is_refused(scene: Scene, folder: Callable[[], Path], spoil: Spoil) -> None:
    place = folder() / "bundle"
    write(scene.earlier, place)
    spoil(place)
    findings = audit(place)
    assert findings.is_refuted
    assert all(row.detail.isprintable() for row in findings.rows)
    status, printed = verify_sh(place)
    assert status == 3, printed
    assert "refuted" in printed
    assert not list(place.parent.rglob("hacked"))


def _nested(place: Path) -> None:
    """As an archive of a folder unpacks."""
    place.rename(place.parent / "away")
    place.mkdir()
    (place.parent / "away").rename(place / "bundle")


def _nested_beside_a_hidden_file(place: Path) -> None:
    _nested(place)
    (place / ".DS_Store").write_bytes(b"x")


def _nested_beside_another(place: Path) -> None:
    _nested(place)
    (place / "README").write_bytes(b"x")


def _nested_by_a_link(place: Path) -> None:
    _nested(place)
    (place / "bundle").rename(place.parent / "away")
    (place / "bundle").symlink_to(place.parent / "away")


def _empty_folder_of_leagues(place: Path) -> None:
    (place / "papers").mkdir()


UNPACKED: dict[Spoil, int] = {
    _empty_folder_of_leagues: 0,
    _nested: 0,
    _nested_beside_a_hidden_file: 0,
    _nested_beside_another: 3,
    _nested_by_a_link: 3,
}
"""How a bundle may lie in folders, and the verdict."""


@pytest.mark.parametrize("lay", UNPACKED, ids=lambda lay: lay.__name__.strip("_"))
def test_audit_and_script_find_the_same_bundle_in_a_folder(
    scene: Scene, folder: Callable[[], Path], lay: Spoil
) -> None:
    place = write(scene.earlier, folder() / "bundle")
    lay(place)
    assert audit(place).status == UNPACKED[lay]
    status, printed = verify_sh(place)
    assert status == UNPACKED[lay], printed


def test_a_hidden_file_beside_the_folder_in_an_archive_is_none_of_the_bundle(
    scene: Scene, folder: Callable[[], Path]
) -> None:
    """Some archivers write one beside the folder that is packed; the script does not see it once unpacked."""
    members = [_member(f"bundle/{path}", data) for path, data in scene.earlier.items()]
    odd = _member("._bundle", b"x")
    for archived in ([odd, *members], [*members, odd]):
        assert not audit(_file(archive(archived), folder())).is_refuted
    flat = [_member(path, data) for path, data in scene.earlier.items()]
    assert audit(_file(archive([odd, *flat]), folder())).is_refuted


def test_a_key_that_would_run_a_plugin_is_not_given_to_age(scene: Scene, folder: Callable[[], Path]) -> None:
    files = scene.earlier | {"keys/exchange-1.alice.agekey": b"AGE-PLUGIN-TOUCH-1QQQQQQQQQQQQQQ\n"}
    place = write(files, folder())
    assert audit(place).is_refuted
    assert "keys/exchange-1.alice.agekey is not an age key" in verify_sh(place)[1]


def test_a_folder_without_a_log(folder: Callable[[], Path]) -> None:
    assert audit(folder()).status == 4
    assert verify_sh(folder())[0] == 4


# Archives


def packed(files: Files, top: str = "bundle/") -> bytes:
    """A .tar.gz of a bundle."""
    return archive(_member(f"{top}{name}", data) for name, data in files.items())


def _member(
    name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = len(data), kind, link
    return info, data


def archive(members: Iterable[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    """A .tar.gz of these members."""
    packet = io.BytesIO()
    with tarfile.open(fileobj=packet, mode="w:gz") as tar:
        for info, data in members:
            tar.addfile(info, io.BytesIO(data))
    return packet.getvalue()


def _file(data: bytes, folder: Path) -> Path:
    path = folder / "bundle.tar.gz"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("top", ["", "./", "bundle/", "./bundle/"])
def test_an_archive_is_read_like_its_folder(scene: Scene, folder: Callable[[], Path], top: str) -> None:
    path = _file(packed(scene.earlier, top), folder())
    assert read_bundle(path).known_files == scene.earlier
    assert not audit(path).is_refuted


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("../log/leaves", tarfile.REGTYPE),
        ("bundle/../log/leaves", tarfile.REGTYPE),
        ("/log/leaves", tarfile.REGTYPE),
        ("other/log/leaves", tarfile.REGTYPE),
        ("bundle/log/leaves", tarfile.REGTYPE),
        ("bundle/bundle/log/leaves", tarfile.REGTYPE),
        ("bundle/log/0099.entry", tarfile.SYMTYPE),
        ("bundle/log/0099.entry", tarfile.LNKTYPE),
        ("bundle/log/0099.entry", tarfile.CHRTYPE),
        ("bundle/log/0099.entry", tarfile.FIFOTYPE),
        ("bundle/deep/er/and/deeper", tarfile.DIRTYPE),
        ("elsewhere", tarfile.DIRTYPE),
    ],
)
def test_odd_members_are_refused(scene: Scene, folder: Callable[[], Path], name: str, kind: bytes) -> None:
    members = [_member(f"bundle/{path}", data) for path, data in scene.earlier.items()]
    odd = _member(name, b"" if kind != tarfile.REGTYPE else b"1 " + b"0" * 64 + b"\n", kind, "/etc/passwd")
    findings = audit(_file(archive([*members, odd]), folder()))
    assert findings.is_refuted
    assert "does not belong in a bundle" in str(findings.rows[0])


def test_a_member_larger_than_any_file_is_not_read(scene: Scene, folder: Callable[[], Path]) -> None:
    data = archive([_member("dice/all.txt", bytes(formats.MAX_FILE_SIZE + 1))])
    assert read_bundle(_file(data, folder())).foreign == ("'dice/all.txt'",)


def test_a_paper_of_a_league_larger_than_any_statement_is_not_read(folder: Callable[[], Path]) -> None:
    """A small archive of very many of them took gigabytes."""
    most, name = formats.MAX_STATEMENT_SIZE, f"papers/{'a' * 64}.txt"
    for size, is_read in ((most, True), (most + 1, False)):
        data, place = bytes(size), folder()
        for top in ("", "bundle/"):
            files = read_bundle(_file(archive([_member(f"{top}{name}", data)]), folder()))
            assert (name in files.known_files, bool(files.foreign)) == (is_read, not is_read)
        files = read_bundle(write({name: data}, place))
        assert (name in files.known_files, bool(files.foreign)) == (is_read, not is_read)


@pytest.mark.parametrize("name", ["dice/all.txt", "ballast"])
def test_a_bomb_is_bounded(folder: Callable[[], Path], name: str) -> None:
    info = tarfile.TarInfo(name)
    info.size = 8_000_000_000
    block = gzip.compress(bytes(50_000_000), 9)
    path = _file(gzip.compress(info.tobuf()) + block * 20, folder())
    tracemalloc.start()
    with pytest.raises(ConfigError, match="larger than a bundle can be"):
        read_bundle(path)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    "data",
    [b"", b"no archive", gzip.compress(b"no archive"), gzip.compress(bytes(600))[:-9]],
    ids=["empty", "no gzip", "no tar", "cut off"],
)
def test_what_is_no_archive(folder: Callable[[], Path], data: bytes) -> None:
    with pytest.raises(ConfigError, match="not a readable"):
        read_bundle(_file(data, folder()))


def test_what_is_not_there(folder: Callable[[], Path]) -> None:
    with pytest.raises(ConfigError, match="neither a bundle's folder nor an archive"):
        read_bundle(folder() / "nothing")
