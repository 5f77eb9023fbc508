"""The commands for a club's upkeep: doctor, backup, restore, confirm and forget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.game import CONSENT, REASON, read_consents
from pbem.cli.options import CLUB, EXISTING_FILE, FOLDER, NEW_FILE, echo_remark, open_folder
from pbem.errors import LedgerError, PbemError

if TYPE_CHECKING:
    from pbem.audit.restoration import HandedOver
    from pbem.judge.club import Club
    from pbem.judge.upkeep.journal import Replayed
    from pbem.mail.restore_sources import Heads

MAILS = click.Path(path_type=Path, exists=True)


@click.command()
@CLUB
def doctor(folder: Path) -> int:
    """Check the club's set-up, and say what to do about what is wrong.

    It looks at keys, settings, database, ledgers, clock, disk, mailbox and mail server. Ends with 1 if
    something is wrong; advice is not that.

    \b
    Example:
      pbem club doctor --club club
    """
    from pbem.service.doctor import examine

    wrong = False
    for finding in examine(open_folder(folder)):
        wrong = wrong or finding.wrong
        click.echo(f"{finding.state:<6} {finding.what}: {finding.text}")
    return 1 if wrong else 0


@click.command()
@click.argument("name", default="")
@click.option("--again", is_flag=True, help="Try it again in the next pass.")
@click.option("--drop", is_flag=True, help="Give up a file or mail; it is kept, but not tried again.")
@CLUB
def apart(name: str, again: bool, drop: bool, folder: Path) -> int:
    """Show what is set apart because something went wrong in it, and try or drop it.

    NAME is the number of a file or mail, or the name of a game or league. Ends with 1 if something is set
    apart.

    \b
    Example:
      pbem club apart
      pbem club apart 17 --again
    """
    from pbem.judge.intake import quarantine as kept

    if again and drop:
        raise click.UsageError("use either --again or --drop, not both")
    if (again or drop) and not name:
        raise click.UsageError("name the thing to try again or to drop")
    club = open_folder(folder)
    if again:
        kept.try_again(club, kept.find(club, name))
        click.echo(f"{name}: tried again in the next pass")
        return 0
    if drop:
        kept.drop(club, kept.find(club, name))
        click.echo(f"{name}: dropped")
        return 0
    found = [kept.find(club, name)] if name else kept.all_apart(club)
    for one in found:
        click.echo(one.text)
    if not found:
        click.echo("nothing is set apart")
    return 1 if found else 0


@click.command()
@click.argument("archive", type=NEW_FILE, required=False)
@click.option(
    "--into",
    type=FOLDER,
    help="A folder; the backup there is named after the time.",
)
@click.option(
    "--keep", type=click.IntRange(min=1), default=14, show_default=True, help="How many backups stay there."
)
@CLUB
def backup(archive: Path | None, into: Path | None, keep: int, folder: Path) -> None:
    """Write everything of the club into one archive.

    The program restores it once, as a test. It holds the judge's secrets: keep it where nobody else can read
    it.

    \b
    Examples:
      pbem club backup /media/stick/club-2026-08-01.tar.gz
      pbem club backup --into /media/stick/backups --keep 14
    """
    from pbem.judge.upkeep.backups import backup as write
    from pbem.judge.upkeep.backups import rotate

    if (archive is None) == (into is None):
        raise click.UsageError("Name either an archive, or a folder by --into.")
    club = open_folder(folder)
    if into is not None:
        archive = rotate(club, into, keep)
    elif archive is not None:
        write(club, archive)
    assert archive is not None
    click.echo(f"{archive}: {archive.stat().st_size:,} bytes, restored once and found whole")


@click.command()
@click.argument("archive", type=EXISTING_FILE)
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option(
    "--rehearse", is_flag=True, help="Only say what would go on; what is unpacked is removed again."
)
@click.option(
    "--journal",
    multiple=True,
    type=MAILS,
    help="The journal since the backup: its folder, or the mail of sent_to (a Maildir, an mbox, or one "
    "mail).",
)
@click.option(
    "--from-players",
    "handed_over",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="A file that a player has written with 'pbem game hand-over', or a bundle.",
)
@click.option(
    "--sent",
    multiple=True,
    type=MAILS,
    help="With --rehearse: the judge's sent mail, to say which games it would confirm.",
)
def restore(
    archive: Path,
    folder: Path | None,
    rehearse: bool,
    journal: tuple[Path, ...],
    handed_over: tuple[Path, ...],
    sent: tuple[Path, ...],
) -> int:
    """Unpack a backup, and add what its journal holds.

    The folder must be new. Nothing leaves it and no mail is read before 'pbem club take-over'. The judge
    signs nothing for a game until you confirm the game, or a journal shows that nothing is missing. The
    journal in the folder that club.toml names is always read. With --rehearse there is no FOLDER: every game
    is played again by the installed rules, --sent is read, and it ends with 1 if a game would not go on.

    With --from-players, once for each file, games are rebuilt from what players have kept, as far as it is
    proven. Such a game goes on only if the counter in the mailbox, the judge's sent mail or a journal shows
    that no later letter was sent; otherwise end it with 'pbem club put-away'.

    \b
    Examples:
      pbem club restore club-2026-08-01.tar.gz club
      pbem club restore club-2026-08-01.tar.gz club --journal Maildir/.Sent
      pbem club restore club-2026-08-01.tar.gz club --from-players alice.tar.gz --from-players bob.tar.gz
      pbem club restore club-2026-08-01.tar.gz --rehearse --sent Maildir/.Sent
    """
    from pbem.judge.agenda import unconfirmed_ledgers
    from pbem.judge.upkeep.backups import restore as unpack

    if rehearse == (folder is not None):
        raise click.UsageError("Name either a new folder, or say --rehearse.")
    if folder is None:
        return _rehearse(archive, journal, handed_over, sent)
    if sent:
        raise click.UsageError(
            "--sent belongs to --rehearse; a restored club is confirmed by: pbem club confirm --sent MAILDIR"
        )
    club = unpack(archive, folder, _records(journal), _tell_of_journal, _rebuilder(handed_over))
    click.echo(f"club {club.name} in {folder}")
    games = unconfirmed_ledgers(club)
    for game in games:
        echo_remark(f"enter the highest head that was sent: pbem club confirm {game} SIZE HEAD")
    if games:
        echo_remark("or let all that the judge has sent show it: pbem club confirm --sent MAILDIR")
    click.echo(
        f"nothing leaves it and no mail is read before: pbem club take-over --club {folder} (first stop the "
        "judge of the other folder)"
    )
    return 0


def _records(journals: Iterable[Path]) -> Iterator[bytes]:
    """Yield the records of journals; print the name of each that has none."""
    from pbem.mail.restore_sources import read_records

    for journal in journals:
        is_empty = True
        for record in read_records([journal]):
            is_empty = False
            yield record
        if is_empty:
            echo_remark(f"{journal} holds no record of a journal")


def _rehearse(
    archive: Path, journal: tuple[Path, ...], handed_over: tuple[Path, ...], sent: tuple[Path, ...]
) -> int:
    """Restore into a folder that is removed again; print of each game and league whether it would go on.

    Every game is played again. The sent mail says which of the waiting games and leagues it would confirm.
    """
    from tempfile import TemporaryDirectory

    from pbem.judge.agenda import read_agendas, unconfirmed_ledgers
    from pbem.judge.upkeep.backups import restore as unpack
    from pbem.mail.restore_sources import read_sent

    goes_on = True
    with TemporaryDirectory(prefix="pbem-rehearsal-") as place:
        target = Path(place) / "club"
        club = unpack(archive, target, _records(journal), _tell_of_journal, _rebuilder(handed_over))
        waits = unconfirmed_ledgers(club)
        stopped = {one.game: one.trouble for one in read_agendas(club).values() if one.game not in waits}
        heads = read_sent(waits, sent) if sent else {}
        games = [*club.store.heads()]
        for name in (*games, *(row.name for row in club.store.leagues())):
            trouble = stopped.get(name, "") or (_plays_otherwise(club, name) if name in games else "")
            text = f"would be stopped: {trouble}" if trouble else "would go on"
            if name in waits and not trouble:
                trouble, text = _confirm_head(club, name, heads.get(name))
            goes_on = goes_on and not trouble
            click.echo(f"{name} {text}")
        club.store.close()
    read = "only --sent was read" if sent else "no mail was read"
    click.echo(f"this was a rehearsal: {read}, nothing was sent, and what was unpacked is removed")
    return 0 if goes_on else 1


def _plays_otherwise(club: Club, game: str) -> str:
    """Play a restored game again; return what is wrong with it, or "" if it comes out as recorded."""
    from pbem.judge.adjudication import compare

    try:
        difference = compare(club, club.book(game))
    except PbemError as fault:
        return str(fault)
    return f"the installed rules play it differently: {difference}" if difference else ""


def _confirm_head(club: Club, name: str, heads: Heads | None) -> tuple[str, str]:
    """Return the state in which a game or league would go on waiting, and the same in words.

    The state is "" if the sent mail confirms the game or league.
    """
    from pbem.mail.restore_sources import lost_receipts, settle

    waits = "would wait until its highest head that was sent is entered: pbem club confirm"
    if heads is None:
        return "waits", waits
    try:
        size, _, shown = settle(club, name, heads)
    except PbemError as problem:
        return "waits", f"{waits}; the sent mail does not confirm it: {problem}"
    lost = "; ".join(
        f"no exchange would end before orders of {one.player} are here, for which {one.name} was sent"
        for one in lost_receipts(club, name, heads)
    )
    return "", f"would go on from {size} entries: {shown}{lost and f'; {lost}'}"


def _rebuilder(paths: tuple[Path, ...]) -> Callable[[Club], Mapping[str, str]]:
    """Return the function that adds to a restored club what players have handed over."""

    def bring_on(club: Club) -> Mapping[str, str]:
        from pbem.audit.restoration import read_handed_over

        games, faults = read_handed_over(paths)
        for fault in faults:
            echo_remark(fault)
        found = {game: _rebuild_game(club, game, handed) for game, handed in sorted(games.items())}
        return {game: lost for game, lost in found.items() if lost}

    return bring_on


def _rebuild_game(club: Club, game: str, handed: list[HandedOver]) -> str:
    """Add what players have handed over of one game; return what shows that even more was signed, or ""."""
    from pbem.audit.restoration import TwoHistories, rebuild
    from pbem.judge.upkeep.rebuilding import add_rebuilt, await_lost, lost_of, official_key, own_files

    try:
        own = own_files(club, game)
        found = rebuild(
            game, handed, own, club.roots(game), club.known_judge_key,
            official=official_key(club, (one.files for one in handed)), has_file=club.store.has_sealed,
        )  # fmt: skip
    except TwoHistories as proof:
        echo_remark(proof)
        return str(proof)
    except PbemError as problem:
        echo_remark(f"{game} is not rebuilt: {problem}")
        return ""
    for fault in found.faults:
        echo_remark(f"{game}: {fault}")
    try:
        added = add_rebuilt(club, game, found.size, found.files) if found.files else 0
    except PbemError as problem:
        echo_remark(f"{game} is not rebuilt: {problem}")
        return lost_of(game, 0, found.signed)
    click.echo(f"{game}: added {added} entries that players have kept, up to entry {found.size}")
    if found.missing:
        echo_remark(f"{game}: {found.missing}")
    for receipt in await_lost(club, game, found.receipts):
        echo_remark(
            f"{receipt.name} was sent to {receipt.player} for orders that are not here: they are taken "
            f"from the mailbox, or {receipt.player} sends the same file once more"
        )
    return lost_of(game, found.size, found.signed)


def _tell_of_journal(replayed: Replayed) -> None:
    if replayed.applied:
        click.echo(f"added {replayed.applied} records of its journal, up to {replayed.until}")
    elif replayed.has_begun:
        click.echo("the journal holds nothing that is not in the backup")
    for name in replayed.missing:
        echo_remark(f"{name} is not there")


@click.command()
@click.argument("game", required=False)
@click.argument("size", type=int, required=False)
@click.argument("head", required=False)
@click.option(
    "--sent", multiple=True, type=MAILS, help="The judge's sent mail: a Maildir, an mbox, or one mail."
)
@click.option("--from", "incoming", multiple=True, type=MAILS, help="Mail of players, in the same forms.")
@CLUB
def confirm(
    game: str | None,
    size: int | None,
    head: str | None,
    sent: tuple[Path, ...],
    incoming: tuple[Path, ...],
    folder: Path,
) -> int:
    """After a restore, enter the highest head of a game that was ever sent.

    Every report ends with size and head; take them from the last report that a player has. Or let the program
    read mail: all that the judge has sent, and orders of players, who sign what they have seen. Orders alone
    confirm nothing. Without GAME it confirms all games and leagues that wait, from the sent mail. It ends
    with 1 if one still waits.

    \b
    Examples:
      pbem club confirm --sent Maildir/.Sent
      pbem club confirm dunbar-7 --sent Maildir/.Sent --from Maildir
      pbem club confirm dunbar-7 41 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    """
    from pbem.judge.agenda import unconfirmed_ledgers
    from pbem.judge.upkeep.backups import confirm as enter
    from pbem.judge.upkeep.rebuilding import check_by_hand
    from pbem.mail.restore_sources import read_sent

    club = open_folder(folder)
    if game is not None and size is not None and head is not None and not sent and not incoming:
        check_by_hand(club, game)
        enter(club, game, size, head)
        click.echo(f"{game} goes on from there")
        return 0
    if size is not None or not (sent or incoming):
        raise click.UsageError("Give either GAME, SIZE and HEAD, or mail: --sent, --from.")
    if game is not None:
        _confirm_by_mail(club, game, read_sent([game], sent)[game], incoming)
        return 0
    games = unconfirmed_ledgers(club)
    if not games:
        click.echo("no game waits for it; after a restore the first pass says which do: pbem club run")
    waits = False
    for name, heads in read_sent(games, sent).items():
        try:
            _confirm_by_mail(club, name, heads, incoming)
        except PbemError as problem:
            echo_remark(f"{name}: {problem}")
            waits = True
    return 1 if waits else 0


def _confirm_by_mail(club: Club, game: str, heads: Heads, incoming: tuple[Path, ...]) -> None:
    """Confirm one game by the evidence that mails give, and enter the evidence."""
    from pbem.judge.upkeep.backups import confirm as enter
    from pbem.judge.upkeep.backups import note_contradicted
    from pbem.mail.restore_sources import lost_receipts, read_orders, settle

    if incoming and not game.startswith("league."):
        read_orders(club, game, incoming, heads)
    try:
        number, found, shown = settle(club, game, heads)
    except LedgerError as fault:
        note_contradicted(club, game, str(fault))
        raise
    note_contradicted(club, game, "")
    lost = lost_receipts(club, game, heads)
    enter(club, game, number, found, lost)
    click.echo(f"{game} goes on from {number} entries, head {found}: {shown}")
    for receipt in lost:
        echo_remark(
            f"{receipt.name} was sent to {receipt.player} for orders that the backup does not have; "
            "no exchange ends before they are here, from the mailbox or from the player"
        )


@click.command("put-away")
@click.argument("game")
@REASON
@CONSENT
@CLUB
def put_away(game: str, reason: str, consents: tuple[Path, ...], folder: Path) -> None:
    """End a restored game of which something is lost; all players consent.

    The judge signs nothing more for the game, so its players learn it by a letter, not by the ledger. Instead
    of all players, the second official can consent.

    \b
    Example:
      pbem club put-away demo --reason "the disk died" --consent alice.consent --consent bob.consent
    """
    from pbem.judge.upkeep.rebuilding import put_away as put

    click.echo(put(open_folder(folder), game, reason, read_consents(consents)))


@click.command("take-over")
@CLUB
def take_over(folder: Path) -> None:
    """Go on in this folder, and stop every copy of it.

    A copy of a club's folder signs nothing before this command. Stop the judge of the other folder first: it
    learns of this only when it next reads the mailbox of both.

    \b
    Example:
      pbem club take-over --club /srv/club
    """
    from pbem.judge.upkeep.folder_identity import take_over as take

    club = open_folder(folder)
    take(club.store)
    click.echo(f"{club.name} goes on in {folder}, and every other folder of it stops when it notices")


@click.command()
@click.argument("player")
@CLUB
def forget(player: str, folder: Path) -> None:
    """Drop a player's address, mails and letters; the ledgers stay.

    Only when all their games are over.

    \b
    Example:
      pbem club forget alice
    """
    from pbem.service.forgetting import forget as drop

    count = drop(open_folder(folder), player)
    click.echo(
        f"{player} is forgotten, with {count} mails; ledgers keep their name and key, which prove the games"
    )
