"""One pass of the judge: mail in, time, adjudication, mail out; `pbem club run`, repeated by `pbem serve`.

Each step is a transaction of its own or can be done twice without harm, so a pass may be killed anywhere;
the next one goes on. What it costs grows with new mail and due deadlines, not with games: idle games are
seen only in their agenda, and a few ledgers are checked by turns. Trouble with one mail server, one mail or
one game stops nothing else.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from pbem.errors import ConfigError, LedgerError, MailError
from pbem.judge.agenda import (
    DECIDED,
    ON_HOLD,
    UNCONFIRMED,
    Agenda,
    Done,
    check_ledgers,
    far_ahead,
    note_held,
    read_agendas,
    unconfirmed_ledgers,
    wrong_settings,
)
from pbem.judge.club import Club
from pbem.judge.deadlines import running_deadlines, waits_for_mail
from pbem.judge.intake import quarantine
from pbem.judge.intake.waiting_list import FOLDER
from pbem.judge.letters import letter_files
from pbem.judge.press import NOTED
from pbem.judge.tables.note_tables import FORECAST, SPOKEN
from pbem.judge.upkeep.folder_identity import Elsewhere, Resting, check_folder, check_here
from pbem.judge.upkeep.journal import JournalFault, keep_records, read_journal
from pbem.mail.bounces import tell_opponents
from pbem.mail.mail_problems import TROUBLE, may_owe_answers
from pbem.mail.settings import MailSettings, read_settings
from pbem.service import watch
from pbem.service.box_round import BoxRound, box_round, tell_box
from pbem.service.box_table import DoneInBox
from pbem.trust.times import utc_text

Deed = Callable[[Club, Iterable[Agenda]], Iterable[Done]]
MAX_STEPS = 3
"""Maximum number of exchanges by which one game may go on in one pass."""

UNTIL_CONFIRMED = (
    "nothing is signed for them before you enter the highest head that was sent: pbem club confirm --sent "
    "MAILDIR, or pbem club confirm GAME SIZE HEAD"
)
LASTING = ("time", "game", "league", "site")
"""Names of steps of a pass that fail in the same way in each pass, until somebody removes the cause."""
LEDGERS_PER_PASS = 20
"""Number of games whose ledgers are checked in one pass; all games have their turn in time."""


class Busy(ConfigError):
    """Raised if another pass over this club is being made."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a pass's output: an action that was done, or the failure of one."""

    step: str
    """The step of the pass that the line is about: in, orders, press, box, journal, time, wait, game,
    league, site, wake, watch, out, kept or pass."""
    text: str
    game: str = ""
    trouble: bool = False


@dataclass
class Pass:
    """One pass over a club: mail in, time, adjudication and mail out."""

    club: Club
    after_gap: bool = False
    """Whether deadlines may pass though the last pass was long ago, because the game master has said so."""
    check_all: bool = False
    """Whether every game's ledger is checked first, and not only those of a few games in turn."""
    wait: bool = False
    """Whether this pass, if another one holds the club's lock, waits for it instead of being refused."""
    settings: MailSettings | None = field(init=False)
    box: BoxRound | None = field(init=False)
    _began: float = field(init=False, default=0)
    _done: list[Line] = field(init=False, default_factory=list)
    _late: dict[str, str] = field(init=False, default_factory=dict)
    """Lines about new keys that came too late to be entered, by the names of their alerts."""

    def __post_init__(self) -> None:
        names_page = "page" in self.club.settings  # in whose link the judge's key stands
        judge = self.club.key.public.fingerprint if names_page else ""
        self.settings = read_settings(self.club.settings, self.club.path, judge)
        self.box = box_round(self.club)

    def run(self) -> Iterator[Line]:
        """Make a whole pass over the club, and yield a line for each action.

        Raises:
            Busy: another pass is at work.
            Elsewhere: another copy of the club's folder is known to be at work.
        """
        with _lock(self.club, wait=self.wait):
            done, self._began = self._done, time.monotonic()
            try:
                for line in self._steps():
                    done.append(line)
                    yield line
            except Resting:
                raise  # whoever rehearses has typed it, and nobody else is told
            except Elsewhere as fault:
                self._note_spoken(str(fault))
                for text in watch.alert(self.club, {"elsewhere": str(fault)}):
                    yield Line("watch", text, trouble=True)
                yield from self._send(alerts_only=True)
                raise
            self._note_spoken("")
            yield from self._watch(done)

    def _note_spoken(self, text: str) -> None:
        """Note for `pbem club status` and `doctor` why another copy is known to be at work; "" clears it."""
        if self.club.store.note(SPOKEN) != text:
            with self.club.store.step():
                self.club.store.put_note(SPOKEN, text)

    def _steps(self) -> Iterator[Line]:
        check_folder(self.club.store, begin=True)
        check_here(self.club.store)
        check_ledgers(self.club, None if self.check_all else LEDGERS_PER_PASS)
        yield from self._step("fetching mail", self._mail_in())
        check_here(self.club.store)
        if self.settings is not None and self.club.store.here_since():
            from pbem.mail.club_mailbox import announce_move

            announce_move(self.club, self.settings)
        yield from self._step("reading stored mail", self._take_in())
        yield from self._step("passing messages on", self._press())
        yield from self._step("sending mail", self._mail_out(early=True))
        yield from self._step("playing games", self._games())
        with quarantine.by_itself(self.club, quarantine.STEP, "answering what came late") as wrong:
            self._answer_late()
        yield from self._apart(wrong)
        yield from self._step("sending mail", self._mail_out())
        yield from self._step("waking readers", self._wake())
        yield from self._step("forecasts", self._forecasts())
        yield from self._step("tidying", self._tidy())

    def _step(self, what: str, lines: Iterable[Line]) -> Iterator[Line]:
        """Run one step of the pass; report an unforeseen error of the step, and let the next step run."""
        with quarantine.by_itself(self.club, quarantine.STEP, what) as wrong:
            yield from lines
        for one in wrong:
            yield Line("pass", one.text, trouble=True)

    def _watch(self, done: list[Line]) -> Iterator[Line]:
        """Alert the game master to troubles, and show an outside monitor that the judge is running."""
        wrong = {
            f"{line.step} {line.game}": line.text for line in done if line.trouble and line.step in LASTING
        }
        lasting, told, servers = watch.find_troubles(self.club)
        wrong |= lasting
        told |= self._late
        for text in watch.alert(self.club, wrong | told, servers):
            yield Line("watch", text, trouble=True)
        watch.summarise(self.club, wrong.values())
        watch.tell_waiting(self.club)
        yield from self._step("sending mail", self._mail_out())
        for text in watch.show_pass(self.club, trouble=bool(wrong), seconds=time.monotonic() - self._began):
            yield Line("watch", text, trouble=True)

    def _visit_box(self, done: Iterable[DoneInBox], trouble: str | None = None) -> Iterator[Line]:
        """Yield what was done with the post box; note its trouble, so that no other step of the pass stops.

        `trouble` is what is wrong with the box so far; None leaves what an earlier step of the pass has
        noted.
        """
        wrong = [trouble or ""]
        try:
            for one in done:
                wrong += [one.text] if one.trouble else []
                yield Line("box", one.text, trouble=one.trouble)
        except (ConfigError, OSError) as fault:
            wrong.append(str(fault))
            yield Line("box", str(fault), trouble=True)
        if trouble is not None or any(wrong):
            self._note_trouble("box", "; ".join(filter(None, wrong)))

    def _mail_in(self) -> Iterator[Line]:
        if self.box is not None:
            yield from self._visit_box(self.box.posts_in(), self.box.trouble())
        if self.settings is None:
            return
        from pbem.mail.club_mailbox import fetch_mail, read_counter

        try:
            read_counter(self.club, self.settings)
            if count := fetch_mail(self.club, self.settings):
                yield Line("in", f"{count} mail{'s' if count > 1 else ''} fetched")
            self._note_trouble("in", "")
        except MailError as fault:
            self._note_trouble("in", str(fault))
            yield Line("in", str(fault), trouble=True)

    def _take_in(self) -> Iterator[Line]:
        quarantine.wake_files(self.club)
        if self.club.store.note(NOTED):
            from pbem.judge.press.desk import look_again

            look_again(self.club)
        if self.settings is not None and may_owe_answers(self.club):
            from pbem.mail.answers import Answers

            Answers(self.club, self.settings).send_owed()
        if next(self.club.store.waiting(), None) is not None:
            from pbem.judge.intake.desk import take_in_waiting

            for verdict in take_in_waiting(self.club):
                yield Line("orders", verdict.text, verdict.game)
                if self.box is not None:
                    self.box.tell_refused(verdict)
        if self.settings is None or next(self.club.store.waiting(mail=True), None) is None:
            return
        from pbem.judge.intake.desk import open_desk
        from pbem.mail.inbox import Inbox

        inbox = Inbox(self.club, self.settings, open_desk(self.club))
        for taken in inbox.take_in():
            yield Line("orders", f"mail {taken.number}: {taken.text}")

    def _press(self) -> Iterator[Line]:
        """Send new rules for press between players, and the messages that waited for their readers' hours."""
        if "press" not in self.club.settings and not self.club.store.notes("press "):
            return
        from pbem.judge.press.desk import release_held
        from pbem.judge.press.director import send_terms

        for done in send_terms(self.club, read_agendas(self.club).values()):
            yield _line("press", done)
        for text in release_held(self.club):
            yield Line("press", text)

    def _games(self) -> Iterator[Line]:
        agendas = read_agendas(self.club)
        yield from self._leave_unsettled(agendas)
        tell_box(self.club)
        now = self.club.clock()
        due = [agenda for agenda in agendas.values() if not agenda.complete and self._is_due(agenda)]
        jump = None if self.after_gap else running_deadlines.clock_jump(self.club, agendas.values())
        # what would be signed while a record waits could not leave
        goes_on = jump is None and not self.club.store.is_record_pending()
        if said := jump.text if jump is not None else "" if self.after_gap else far_ahead(self.club):
            yield Line("time", said, trouble=True)
        if goes_on:
            for deed in (running_deadlines.extend_deadlines, running_deadlines.remind, tell_opponents):
                yield from self._for_all(deed, agendas.values())
        for agenda in agendas.values():
            if agenda.trouble:
                if agenda.trouble not in (ON_HOLD, DECIDED, UNCONFIRMED):
                    yield Line("game", f"stopped: {agenda.trouble}", agenda.game, trouble=True)
            elif goes_on and (agenda.complete or agenda in due):
                if reason := self._wait(agenda):
                    lasts = agenda.game in waits_for_mail.waiting_games(self.club)
                    yield Line("wait", f"waits past its deadline: {reason}", agenda.game, trouble=lasts)
                else:
                    yield from self._bring_on(agenda)
        if waiting := unconfirmed_ledgers(self.club):
            yield Line("game", f"{', '.join(waiting)}: {UNCONFIRMED}; {UNTIL_CONFIRMED}", trouble=True)
        if goes_on:
            yield from self._leagues()
            with quarantine.by_itself(self.club, quarantine.STEP, "the club's site") as wrong:
                yield from self._site()
            yield from self._apart(wrong)
        tell_box(self.club)  # the players of games that leagues have just opened
        if jump is None or self.after_gap:
            running_deadlines.note_pass(self.club, now)

    def _answer_late(self) -> None:
        """Answer consents and new keys that came in this pass, or before, and too late to be entered."""
        if (self.club.path / FOLDER).exists():
            from pbem.judge.intake.consents import answer_late

            self._late = answer_late(self.club, read_agendas(self.club).values())

    def _leave_unsettled(self, agendas: dict[str, Agenda]) -> Iterator[Line]:
        """Leave out games whose own table in club.toml has a mistake; the other games go on."""
        for game, fault in wrong_settings(self.club.settings).items():
            if (agenda := agendas.pop(game, None)) is not None and not agenda.over:
                yield Line("game", f"waits: {fault}", game, trouble=True)

    def _wait(self, agenda: Agenda) -> str:
        """Return why a game waits past its deadline, in words for its players; "" if the game goes on."""
        if agenda.complete:
            waits_for_mail.forget_wait(self.club, agenda.game)
            return ""
        grace = self.club.rhythm(agenda.game).grace
        if reason := waits_for_mail.why_waiting(self.club, agenda, grace):
            waits_for_mail.tell_wait(self.club, agenda, reason, grace)
        else:
            waits_for_mail.end_wait(self.club, agenda)
        return reason

    def _for_all(self, deed: Deed, agendas: Iterable[Agenda]) -> Iterator[Line]:
        """Run an action for all games together; if that fails, run it for each game alone."""
        went_well = False
        try:
            for done in deed(self.club, agendas):
                yield _line("time", done)
            went_well = True
        except ConfigError:
            raise
        except Exception:  # noqa: BLE001 - whose fault it is, is found out below
            went_well = False
        for agenda in agendas if not went_well else ():
            with quarantine.by_itself(self.club, quarantine.CLOCK, agenda.game) as wrong:
                for done in deed(self.club, [agenda]):
                    yield _line("time", done)
            yield from self._apart(wrong)

    def _apart(self, wrong: Iterable[quarantine.Apart]) -> Iterator[Line]:
        for one in wrong:
            yield Line("game", one.text, one.name, trouble=True)

    def _leagues(self) -> Iterator[Line]:
        """Do the acts that are due in leagues; a league that fails is reported, and stops nothing else."""
        if not self.club.store.leagues():
            return
        from pbem.judge.leagues.display import publish
        from pbem.judge.leagues.status import open_calls, send_digests
        from pbem.judge.leagues.steps import run_leagues

        yield from self._for_all(running_deadlines.remind, open_calls(self.club))
        for done in run_leagues(self.club, read_agendas(self.club)):
            yield Line("league", done.text, done.league, done.is_stopped)
        for done in send_digests(self.club):
            yield Line("league", done.text, done.league)
        for done in publish(self.club):
            yield Line("league", done.text, done.league, done.is_stopped)

    def _site(self) -> Iterator[Line]:
        """Write the club's web site if club.toml names its folder; failures are reported and stop nothing."""
        if "site" not in self.club.settings:
            return
        from pbem.site.writing import publish_site

        try:
            if done := publish_site(self.club):
                yield Line("site", done)
        except ConfigError as fault:
            yield Line("site", str(fault), trouble=True)

    def _is_due(self, agenda: Agenda) -> bool:
        now = self.club.clock()
        return agenda.is_due(now) and agenda.is_due(now - self.club.rhythm(agenda.game).grace)

    def _bring_on(self, agenda: Agenda) -> Iterator[Line]:
        from pbem.judge.adjudication import run_game

        if quarantine.is_paused(self.club, quarantine.GAME, agenda.game):
            return
        with quarantine.by_itself(self.club, quarantine.GAME, agenda.game) as wrong:
            try:
                for _ in range(MAX_STEPS):
                    done = run_game(self.club, agenda.game)
                    if done is None:
                        break
                    yield _line("game", done)
                if agenda.waiting:
                    for line in running_deadlines.tell_of_silence(self.club, agenda.game):
                        yield _line("time", line)
                note_held(self.club, agenda.game, "")
            except LedgerError as fault:
                note_held(self.club, agenda.game, str(fault))
                yield Line("game", f"stopped: {fault}", agenda.game, trouble=True)
        yield from self._apart(wrong)

    def _forecasts(self) -> Iterator[Line]:
        """Make the forecasts of orders after receipts and reports are sent, since nobody waits for them."""
        if not self.club.store.notes(f"{FORECAST} "):
            return
        from pbem.judge.letters.order_explanations import send_forecasts

        made = [_line("game", done) for done in send_forecasts(self.club)]
        yield from made
        if made:
            yield from self._mail_out()

    def _journal(self) -> Iterator[Line]:
        """Write new ledger entries to the journal; letters about entries that it lacks are not sent."""
        settings = read_journal(self.club)
        try:
            keep_records(self.club, settings)
            if settings is not None and self.settings is not None:
                from pbem.mail.restore_sources import mail_records

                mail_records(self.club, settings, self.settings)
            self._note_trouble("journal", "")
        except (JournalFault, MailError) as fault:
            self._note_trouble("journal", str(fault))
            yield Line("journal", str(fault), trouble=True)

    def _is_counted(self) -> bool:
        """Write into the mailbox's counter what this folder signed; return False if the mailbox fails."""
        if self.settings is None:
            return True
        from pbem.mail.club_mailbox import write_counter

        try:
            write_counter(self.club, self.settings)
        except MailError as fault:
            self._note_trouble("in", str(fault))
            return False
        return True

    def _mail_out(self, *, early: bool = False) -> Iterator[Line]:
        """Send the mail that is due; `early` means that games have not been played in this pass yet."""
        yield from self._journal()
        if not self._is_counted():
            yield from self._send(alerts_only=True)
            return
        if self.box is not None:
            yield from self._visit_box(self.box.letters_out(self.settings))
        for path in letter_files.deliver(self.club):
            yield Line("out", f"wrote {path}")
        yield from self._send(early=early)

    def _send(self, *, alerts_only: bool = False, early: bool = False) -> Iterator[Line]:
        if self.settings is None:
            return
        if not self.club.store.unsent_letters():  # what writes a mail is loaded only for one
            self._note_trouble("out", "")
            return
        from pbem.mail.outbox import send_mail

        try:
            for sent in send_mail(self.club, self.settings, alerts_only=alerts_only, early=early):
                what = f"{sent.letter} to {sent.player or 'a sender'}"
                if sent.trouble:
                    text = f"{what} was not taken: {sent.trouble}"
                    if sent.given_up:
                        yield Line("out", f"{text}; it is not sent again", trouble=bool(sent.player))
                    else:
                        yield Line("out", f"{text}; it will be tried again")
                else:
                    yield Line("out", f"sent {what}")
                if sent.fault:
                    yield Line("out", f"{sent.letter} has no page: {sent.fault}, a fault in the program")
            self._note_trouble("out", "")
        except MailError as fault:
            self._note_trouble("out", str(fault))
            yield Line("out", str(fault), trouble=True)

    def _wake(self) -> Iterator[Line]:
        """Write to the notifier's folder which readers to wake, if the club has a notifier."""
        if "notify" not in self.club.settings:
            return
        from pbem.service.waking import wake_readers

        try:
            for text in wake_readers(self.club):
                yield Line("wake", text)
            self._note_trouble("notify", "")
        except (ConfigError, OSError) as fault:
            self._note_trouble("notify", str(fault))
            yield Line("wake", str(fault), trouble=True)

    def _tidy(self) -> Iterator[Line]:
        """Store games' lines for `pbem club status`; once a day delete what was kept for long enough."""
        if self._done:  # while the ledgers that have grown are read already
            from pbem.judge.game_status import status_lines

            status_lines(self.club)
        if self.box is not None:
            self.box.tidy()
        today, yesterday = (utc_text(self.club.clock() - timedelta(days=back))[:10] for back in (0, 1))
        if self.settings is None or self.club.store.note("tidied") == today:
            return
        days = self.settings.keep_days
        before = utc_text(self.club.clock() - timedelta(days=days)) if days else ""
        with self.club.store.step():
            self.club.store.forget_counts(before=yesterday)
            count = self.club.store.forget_incoming(before=before)
            self.club.store.put_note("tidied", today)
        if not days:
            return
        if count:
            yield Line("kept", f"{count} mails older than {days} days are no longer kept")
        from pbem.mail.club_mailbox import delete_handled

        try:
            if deleted := delete_handled(self.club, self.settings, before):
                yield Line("kept", f"{deleted} handled mails were deleted in the maildir")
        except MailError as fault:
            yield Line("kept", str(fault), trouble=True)

    def _note_trouble(self, way: str, text: str) -> None:
        """Note the last trouble with a mail server for `pbem club status`; "" clears the note."""
        name = f"{TROUBLE} {way}"
        before = self.club.store.note(name)
        since = before.partition(": ")[0] or f"since {utc_text(self.club.clock())}"
        if before != (now := f"{since}: {text}" if text else ""):
            with self.club.store.step():
                self.club.store.put_note(name, now)


def _line(step: str, done: Done) -> Line:
    return Line(step, done.text, done.game, done.is_stopped)


@contextmanager
def _lock(club: Club, *, wait: bool = False) -> Iterator[None]:
    """Hold the lock of a club, which allows one pass at a time and is freed when the process ends."""
    with (club.path / "pass.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise Busy("another pass runs in this club now; this one does nothing") from None
        yield
