"""The commands by which a game master acts on a game, and players and officials consent to that."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.cli.club import CLUB
from pbem.cli.home import OUT, PASSPHRASE_FILE
from pbem.cli.signed_help import consents, signs
from pbem.trust.identifiers import quote
from pbem.trust.times import utc_text

REASON = click.option("--reason", required=True, help="Why; all players see it.")
CONSENT = click.option(
    "--consent",
    "consents",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A file that `pbem sign consent` has written; give this option once for each.",
)
GENESIS = click.option(
    "--genesis", default="", metavar="HEAD", help="The head of the game's first entry, if it is not here."
)


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
    from pbem.judge.acts.entering import act as enter
    from pbem.judge.club import open_club
    from pbem.judge.letters.letter_files import deliver

    words = [word for word in of if "=" not in word]
    change = "".join(word for word in of if "=" in word)
    if len(words) > 1 or len(of) - len(words) > 1:
        raise click.UsageError(f"too many words: {quote(' '.join(of))}.")
    club = open_club(folder)
    given = [path.read_bytes() for path in consents]
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
    from pbem.judge.acts.entering import extend as move
    from pbem.judge.club import open_club
    from pbem.judge.letters.letter_files import deliver

    club = open_club(folder)
    click.echo(f"{game}: the deadline is {utc_text(move(club, game, days, reason))}")
    deliver(club)


@click.command()
@click.argument("game")
@click.argument("exchange", type=click.IntRange(min=1))
@click.argument("to", nargs=-1, required=True)
@click.option("--as", "by", required=True, metavar="NAME", help="Your name in the game.")
@click.option("--key", help="The name of your key, if it is not called like you.")
@GENESIS
@click.option(
    "--lost",
    default=0,
    metavar="N",
    help="How many entries a restored game has lost, to show that you know it.",
)
@PASSPHRASE_FILE
@OUT
@consents
def consent(
    game: str,
    exchange: int,
    to: tuple[str, ...],
    by: str,
    key: str | None,
    genesis: str,
    lost: int,
    passphrase_file: Path | None,
    out: Path | None,
) -> None:
    """Sign that you consent to an act of the game master, while an exchange is open.

    \b
    ACTS

    It counts only for this game, because it names the head of the game's first entry. A consent to put-away
    also names the judge's last head. Before you sign it, you are told what is lost after that head.

    \b
    Examples:
      pbem sign consent demo 9 roll-back 7 --as alice --out alice.consent
      pbem sign consent demo 9 extend 2026-08-15T18:00:00Z --as alice --out alice.consent
      pbem sign consent demo 9 put-away 41 HEAD --as alice --lost 12 --out alice.consent
    """
    from pbem.cli.home import _deliver, _home

    home = _home(passphrase_file)
    _deliver(home.consent(game, exchange, by, " ".join(to), key=key, genesis=genesis, lost=lost), out)


@click.command()
@click.argument("game")
@click.argument("player")
@click.option("--as", "by", metavar="NAME", help="Your name in the game; the program checks it.")
@PASSPHRASE_FILE
@OUT
@signs("claim")
def claim(game: str, player: str, by: str | None, passphrase_file: Path | None, out: Path | None) -> None:
    """Sign a claim against a player who sends nothing.

    Your ledger of the game must show that this player sent nothing for the last two exchanges or more, and
    nothing for the open one. Mail the claim to the judge. The game master decides, or has already decided in
    the settings.

    \b
    Example:
      pbem sign claim demo bob --as alice --out claim.txt
    """
    from pbem.cli.home import _deliver, _home

    _deliver(_home(passphrase_file).claim(game, player, by=by), out)
