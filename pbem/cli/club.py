"""The judge's commands on a club: init, player, submit and resend."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.options import CLUB, EXISTING_FILE, FILE, FOLDER, NEW_FILE, echo_remark, open_folder

if TYPE_CHECKING:
    from pbem.judge.club import Club


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--name", help="The club's name; by default the folder's.")
@click.option("--days", type=float, default=7, show_default=True, help="How long an exchange is open.")
@click.option(
    "--recovery",
    type=NEW_FILE,
    help="Write a recovery key of the judge to this file; keep it in a safe place. Each game names the key.",
)
@click.option(
    "--systemd",
    is_flag=True,
    help="Also write systemd units and lines for cron; it also works in a club that exists.",
)
@click.option(
    "--journal",
    type=FOLDER,
    help="A folder on another disk for the journal, with which a lost disk ends no game.",
)
def init(
    folder: Path,
    name: str | None,
    days: float,
    recovery: Path | None,
    systemd: bool,
    journal: Path | None,
) -> None:
    """Make a club folder with the judge's keys and an empty database.

    At a terminal it asks for the folder of the journal.

    \b
    Examples:
      pbem club init club --journal /media/stick/journal
      pbem club init club --name "Stirling Bridge" --recovery /media/stick/gm-recovery
      pbem club init club --systemd
    """
    from pbem.judge.club import create_club

    exists = (folder / "club.toml").exists()
    if systemd and exists:
        _write_units(folder)
        return
    if journal is None and not exists and sys.stdin.isatty() and sys.stdout.isatty():
        journal = _ask_for_journal(folder)
    club = create_club(folder, name or folder.resolve().name, days, recovery=recovery, journal=journal)
    click.echo(f"club {club.name} in {folder}")
    click.echo(f"judge's key {club.key.public.fingerprint}")
    echo_remark("keep a copy of keys/master on paper; without it no game can be finished")
    if systemd:
        _write_units(folder)


def _ask_for_journal(folder: Path) -> Path | None:
    """Ask for the folder of the journal until one can be used; return None if there is to be no journal."""
    from pbem.errors import ConfigError
    from pbem.judge.club import check_journal_folder

    click.echo("Without a journal, a lost disk ends every game that has moved since the last backup.")
    question = "Folder for it on another disk (Enter: none)"
    while given := click.prompt(question, default="", show_default=False):
        try:
            check_journal_folder(folder, Path(given))
        except ConfigError as problem:
            echo_remark(problem)
        else:
            return Path(given)
    return None


def _write_units(folder: Path) -> None:
    from pbem.judge.upkeep.schedule_files import CRON, SYSTEM, UNITS, unit_name, write_units

    program = (
        Path(sys.argv[0]).resolve()
        if Path(sys.argv[0]).name == "pbem"
        else Path(sys.executable).parent / "pbem"
    )
    written = write_units(folder, str(program))
    judge, box, backup, timer = (written[unit_name(end)] for end in UNITS)
    machine = judge.resolve().parent / SYSTEM
    click.echo(f"wrote {judge}: systemctl --user enable --now {judge.resolve()}; loginctl enable-linger")
    click.echo(
        f"wrote {backup} and {timer}, a backup each night: systemctl --user link {backup.resolve()}; "
        f"systemctl --user enable --now {timer.resolve()}"
    )
    click.echo(f"wrote {box}, for a club with a post box: systemctl --user enable --now {box.resolve()}")
    click.echo(
        f"wrote {machine}: instead, the machine's units, which wait for its network and clock; as root: "
        f"systemctl link {machine / backup.name}; systemctl enable --now {machine / judge.name} "
        f"{machine / timer.name}; with a post box systemctl enable --now {machine / box.name}"
    )
    click.echo(f"wrote {written[CRON]}: instead of the units, you can add these lines with crontab -e")
    names = ", ".join(str(written[unit_name(end, "@")]) for end in UNITS)
    click.echo(f"wrote {names}: the same units for every club in {folder.resolve().parent}")


@click.group()
def player() -> None:
    """Enrol players with their public keys, or list them.

    \b
    Example:
      pbem club player add alice alice.pub
    """


@player.command("add")
@click.argument("name")
@click.argument("key", type=EXISTING_FILE, required=False)
@click.option(
    "--address",
    default="",
    help="Where the player's letters go; without it, to the address in the join file.",
)
@click.option(
    "--in-place-of",
    default="",
    metavar="SHA256:...",
    help="The fingerprint of the enrolled key, which the player has lost; make sure that it is they who ask.",
)
@CLUB
def player_add(name: str, key: Path | None, address: str, in_place_of: str, folder: Path) -> None:
    """Enrol a player with a public key file, a join file, or a new key that they have signed (rotation).

    Who is enrolled already keeps their key without KEY, and gets the address. The wish in a join file waits
    until its game is opened, as if it had come by mail. With --in-place-of they get another key for new
    games, leagues and what they sign for the club; games that go on keep to theirs (pbem game replace-key).

    \b
    Examples:
      pbem club player add alice alice.pub --address alice@example.org
      pbem club player add alice --address alice@example.org
      pbem club player add alice alice2.pub --in-place-of SHA256:...
    """
    from pbem.errors import ConfigError
    from pbem.trust.keys import parse_public
    from pbem.trust.player_statements import read_join
    from pbem.trust.rotations import read_rotation

    club = open_folder(folder)
    known, written, join = club.store.player(name), club.out / name, None
    data = key.read_bytes() if key else b""
    if key is None:
        if known is None:
            raise ConfigError(f"{name} is not enrolled: name their key file or join file after the name")
        if not address:
            raise ConfigError(f"{name} is enrolled: give their address with --address, or a key file")
        public = parse_public(known.key)
    elif data.startswith(b"pbem1 join"):
        join = read_join(data)
        if join.player != name:
            raise ConfigError(f"this is the join file of {join.player}, not of {name}")
        public, address = join.key, address or join.share
    elif data.startswith(b"pbem1 rotate"):
        change = read_rotation(data).change
        if name != (change.person or change.player):
            raise ConfigError(f"this is the new key of {change.person or change.player}, not of {name}")
        public = parse_public(change.new)
    else:
        public = parse_public(data.decode("utf-8", errors="replace"))

    club.add_player(name, public, address, in_place_of=in_place_of)
    if address and known is not None and not known.address and written.is_dir():
        echo_remark(
            f"what was written to {name} before lies in {written} and is not mailed by itself; "
            f"to send it: pbem game resend GAME {name}; or {name} mails the judge: resend GAME"
        )
    click.echo(f"{name} {public.fingerprint}")
    if join is not None:
        from pbem.mail.command_runner import take_from_file

        if club.store.head(join.game)[0]:
            click.echo(f"{join.game} is open already, and nobody joins it by this file")
            return
        take_from_file(club, data)
        click.echo(f"{name} wishes to join {join.game}: who is seated there by name takes part in its dice")


@player.command("list")
@click.option("--json", "as_json", is_flag=True, help="For programs; also games, and who is silent in them.")
@CLUB
def player_list(as_json: bool, folder: Path) -> None:
    """List the enrolled players with their keys.

    Below a player are the games in which another key signs for their seat, now or from an exchange on.

    \b
    Example:
      pbem club player list
    """
    from pbem.judge.game_status import player_facts, seat_keys
    from pbem.trust.keys import parse_public

    club = open_folder(folder)
    if as_json:
        import json

        click.echo(json.dumps({"players": player_facts(club)}, indent=2))
        return
    seats = seat_keys(club)
    for row in club.store.players():
        click.echo(f"{row.name} {parse_public(row.key).fingerprint} {row.address}".rstrip())
        for line in seats.get(row.name, []):
            click.echo(f"  {line}")


@click.command("submit")
@click.argument("files", nargs=-1, type=FILE)
@click.option("--what-if", is_flag=True, help="For a file about a league: only say what it would do.")
@CLUB
def submit(files: tuple[Path, ...], what_if: bool, folder: Path) -> int:
    """Give the judge sealed order files, or what players have signed.

    What players sign is an absence, a profile, a consent, a claim, a new key, or a text about a league. Use
    this command if it did not come by mail.

    \b
    Examples:
      pbem club submit orders.age
      pbem club submit absence.txt
    """
    from pbem.judge.agenda import far_ahead
    from pbem.judge.intake.desk import MAX_SUBMISSION_SIZE
    from pbem.judge.intake.desk import submit as hand_in
    from pbem.judge.letters.letter_files import deliver
    from pbem.mail.mail_text import decode, only_file
    from pbem.trust.armor import find_blocks

    club = open_folder(folder)
    if ahead := far_ahead(club):
        echo_remark(ahead)
    accepted = True
    for file in files or (Path("-"),):
        which = f"{file}: " if len(files) > 1 else ""
        raw = only_file(_first_bytes(file, MAX_SUBMISSION_SIZE + 1), MAX_SUBMISSION_SIZE)
        text = decode(raw)
        statements, fault = [], ""
        if "pbem1" in text or "SSH SIGNATURE" in text:  # sealed orders need none of what this imports
            from pbem.mail.statements import find_fault, find_statements

            statements, fault = list(find_statements(text)), find_fault(text)
        if what_if:
            _would_say(club, file, statements)
            continue
        if statements:
            from pbem.mail.command_runner import REFUSED, take_from_file

            for said in take_from_file(club, raw):
                refused = said.startswith(REFUSED)
                accepted = accepted and not refused
                click.echo(f"pbem: {which}{said}" if refused else said, err=refused)
            continue
        if fault and not find_blocks(text):
            accepted = False
            echo_remark(f"{which}{fault}")
            continue
        for verdict in hand_in(club, raw):
            accepted = accepted and verdict.is_accepted
            refused = not verdict.is_accepted
            click.echo(f"pbem: {which}{verdict.text}" if refused else verdict.text, err=refused)
    deliver(club)
    return 0 if accepted else 1


def _first_bytes(file: Path, most: int) -> bytes:
    """Return a file's first bytes; a file larger than any that counts is not read to its end."""
    if str(file) == "-":
        return sys.stdin.buffer.read(most)
    with file.open("rb") as opened:
        return opened.read(most)


def _would_say(club: Club, file: Path, statements: list[bytes]) -> None:
    from pbem.judge.leagues.desk import take_statement

    if not statements or not all(one.startswith(b"pbem1 league\n") for one in statements):
        raise click.UsageError(
            f"--what-if is for what is signed about a league, and {file} is something else."
        )
    for one in statements:
        click.echo(take_statement(club, one, what_if=True).text)


@click.command()
@click.argument("game")
@click.argument("player")
@CLUB
def resend(game: str, player: str, folder: Path) -> None:
    """Send a player's letters of a game again, for example if they are lost.

    They go by mail if the club has the player's address; if not, they are written as files.

    \b
    Example:
      pbem game resend demo alice
    """
    from pbem.judge.letters.letter_files import resend as write_anew

    for line in write_anew(open_folder(folder), game, player):
        click.echo(line)
