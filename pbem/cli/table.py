"""The table of commands and the help made from it; it imports one other table, so that help comes at once.

`SECTIONS` is what `pbem --help` shows, in its order; `GROUPS` is what stands below a group, as `pbem game`.
To add a command, write `pbem/cli/<module>.py` with a click command named like the command's last word (a `-`
becomes a `_`; give `function` if it is called otherwise) and add one line to the table. The first line of the
command's docstring is the table's help, and an example follows it; see seal in pbem/cli/play.py.

`OLD` has the names that commands had: they keep working, as units, cron lines, containers and letters have
them. The first level has at most `MAX_NAMES` names.

Imports of anything heavy stand inside the function, so that completion and the help of a command stay quick.
"""

from pbem.signed_texts import TEXTS

WIDTH = 80
MAX_NAMES = 31
"""Maximum number of names at the first level; whatever else is needed goes into a group."""


class Entry:
    """One command in the table: its module below `pbem.cli`, its help in one line, and the function.

    A group has no module; it has an example instead.
    """

    __slots__ = ("example", "function", "help", "module")

    def __init__(
        self,
        module: str,
        help: str,  # noqa: A002 - as click calls it
        *,
        function: str = "",
        example: str = "",
    ) -> None:
        self.module = module
        self.help = help
        self.function = function
        self.example = example


SECTIONS: dict[str, dict[str, Entry]] = {
    "Try": {
        "demo": Entry("standalone", "Play a demonstration game by signed, sealed files."),
        "practice": Entry("practice", "Play against a bot on this machine, without a judge."),
        "try": Entry(
            "practice",
            "Try a game out from where you stand in it. It is no part of the game.",
            function="attempt",
        ),
    },
    "Play": {
        "keygen": Entry("play", "Make a key to sign orders and open reports with."),
        "join": Entry("play", TEXTS["join"].help),
        "receive": Entry("play", "Open, check and keep what the judge has sent, and show it."),
        "send": Entry("post", "Post sealed orders, or what you have signed, in the judge's post box."),
        "fetch": Entry("post", "Fetch letters from the judge's post box, check, keep and show them."),
        "turn": Entry("turn", "Take a turn: read the mail, write orders, check, seal, and write the answer."),
        "sync": Entry(
            "post", "Keep a sealed copy of your home in the post box, for other devices and for a lost one."
        ),
        "check": Entry(
            "turn", "Look at orders before you send them: mistakes, what is understood, and a forecast."
        ),
        "seal": Entry("play", TEXTS["orders"].help),
        "sign": Entry(
            "",
            "Sign an absence, a profile, a consent, a claim or a new key, for the judge.",
            example="pbem sign absence --as alice --from 2026-08-01 --until 2026-08-14",
        ),
        "press": Entry("press", TEXTS["message"].help),
        "note": Entry("press", "Write or show your private notes about a game."),
        "odds": Entry("standalone", "Compute the exact odds of a fight between two known forces."),
        "page": Entry("show", "Write a report as a page with a picture, for a browser."),
        "games": Entry("turn", "List the games that you play: what is open, until when, and what you sent."),
        "guide": Entry("standalone", "Show a page: a first turn, a game's orders, how to write a game."),
    },
    "Run a club": {
        "club": Entry(
            "",
            "Make a club, enrol players, take what comes in, look after it, restore it.",
            example="pbem club status",
        ),
        "game": Entry(
            "",
            "Open a game, act on it, explain it, and prove it.",
            example="pbem game new clans-2 --players ann,ben,carl",
        ),
        "league": Entry("league", "Run a league, take part in one, and see where it stands."),
        "box": Entry("serving", "Serve the post box in FOLDER, until you stop it."),
        "notify": Entry("serving", "Call webhooks and wake devices of players, until you stop it."),
        "site": Entry("publishing", "Write the club as pages for everybody: games, leagues, open seats."),
        "desk": Entry("serving", "Open the director's desk in a browser on this machine, until you stop it."),
        "ratings": Entry("publishing", "Show ratings over all leagues and rated games, and share them."),
        "seat": Entry("publishing", "Offer seats on the club's pages: of a new game, or to a substitute."),
    },
    "Look and check": {
        "show": Entry("show", "Show a game: one of this club, one that you play, or a bundle."),
        "audit": Entry("evidence", "Check a bundle: offline, without database or secrets."),
    },
    "More": {
        "tool": Entry(
            "",
            "Help from the shell, a bot's orders, a strange mail, a game of your own.",
            example="pbem tool extract strange.eml",
        ),
    },
}
"""Commands at the first level, by the sections of the help."""

GROUPS: dict[str, dict[str, dict[str, Entry]]] = {
    "sign": {
        "All your games": {
            "absence": Entry("sign", TEXTS["absence"].help, function="absent"),
            "profile": Entry("sign", TEXTS["profile"].help),
            "fetch-key": Entry("post", TEXTS["fetch-key"].help),
        },
        "One game": {
            "consent": Entry(
                "sign",
                "Sign that you consent to an act of the game master, while an exchange is open.",
            ),
            "claim": Entry("sign", TEXTS["claim"].help),
            "rotation": Entry("sign", TEXTS["rotation"].help, function="rotate"),
        },
    },
    "club": {
        "Every day": {
            "run": Entry("passes", "Do one pass: read mail, play what is complete, send mail."),
            "status": Entry(
                "passes",
                "Show what waits for you, every game in one line, and what is wrong with mail.",
            ),
            "submit": Entry("club", "Give the judge sealed order files, or what players have signed."),
            "player": Entry("club", "Enrol players with their public keys, or list them."),
        },
        "Set up": {
            "init": Entry("club", "Make a club folder with the judge's keys and an empty database."),
            "doctor": Entry("upkeep", "Check the club's set-up, and say what to do about what is wrong."),
            "web": Entry(
                "serving", "Write the site with which people play in a browser, and install nothing."
            ),
        },
        "When something went wrong": {
            "apart": Entry(
                "upkeep", "Show what is set apart because something went wrong in it, and try or drop it."
            ),
            "forget": Entry("upkeep", "Drop a player's address, mails and letters; the ledgers stay."),
        },
        "Back up and restore": {
            "backup": Entry("upkeep", "Write everything of the club into one archive."),
            "restore": Entry("upkeep", "Unpack a backup, and add what its journal holds."),
            "confirm": Entry(
                "upkeep", "After a restore, enter the highest head of a game that was ever sent."
            ),
            "put-away": Entry(
                "upkeep", "End a restored game of which something is lost; all players consent."
            ),
            "take-over": Entry("upkeep", "Go on in this folder, and stop every copy of it."),
        },
    },
    "game": {
        "The game master": {
            "new": Entry("game", "Open a game and invite its players."),
            "info": Entry("game", "Show who plays a game, until when, and how it can be checked."),
            "act": Entry("game", "Hold, resume, correct, roll back or end a game; everybody sees the entry."),
            "extend": Entry("game", "Move the deadline of a game's open exchange, before it has passed."),
            "replace-key": Entry(
                "game",
                "Enter a seat's new key: signed by its old or recovery key, or with the others' consent.",
            ),
            "resend": Entry("club", "Send a player's letters of a game again, for example if they are lost."),
            "replay": Entry(
                "evidence",
                "Play stored games again by the installed rules and compare every entry and report.",
            ),
            "export": Entry("evidence", "Write a game's bundle, which anybody can check."),
        },
        "Anybody": {
            "explain": Entry(
                "evidence", "Explain an event: whose order caused it, by which rules, with which dice."
            ),
            "what-if": Entry(
                "evidence", "Play a resolved exchange again with one order line or house rule changed."
            ),
            "complete": Entry(
                "evidence",
                "Make the bundle of everything without the judge, with the second official's letter.",
            ),
            "sheet": Entry(
                "play", "Print your reveals of a game, and your recovery key, to keep in a safe place."
            ),
            "hand-over": Entry(
                "evidence",
                "Write what you have kept of a game into one file, for a judge whose disk is lost.",
            ),
        },
    },
    "tool": {
        "": {
            "bot": Entry(
                "practice", "Let a bot, or another program, write the orders that a report asks for."
            ),
            "completion": Entry("standalone", "Print the script with which your shell completes commands."),
            "extract": Entry("standalone", "Print what the judge would use of one mail, or why nothing."),
            "new-game": Entry("standalone", "Write the files with which a game of your own begins."),
        },
    },
}
"""Commands below each group, by the sections of the group's help."""

HIDDEN: dict[str, Entry] = {
    "reveal": Entry("play", TEXTS["reveal"].help),
    "serve": Entry("passes", "Do a pass every few minutes, until you stop it."),
    "report": Entry("show", "Print the last report of a side, or the public one."),
}
"""Commands that no help shows because others have replaced them; letters and units still name them."""

MOVED = {"absent": "sign absence", "rotate": "sign rotation", "mail extract": "tool extract"} | {
    "game show": "game info"
}
"""Old names of commands that differ from the new ones in more than a missing group."""

COMMANDS: dict[str, Entry] = {name: entry for rows in SECTIONS.values() for name, entry in rows.items()}
BELOW: dict[str, dict[str, Entry]] = {
    group: {name: entry for rows in sections.values() for name, entry in rows.items()}
    for group, sections in GROUPS.items()
}
OLD: dict[str, str] = MOVED | {
    name: f"{group} {name}" for group, rows in BELOW.items() for name in rows if name not in COMMANDS
}
"""Old names of commands, each with the words that are typed now."""


HEAD = """\
Usage: pbem [OPTIONS] COMMAND [ARGS]...

  A play-by-email judge for hidden-information board games.

  Every command explains itself, with an example: pbem COMMAND --help.

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.
"""
GROUP_HEAD = """\
Usage: pbem {name} [OPTIONS] COMMAND [ARGS]...

  {help}

  Example:
    {example}

Options:
  -h, --help  Show this message and exit.
"""


def help_text(group: str = "") -> str:
    """Return the text that `pbem --help` shows, or that of a group's help."""
    if group:
        entry = COMMANDS[group]
        sections = GROUPS[group]
        parts = [GROUP_HEAD.format(name=group, help=entry.help, example=entry.example)]
    else:
        sections, parts = SECTIONS, [HEAD]
    column = 2 + max(len(name) for rows in sections.values() for name in rows) + 2
    for title, rows in sections.items():
        lines = [f"{title or 'Commands'}:"]
        for name, entry in rows.items():
            lines.append(f"  {name}".ljust(column - 1))
            for word in entry.help.split():
                if len(lines[-1]) + 1 + len(word) > WIDTH:
                    lines.append(" " * (column - 1))
                lines[-1] += f" {word}"
        parts.append("".join(f"{line}\n" for line in lines))
    return "\n".join(parts)
