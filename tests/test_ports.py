"""A command that listens names the port that another program has, and how to take another."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.cli import main


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def refusal(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """What a command says that ends at once, on one line."""
    assert main([str(word) for word in words]) == 1
    shown = capsys.readouterr()
    assert "listens on" not in shown.out
    return " ".join(shown.err.split())


def test_the_box_does_not_say_that_it_listens(
    taken: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = refusal(capsys, "box", tmp_path / "box", "--listen", f"127.0.0.1:{taken}")
    assert f"port {taken} of 127.0.0.1: address already in use" in text
    assert "take another with --listen" in text
    assert not (tmp_path / "box" / "alive").exists(), "nor does the judge take it for one that runs"


def test_the_desk_names_the_port(taken: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["club", "init", str(tmp_path / "club")])
    text = refusal(capsys, "desk", "--club", tmp_path / "club", "--port", taken)
    assert f"port {taken} of 127.0.0.1: address already in use; take another with --port" in text
