"""What the director's pages refuse: requests of others, unknown buttons, and fields of a form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from starlette.requests import Request

from pbem.desk.app import COOKIE, MAX_FORM_SIZE, Desk, Ran
from pbem.desk.deeds import DEEDS, LONGEST, LONGEST_TEXT, command_of
from tests.refusals.clauses import Row
from tests.refusals.club import in_folder

HOST = (b"host", b"localhost:8000")


def requested(
    *heads: tuple[bytes, bytes], method: str = "POST", query: bytes = b"", enters: bool = True
) -> Callable[[], object]:
    """A request with these heads, of a browser that was let in."""

    def do() -> object:
        desk = Desk(Path(), lambda _: Ran(0, ""), frozenset({HOST[1].decode()}))
        cookie = [(b"cookie", f"{COOKIE}={desk._cookie}".encode())] if enters else []
        facts = {"type": "http", "method": method, "path": "/", "query_string": query}
        request = Request({**facts, "headers": [*heads, *cookie], "path_params": {"name": "nonsense"}})
        desk._check(request, is_open=False)
        return desk._deed(request)

    return do


def filled(name: str, given: Mapping[str, str]) -> Callable[[], object]:
    """A form whose fields are filled in so."""
    return in_folder(lambda place: command_of(DEEDS[name], given, place))


LINE = f"Game: write one line of {LONGEST} characters at most"
ROWS = (
    Row("this is not the address of the desk", requested(HOST, HOST)),
    Row("this is not the address of the desk", requested((b"host", b"elsewhere.example"))),
    Row("the address is too long", requested(HOST, query=b"x" * (MAX_FORM_SIZE + 1))),
    Row("the desk is opened by the link that pbem desk has printed, once", requested(HOST, enters=False)),
    Row("this form is of another page", requested(HOST, (b"origin", b"http://elsewhere.example"))),
    Row("the desk has no such button", requested(HOST)),
    Row("fill in: Game", filled("extend", {})),
    Row(LINE, filled("extend", {"game": "x" * (LONGEST + 1)})),
    Row(LINE, filled("extend", {"game": "a\nb"})),
    Row("no rotation called x waits", filled("replace-key", {"rotation": "x"})),
    Row("characters at most", filled("submit", {"signed": "x" * (LONGEST_TEXT + 1)})),
)
FOLDERS = ("desk",)
