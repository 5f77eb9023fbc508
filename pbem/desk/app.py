"""The pages of the director's desk (`pbem desk`), and the forms that run commands.

    GET  /enter/<token>         opens the desk once: sets the cookie, and names the address of this desk
    GET  /<room>/               what waits, games, leagues, mail in trouble, what is set apart, offers
    GET  /<room>/game/<game>    one game as `pbem game info` shows it
    GET  /<room>/league/<name>  one league as `pbem league standings` shows it
    GET  /<room>/help/<name>    the help of a deed's command
    GET  /<room>/doctor         what `pbem club doctor` finds, backups among it
    GET  /<room>/messages       what players have written to the director, as `pbem press` shows it
    GET  /<room>/mail/<number>  a mail that waits for the director's answer, as it was passed on
    GET  /<room>/deed/<name>    the form of a deed; what stands behind ? fills it in
    POST /<room>/deed/<name>    tries it, if its command has --what-if; shows the command, and asks
    POST /<room>/run/<name>     runs it, and shows what the command said

All that is shown is what a command has printed, so it is nothing that a director may not see. The Host must
be the desk's own, so that no other name of this machine reaches it (DNS rebinding). A form counts once, and
only one that the desk has made for whoever has the cookie; a form of another page is refused by its Origin
and by what it lacks. Pages load nothing and run no script. The server listens on this machine alone, and each
command runs in its own process.
"""

from __future__ import annotations

import hmac
import os
import secrets
import socket
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import uvicorn
from anyio import Lock
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from pbem.desk.deeds import (
    DEEDS,
    PEOPLE,
    PLAY,
    Deed,
    Waiting,
    blank_at_fault,
    command_of,
    facts_of,
    files_of,
    grouped_deeds,
    in_words,
    sides_by_rules,
    state_of,
    trouble_lines,
    waiting_rows,
)
from pbem.errors import ConfigError, PbemError
from pbem.rendering import render
from pbem.rules import names
from pbem.trust.times import HERE, times_in

MAX_FORM_SIZE = 400_000
"""Maximum length in bytes of a submitted form, and of the query of an address."""
MAX_OUTPUT_SIZE = 200_000
"""Maximum number of characters of a command's output that are shown to the director."""
MAX_FORMS = 500
"""Maximum number of forms that are valid at a time; one more makes the oldest invalid."""
COOKIE = "pbem-desk"
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": (
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "same-origin",  # no-referrer makes the Origin of its own forms null
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of a command: what it has printed, and its exit status."""

    status: int
    text: str

    @property
    def shown(self) -> str:
        """The beginning of what the command has printed, as it is shown to the director."""
        return self.text[:MAX_OUTPUT_SIZE]


Run = Callable[[Sequence[str]], Ran]


class Forbidden(Exception):
    """Raised for a request that is refused; the message says why, in one sentence."""


@dataclass
class Desk:
    """The web pages by which a director manages a club's folder; `hosts` are the host names they may have."""

    club: Path
    run: Run
    hosts: frozenset[str]
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    """The secret word in the link that opens the director's pages; "" once the link was used."""
    room: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    _cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _forms: OrderedDict[str, str] = field(default_factory=OrderedDict, repr=False)
    """One-time keys of the forms that may still be submitted, each with the name of its deed."""
    _lock: Lock = field(default_factory=Lock, repr=False)

    def app(self) -> Starlette:
        """Return the Starlette application that serves the director's pages."""
        room = f"/{self.room}"
        return Starlette(
            routes=[
                Route("/enter/{token}", self._guarded(self._enter, is_open=True)),
                Route(f"{room}/", self._guarded(self._index)),
                Route(f"{room}/game/{{game}}", self._guarded(self._game)),
                Route(f"{room}/league/{{league}}", self._guarded(self._league)),
                Route(f"{room}/help/{{name}}", self._guarded(self._help)),
                Route(f"{room}/doctor", self._guarded(self._doctor)),
                Route(f"{room}/messages", self._guarded(self._messages)),
                Route(f"{room}/mail/{{number}}", self._guarded(self._mail)),
                Route(f"{room}/deed/{{name}}", self._guarded(self._form)),
                Route(f"{room}/deed/{{name}}", self._guarded(self._try), methods=["POST"]),
                Route(f"{room}/run/{{name}}", self._guarded(self._do), methods=["POST"]),
            ],
            exception_handlers={404: self._nothing, 405: self._nothing},
        )

    # Who may ask

    def _guarded(self, page: Callable[[Request], Any], *, is_open: bool = False) -> Callable[[Request], Any]:
        async def answer(request: Request) -> HTMLResponse:
            try:
                self._check(request, is_open=is_open)
                return self._html(*await page(request))
            except Forbidden as fault:
                return self._html(*self._told("Not here", str(fault), 403))
            except PbemError as fault:
                return self._html(*self._told("Not so", str(fault), 400))

        return answer

    def _check(self, request: Request, *, is_open: bool) -> None:
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            raise Forbidden("this is not the address of the desk")
        if len(request.url.query) > MAX_FORM_SIZE:
            raise Forbidden("the address is too long")
        if is_open:
            return
        if not hmac.compare_digest(request.cookies.get(COOKIE, "").encode(), self._cookie.encode()):
            raise Forbidden("the desk is opened by the link that pbem desk has printed, once")
        origin = request.headers.get("origin", f"http://{hosts[0]}")
        if request.method == "POST" and origin != f"http://{hosts[0]}":
            raise Forbidden("this form is of another page")

    async def _nothing(self, request: Request, _: Exception) -> HTMLResponse:
        del request
        return self._html(*self._told("Not here", "there is nothing at this address", 404))

    async def _enter(self, request: Request) -> tuple[str, int, str]:
        token, self.token = self.token, ""
        given = request.path_params["token"]
        if not token or not hmac.compare_digest(given.encode(), token.encode()):
            self.token = token  # a wrong word takes the link from nobody
            raise Forbidden(
                "this link does not open the desk, or has opened it already; start pbem desk again"
            )
        facts = facts_of((await self._run(["club", "status", "--json", f"--club={self.club}"])).text) or {}
        text = self._page("entered", facts=facts, told=trouble_lines(facts))
        return text, 200, f"{COOKIE}={self._cookie}; HttpOnly; SameSite=Strict; Path=/{self.room}/"

    # What is shown

    async def _index(self, _: Request) -> tuple[str, int, str]:
        club = f"--club={self.club}"
        status = await self._run(["club", "status", "--json", club])
        facts = facts_of(status.text)
        if facts is None:
            return self._told("The club cannot be read", status.shown, 500)
        players = facts_of((await self._run(["club", "player", "list", "--json", club])).text)
        apart = await self._run(["club", "apart", club])
        offers = await self._run(["seat", "list", club])
        text = self._page(
            "index",
            facts=facts,
            waiting=self._rows(
                waiting_rows(map(str, facts.get("waiting", ()))), {one["game"] for one in facts["games"]}
            ),
            apart=self._rows(waiting_rows(apart.text.splitlines())) if apart.status else [],
            players=(players or {}).get("players", ()),
            offers=offers.text.splitlines(),
            groups=self._links("club"),
            told=trouble_lines(facts),
        )
        return text, 200, ""

    def _rows(
        self, rows: Sequence[Waiting], games: Collection[str] = ()
    ) -> list[tuple[list[str], list[tuple[str, str]]]]:
        """Return the lines on what waits for the director, each group with its buttons as (title, address).

        A mail also has a button to read it. A line that no command answers has a button that leads to the
        page of the game that the line names.
        """
        return [
            (
                row.lines,
                [link for one in row.proposals for link in (*self._read(*one), self._link(*one))]
                or self._to_game(row.lines[0].partition(":")[0], games),
            )
            for row in rows
        ]

    def _to_game(self, game: str, games: Collection[str]) -> list[tuple[str, str]]:
        return [(f"Look at {game}", f"/{self.room}/game/{game}")] if game in games else []

    def _read(self, deed: Deed, given: Mapping[str, str]) -> list[tuple[str, str]]:
        return [("Read it", f"/{self.room}/mail/{given['number']}")] if deed.name == "answered" else []

    def _links(self, about: str, state: str = "", **given: str) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return the buttons of one of the director's pages by their groups, each as (title, address)."""
        found = grouped_deeds(about, state)
        return [(group, [self._link(deed, given) for deed in deeds]) for group, deeds in found]

    def _link(self, deed: Deed, given: Mapping[str, str]) -> tuple[str, str]:
        ruling = f": {given['decides']}" if "decides" in given else ""
        title = f"{deed.title}{ruling}"
        return title, f"/{self.room}/deed/{deed.name}{'?' if given else ''}{urlencode(given)}"

    async def _game(self, request: Request) -> tuple[str, int, str]:
        game = request.path_params["game"]
        ran = await self._run(["game", "info", f"--club={self.club}", "--", game])
        facts = facts_of((await self._run(["club", "status", "--json", f"--club={self.club}"])).text)
        return self._said(game, ran, groups=self._links("game", state_of(game, facts or {}), game=game))

    async def _league(self, request: Request) -> tuple[str, int, str]:
        league = request.path_params["league"]
        ran = await self._run(["league", "standings", f"--club={self.club}", "--", league])
        return self._said(league, ran, groups=self._links("league", league=league))

    async def _help(self, request: Request) -> tuple[str, int, str]:
        """Return the help of a deed's command; of one that opens a game, the options of each game too."""
        deed = self._deed(request)
        words, more = [*deed.verb, "--help"], list[tuple[list[str], Ran]]()
        for name in names() if any(blank.is_seating for blank in deed.blanks) else ():
            asked = [*deed.verb, "--rules", name, "--help"]
            ran = await self._run(asked)
            more.append((asked, Ran(ran.status, ran.text[max(ran.text.find("Sides of"), 0) :])))
        return self._said("Help", await self._run(words), *more, command=words)

    async def _doctor(self, _: Request) -> tuple[str, int, str]:
        words = ["club", "doctor", f"--club={self.club}"]
        return self._said("What the doctor finds", await self._run(words), command=words)

    async def _messages(self, _: Request) -> tuple[str, int, str]:
        words = ["press", f"--club={self.club}"]
        return self._said("Messages to the director", await self._run(words), command=words)

    async def _mail(self, request: Request) -> tuple[str, int, str]:
        number = request.path_params["number"]
        words = ["club", "status", f"--club={self.club}", f"--read={number}"]
        answered = [("", [self._link(DEEDS["answered"], {"number": number})])]
        return self._said("A mail to you", await self._run(words), groups=answered, command=words)

    def _said(
        self,
        title: str,
        ran: Ran,
        *more: tuple[Sequence[str], Ran],
        groups: Sequence[tuple[str, Sequence[tuple[str, str]]]] = (),
        command: Sequence[str] = (),
    ) -> tuple[str, int, str]:
        """Return a page with the output of commands and with buttons, its HTTP status, and an empty text."""
        found = [(in_words(words) if words else "", one) for words, one in ((command, ran), *more)]
        return self._page("output", title=title, found=found, groups=groups), 200, ""

    def _page(self, name: str, **given: object) -> str:
        """Return a page of the desk; its moments are written in this machine's zone."""
        return render(
            f"desk/{name}.html.j2", room=self.room, local=lambda text: times_in(text, HERE), **given
        )

    # What is done

    async def _form(self, request: Request) -> tuple[str, int, str]:
        deed = self._deed(request)
        given = dict(parse_qsl(request.url.query, max_num_fields=20))
        for blank in deed.blanks:
            for words in blank.starts:
                if words[-1] == given.get("start"):
                    given[blank.name] = (await self._run(words)).text
        return self._filled_in(deed, given), 200, ""

    async def _try(self, request: Request) -> tuple[str, int, str]:
        deed, given = self._deed(request), await self._given(request)
        if "change" in given:
            return self._filled_in(deed, given), 200, ""
        try:
            words = command_of(deed, given, self.club)
            trial = command_of(deed, given, self.club, is_trial=True)
        except ConfigError as fault:
            return self._refused(deed, given, str(fault))
        ran = await self._run(trial) if deed.can_try(given) else None
        if ran is not None and ran.status:
            return self._refused(deed, given, ran.shown, trial)
        text = self._page(
            "confirm",
            deed=deed,
            given=self._own(deed, given),
            command=in_words(words),
            trial=in_words(trial) if ran else "",
            ran=ran,
            after=in_words(self._pass()) if deed.then_pass else "",
            once=self._once(deed),
        )
        return text, 200, ""

    async def _do(self, request: Request) -> tuple[str, int, str]:
        deed, given = self._deed(request), await self._given(request)
        try:
            words = command_of(deed, given, self.club)
        except ConfigError as fault:
            return self._refused(deed, given, str(fault))
        ran = await self._run(words)
        if ran.status and deed.blanks:
            return self._refused(deed, given, ran.shown, words)
        after = [(self._pass(), await self._run(self._pass()))] if deed.then_pass else []
        due = [("Letters about it leave with the next pass", [self._link(DEEDS["pass"], {})])]
        is_due = deed.group in (PLAY, PEOPLE) and not after
        return self._said(deed.title, ran, *after, groups=due if is_due else (), command=words)

    def _pass(self) -> list[str]:
        return [*command_of(DEEDS["pass"], {}, self.club), "--wait"]

    def _refused(
        self, deed: Deed, given: Mapping[str, str], said: str, command: Sequence[str] = ()
    ) -> tuple[str, int, str]:
        """Return the page of a refused form, filled in as before and saying why; then 400 and ""."""
        return self._filled_in(deed, given, said, in_words(command) if command else ""), 400, ""

    def _filled_in(self, deed: Deed, given: Mapping[str, str], fault: str = "", command: str = "") -> str:
        files = {one.name: files_of(self.club, one.file) for one in deed.blanks if one.file}
        return self._page(
            "form",
            deed=deed,
            given=given,
            files=files,
            titles=sides_by_rules() if any(one.is_rules for one in deed.blanks) else {},
            fault=fault.strip(),
            wrong=blank_at_fault(deed, given, fault) if fault else "",
            command=command,
            once=self._once(deed),
        )

    def _deed(self, request: Request) -> Deed:
        name = request.path_params["name"]
        if name not in DEEDS:
            raise ConfigError("the desk has no such button")
        return DEEDS[name]

    async def _given(self, request: Request) -> dict[str, str]:
        """Return the fields of a submitted form, which can be submitted only once."""
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MAX_FORM_SIZE:
                raise Forbidden("the form is too long")
        try:
            given = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=20))
        except ValueError:
            raise Forbidden("this is not a form of the desk") from None
        if self._forms.pop(given.pop("once", ""), "") != request.path_params["name"]:
            raise Forbidden("this form was sent before, or is not of this desk; go back to the desk")
        return given

    def _once(self, deed: Deed) -> str:
        once = secrets.token_urlsafe(24)
        self._forms[once] = deed.name
        while len(self._forms) > MAX_FORMS:
            self._forms.popitem(last=False)
        return once

    @staticmethod
    def _own(deed: Deed, given: Mapping[str, str]) -> dict[str, str]:
        return {blank.name: given.get(blank.name, "") for blank in deed.blanks}

    async def _run(self, words: Sequence[str]) -> Ran:
        async with self._lock:
            return await run_sync(self.run, words)

    # Answers

    def _told(self, title: str, said: str, status: int) -> tuple[str, int, str]:
        return render("desk/told.html.j2", room="", title=title, said=said), status, ""

    @staticmethod
    def _html(text: str, status: int, cookie: str) -> HTMLResponse:
        return HTMLResponse(text, status, {**HEADERS, **({"set-cookie": cookie} if cookie else {})})


HOST = "127.0.0.1"
PATIENCE = 600
"""Maximum time in seconds that one command may take."""


def run_command(words: Sequence[str]) -> Ran:
    """Run a command of this program with the given words, which no shell reads; return its result."""
    command = [sys.executable, "-m", "pbem", *words]
    environment = {name: value for name, value in os.environ.items() if name != "PBEM_TRACE"}
    try:
        done = subprocess.run(  # noqa: S603 - the words are those of the table of deeds
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        return Ran(1, f"it was ended after {PATIENCE} seconds; see 'pbem club status' before you try again")
    text = done.stdout.decode("utf-8", errors="replace")
    return Ran(done.returncode, "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in text))


def serve_desk(club: Path, bound: socket.socket, ready: Callable[[str], None]) -> None:
    """Serve the director's pages on a socket of loopback until the process is told to end.

    `ready` gets the link that opens them.
    """
    own = bound.getsockname()[1]
    desk = Desk(club.resolve(), run_command, frozenset({f"{HOST}:{own}", f"localhost:{own}"}))
    config = uvicorn.Config(
        desk.app(),
        lifespan="off",
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=5,
    )
    ready(f"http://{HOST}:{own}/enter/{desk.token}")
    with bound:
        uvicorn.Server(config).run(sockets=[bound])
