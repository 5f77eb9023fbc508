"""The commands by which a game master acts on a game: act, extend, replace-key."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from pbem.cli.options import CLUB, EXISTING_FILE
from pbem.trust.identifiers import quote
from pbem.trust.times import utc_text

REASON = click.option("--reason", required=True, help="Why; all players see it.")
CONSENT = click.option(
    "--consent",
    "consents",
    multiple=True,
    type=EXISTING_FILE,
    help="A file that `pbem sign consent` has written; give this option once for each.",
)


def read_consents(paths: Iterable[Path]) -> list[bytes]:
    """Return the content of files with a consent.

    Raises:
        ConfigError: a file holds none.
    """
    from pbem.errors import ConfigError
    from pbem.trust.act_entries import read_consent
    from pbem.trust.faults import TrustFault

    found = {path: path.read_bytes() for path in paths}
    for path, data in found.items():
        try:
            read_consent(data)
        except TrustFault as fault:
            raise ConfigError(f"{path} holds no consent: {fault}") from None
    return [*found.values()]


@click.command("act")
@click.argument("game")
@click.argument(
    "what",
    type=click.Choice(["hold", "resume", "concede", "claim", "agree-draw", "roll-back", "correct", "go-on"]),
)
@click.argument("of", nargs=-1)
@REASON
@CONSENT
@CLUB
def act(
    game: str, what: str, of: tuple[str, ...], reason: str, consents: tuple[Path, ...], folder: Path
) -> None:
    """Hold, resume, correct, roll back or end a game; everybody sees the entry.

    Most of these acts need consent. 'concede' needs that of the player who concedes. 'agree-draw', and
    'go-on' with a release that plays past exchanges differently, need that of all who play. 'roll-back' and
    'correct' need that of all who play, or of the second official; OF is the first exchange that becomes
    void. 'correct' plays that exchange again with the same orders and dice, by the installed release or with
    another house rule; `pbem game replay` says when you need it. 'claim' is against a player who sends
    nothing, and needs that of all the others. With three or more players, a concession or a claim ends the
    game only if its rules say so; if not, the others play on.

    \b
    Examples:
      pbem game act demo hold --reason "the judge is on holiday"
      pbem game act demo concede alice --reason "by letter of 3 May" --consent alice.consent
      pbem game act demo roll-back 7 --reason "wrong map sent" --consent alice.consent --consent bob.consent
      pbem game act demo correct 7 border_control=battle --reason "as announced" --consent official.consent
    """
    from pbem.judge.acts import act as enter
    from pbem.judge.club import open_club
    from pbem.judge.letters.letters_out import deliver

    words = [word for word in of if "=" not in word]
    change = "".join(word for word in of if "=" in word)
    if len(words) > 1 or len(of) - len(words) > 1:
        raise click.UsageError(f"too many words: {quote(' '.join(of))}.")
    club = open_club(folder)
    given = read_consents(consents)
    click.echo(enter(club, game, what, "".join(words), change, reason=reason, consents=given))
    deliver(club)


@click.command()
@click.argument("game")
@click.argument("days", type=click.FloatRange(min=0, min_open=True))
@REASON
@CLUB
def extend(game: str, days: float, reason: str, folder: Path) -> None:
    """Move the deadline of a game's open exchange, before it has passed.

    \b
    Example:
      pbem game extend demo 3 --reason "bob is ill"
    """
    from pbem.judge.acts import extend as move
    from pbem.judge.club import open_club
    from pbem.judge.letters.letters_out import deliver

    club = open_club(folder)
    click.echo(f"{game}: the deadline is {utc_text(move(club, game, days, reason))}")
    deliver(club)


@click.command("replace-key")
@click.argument("file", required=False, type=EXISTING_FILE)
@click.option("--judge", is_flag=True, help="Instead of FILE: make a new key for the judge.")
@click.option(
    "--recovery",
    type=EXISTING_FILE,
    help="The judge's recovery key, if the judge's key is lost or stolen.",
)
@click.option("--reason", default="", help="Why others must consent; all players see it.")
@CONSENT
@CLUB
def replace_key(
    file: Path | None,
    judge: bool,
    recovery: Path | None,
    reason: str,
    consents: tuple[Path, ...],
    folder: Path,
) -> None:
    """Enter a seat's new key: signed by its old or recovery key, or with the others' consent.

    Consent is needed if both keys are lost, or if another person, who must be enrolled, takes the seat. The
    player who leaves, or all other players, or the second official can consent. Then the seat's letters go to
    the new person, and the last report is sent at once.

    The judge's own key is replaced in all running games at the same time. Every player's program checks the
    new one.

    \b
    Examples:
      pbem game replace-key alice.rotation
      pbem game replace-key carol.rotation --reason "alice has no time" --consent alice.consent
      pbem game replace-key --judge --recovery /media/stick/gm-recovery
    """
    from pbem.cli.options import echo_remark
    from pbem.judge.club import open_club
    from pbem.judge.letters.letters_out import deliver
    from pbem.judge.new_keys import replace_judge_key
    from pbem.judge.new_keys import rotate as enter
    from pbem.trust.keys import load_private_file, parse_public
    from pbem.trust.rotations import read_rotation

    if judge == (file is not None):
        raise click.UsageError("Give either a rotation file or --judge.")
    if file is None:
        by = load_private_file(recovery) if recovery else None
        club, games = replace_judge_key(open_club(folder, key=by), by)
        deliver(club)
        click.echo(f"judge's key {club.key.public.fingerprint}, in {', '.join(games) or 'no running game'}")
        return
    club = open_club(folder)
    given = read_consents(consents)
    click.echo(enter(club, file.read_bytes(), reason=reason, consents=given))
    deliver(club)
    change = read_rotation(file.read_bytes()).change
    known = club.store.player(change.player)
    if known is not None and known.fingerprint == change.old != parse_public(change.new).fingerprint:
        command = f"pbem club player add {change.player} {file} --in-place-of {change.old}"
        echo_remark(
            f"for new games and leagues {change.player} is enrolled with the old key still; {command} "
            "changes that"
        )
