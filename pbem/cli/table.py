"""The table of commands and the help made from it; it imports nothing, so that help comes at once.

`SECTIONS` is in the order in which `pbem --help` shows it. To add a command, write `pbem/cli/<module>.py`
with a click command named like the command (a `-` becomes a `_`) and add one line to the table. The first
line of the command's docstring is the table's help, and an example follows it; see seal in pbem/cli/home.py.

Imports of anything heavy stand inside the function, so that completion and the help of a command stay quick.
"""

WIDTH = 80


class Entry:
    """One command in the table: its module below `pbem.cli`, and its help in one line."""

    __slots__ = ("help", "module")

    def __init__(self, module: str, help: str) -> None:  # noqa: A002 - as click calls it
        self.module = module
        self.help = help


SECTIONS: dict[str, dict[str, Entry]] = {
    "Try": {
        "demo": Entry("demo", "Play a demonstration game by signed, sealed files."),
        "practice": Entry("practice", "Play against a bot on this machine, without a judge."),
    },
    "Player": {
        "keygen": Entry("home", "Make a key to sign orders and open reports with."),
        "join": Entry("home", "Write the signed file with which you ask to take part in a game."),
        "receive": Entry("home", "Open, check and keep what the judge has sent, and show it."),
        "send": Entry("post", "Post sealed orders, or what you have signed, in the judge's post box."),
        "fetch": Entry("post", "Fetch letters from the judge's post box, check, keep and show them."),
        "fetch-key": Entry(
            "post", "Name a key that may fetch your letters, without a passphrase, and can do nothing else."
        ),
        "turn": Entry("turn", "Take a turn: read the mail, write orders, check, seal, and write the answer."),
        "guide": Entry("guide", "Show a page: a first turn, a game's orders, how to write a game."),
        "check": Entry(
            "check", "Look at orders before you send them: mistakes, what is understood, and a forecast."
        ),
        "bot": Entry("practice", "Let a bot write the orders that a report asks for."),
        "seal": Entry("home", "Sign and seal orders to the judge."),
        "reveal": Entry("home", "Sign and seal your reveal of an exchange that has been closed."),
        "odds": Entry("odds", "Compute the exact odds of a fight between two known forces."),
        "profile": Entry("home", "Sign your time zone, and whether your opponents may know your address."),
        "claim": Entry("game_master", "Sign that you claim a game from an opponent who sends nothing."),
        "absent": Entry("home", "Sign that you are away; the judge moves deadlines in that time."),
        "page": Entry("page", "Write a report as a page with a picture, for a browser."),
        "web": Entry("web", "Write the site with which people play in a browser, and install nothing."),
        "games": Entry("games", "List the games that you play: what is open, until when, and what you sent."),
        "consent": Entry(
            "game_master", "Sign that you consent to an act of the game master, while an exchange is open."
        ),
        "rotate": Entry(
            "keys", "Sign that a new key replaces that of your seat in a game, while EXCHANGE is open."
        ),
        "sheet": Entry(
            "keys", "Print your reveals of a game, and your recovery key, to keep in a safe place."
        ),
    },
    "Judge": {
        "init": Entry("club", "Make a club folder with the judge's keys and an empty database."),
        "player": Entry("club", "Enrol players with their public keys, or list them."),
        "new": Entry("opening", "Open a game and invite its players."),
        "game": Entry("opening", "Show who plays a game, until when, and how it can be checked."),
        "submit": Entry("club", "Give the judge sealed order files, or what players have signed."),
        "run": Entry("passes", "Do one pass: read mail, play what is complete, send mail."),
        "serve": Entry("passes", "Do a pass every few minutes, until you stop it."),
        "box": Entry("box", "Serve the post box in FOLDER, until you stop it."),
        "status": Entry(
            "passes",
            "Show every game in one line, what players have signed, and what is wrong with mail.",
        ),
        "show": Entry("club", "Show where a game stands, as a side, the public or the game master sees it."),
        "report": Entry("club", "Print the last report of a side, or the public one."),
        "resend": Entry("club", "Send a player's letters of a game again, for example if they are lost."),
        "replay": Entry(
            "disputes", "Play stored games again by the installed rules and compare every entry and report."
        ),
        "act": Entry(
            "game_master", "Hold, resume, correct, roll back or end a game; everybody sees the entry."
        ),
        "extend": Entry("game_master", "Move the deadline of a game's open exchange, before it has passed."),
        "replace-key": Entry(
            "keys", "Enter a seat's new key: signed by its old or recovery key, or with the others' consent."
        ),
    },
    "League": {
        "league": Entry("league", "Run a league, take part in one, and see where it stands."),
    },
    "Mail": {
        "mail": Entry("mail", "Look at mails as the judge does."),
    },
    "Proof": {
        "export": Entry("audit", "Write a game's bundle, which anybody can check."),
        "audit": Entry("audit", "Check a bundle: offline, without database or secrets."),
        "complete": Entry(
            "audit", "Make the bundle of everything without the judge, with the second official's letter."
        ),
        "explain": Entry(
            "disputes", "Explain an event: whose order caused it, by which rules, with which dice."
        ),
        "what-if": Entry(
            "disputes", "Play a resolved exchange again with one order line or house rule changed."
        ),
    },
    "Write": {
        "new-game": Entry("new_game", "Write the files with which a game of your own begins."),
    },
    "Set up": {
        "doctor": Entry("upkeep", "Check the club's set-up, and say what to do about what is wrong."),
        "apart": Entry(
            "upkeep", "Show what is set apart because something went wrong in it, and try or drop it."
        ),
        "backup": Entry("upkeep", "Write everything of the club into one archive."),
        "restore": Entry("upkeep", "Unpack a backup, and add what its journal holds."),
        "confirm": Entry("upkeep", "After a restore, enter the highest head of a game that was ever sent."),
        "put-away": Entry("upkeep", "End a restored game of which something is lost; all players consent."),
        "take-over": Entry("upkeep", "Go on in this folder, and stop every copy of it."),
        "forget": Entry("upkeep", "Drop a player's address, mails and letters; the ledgers stay."),
        "completion": Entry("completion", "Print the script with which your shell completes commands."),
    },
}

COMMANDS: dict[str, Entry] = {name: entry for rows in SECTIONS.values() for name, entry in rows.items()}


HEAD = """\
Usage: pbem [OPTIONS] COMMAND [ARGS]...

  A play-by-email judge for hidden-information board games.

  Every command explains itself, with an example: pbem COMMAND --help.

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.
"""


def help_text() -> str:
    """Return the text that `pbem --help` shows."""
    parts = [HEAD]
    column = 2 + max(map(len, COMMANDS)) + 2
    for title, rows in SECTIONS.items():
        lines = [f"{title}:"]
        for name, entry in rows.items():
            lines.append(f"  {name}".ljust(column - 1))
            for word in entry.help.split():
                if len(lines[-1]) + 1 + len(word) > WIDTH:
                    lines.append(" " * (column - 1))
                lines[-1] += f" {word}"
        parts.append("".join(f"{line}\n" for line in lines))
    return "\n".join(parts)
