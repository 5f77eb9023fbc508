"""What the pages of orders say in sentences is so: each sentence with lines that show it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import pbem
from pbem.titles import load

DOCS = Path(pbem.__file__).parent / "docs"
HAMMER = ("orders", "hammer", "scotland")
ENGLISH = ("orders", "hammer", "england")
LORDS = ("orders-lords", "lords", "red")
FIRST_WAR = ("orders-first-war", "first-war", "scots")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of a page, and lines that read without a fault.

    `means`: what reads the same; `refused`: words of the fault that they have instead.
    """

    where: tuple[str, str, str]
    sentence: str
    text: str
    means: str = ""
    refused: str = ""


NOTE = "`note ...`, to the end of its line, and (anything in parentheses) are remarks."
CAPITALS = "Capitals, quotes, bullets, `>`, spaces and indentation do not matter."
SHORT = "Names may be shortened to three letters or more, as long as only one name fits"
STEP_BY_STEP = (
    "Outside a plan `fire Wallace`, `pass Wallace`, `retreat Wallace to Mar` and `hit Wallace` answer"
)
BLANKS = "If you fill in only some of them, you are told what is still needed."
ASK = "`ask` under a condition that only you can judge is refused:"
SAID = (
    Said(
        HAMMER, CAPITALS, '> * "MOVE wallace"   FROM fife to mentieth', "move Wallace from Fife to Mentieth"
    ),
    Said(HAMMER, "A `;` means the same as a new line.", "card 2; move none", "card 2\nmove none"),
    Said(
        HAMMER, NOTE, "note hello; move none", refused="this stands in a note, so it is not read as an order"
    ),
    Said(HAMMER, NOTE, "move none (hello; card 2)", "move none"),
    Said(HAMMER, SHORT, "move Wal from Fif to Men", "move Wallace from Fife to Mentieth"),
    Said(HAMMER, SHORT, "move Wallace from Fife to Me", refused="no area called 'Me'"),
    Said(ENGLISH, SHORT, "build york inf", "build York Infantry"),
    Said(HAMMER, "A line whose blanks are all empty is not read.", "card 2\nbuild ____", "card 2"),
    Said(HAMMER, BLANKS, "move Wallace from ____ to ____", refused="to which area?"),
    Said(HAMMER, BLANKS, "move ____ from Fife to Mentieth", refused="something is missing after 'move'"),
    Said(HAMMER, BLANKS, "if ____: move none", refused="the condition after 'if' is not filled in"),
    Said(
        HAMMER,
        "You may leave out `begin orders` and `end orders`.",
        "begin orders\ncard 2\nend orders",
        "card 2",
    ),
    Said(
        HAMMER,
        "A long line may go on in the next one after a comma.",
        "hits Wallace,\n  Douglas",
        "hits Wallace, Douglas",
    ),
    Said(
        HAMMER,
        "A wrong line does not change the others.",
        "card 2\nfly\nmove none",
        "card 2\nmove none",
        refused="begins with 'fly'",
    ),
    Said(HAMMER, "`Wallace 2` or `Wallace full` spends more.", "build Wallace 2, Bruce full"),
    Said(
        ENGLISH,
        "England's `raid infantry, Edward` says which block a border raid costs.",
        "raid infantry, Edward",
    ),
    Said(HAMMER, STEP_BY_STEP, "fire Wallace\npass Douglas\nretreat Bruce to Mar\nhit Wallace"),
    Said(HAMMER, "so does `battle Fife`.", "battle Fife"),
    Said(
        HAMMER, ASK, "if Wallace in Fife: ask", refused="would show everybody whether your condition is true"
    ),
    Said(HAMMER, "you may use `our strength` and `we have`", "plan any: if we have King: ask"),
    Said(HAMMER, "`ask crown` is refused: write `crown NAME` or `event`.", "ask crown", refused="crown NAME"),
    Said(ENGLISH, "England writes `winter Edward` or `disband Edward`.", "winter Edward"),
    Said(HAMMER, "An empty one ends it.", "doctrine:\nend"),
    Said(HAMMER, "`done` ends a list.", "move Wallace from Fife to Mentieth; done"),
    Said(
        HAMMER,
        "a condition about something hidden is refused when you send it.",
        "if Edward in Fife: move none",
        refused="a condition may use only what you can see",
    ),
    Said(
        LORDS,
        "`me` is your own side.",
        "if score me less than score blue: recruit best",
        "if score red less than score blue: recruit best",
    ),
    Said(
        LORDS,
        "below `turn 3:`, `turn 3, 4:` or `turn any:`, down to `end`",
        "turn 3, 4:\nrecruit 1\nend",
    ),
    Said(LORDS, "**recruit**: a slot, a card by name or clan;", "recruit 3"),
    Said(LORDS, "`bruce-97`, `bruce-98`.", "claim bruce-97, bruce-98"),
    Said(
        FIRST_WAR,
        "`lowland noble`, `lowland nobles` or `low nob`",
        "deploy low nob 1",
        "deploy lowland noble 1",
    ),
    Said(
        FIRST_WAR,
        "`my archers` are your own, `scots archers` those of the Scots.",
        "event kill traitor on my archers",
        "event kill traitor on scots archers",
    ),
    Said(FIRST_WAR, "Of groups too: `english nobles`.", "event kill traitor on english nobles"),
    Said(
        FIRST_WAR,
        "You are never asked what the enemy must not notice, such as deploying.",
        "ask deploy",
        refused="depends on cards that the enemy does not see",
    ),
    Said(FIRST_WAR, "`none` to leave all.", "replace none"),
)


@pytest.mark.parametrize("said", SAID, ids=[f"{one.where[0]}: {one.sentence[:30]}" for one in SAID])
def test_a_sentence_is_on_its_page_and_is_so(said: Said) -> None:
    page, game, side = said.where
    text = " ".join((DOCS / f"{page}.md").read_text(encoding="utf-8").split())
    assert " ".join(said.sentence.split()) in text
    language = load(game).language
    parsed = language.parse(said.text, side)
    faults = [str(fault) for fault in parsed.faults]
    if said.refused:
        assert any(said.refused in fault for fault in faults), faults
    else:
        assert faults == []
        assert parsed.orders
    if said.means:
        assert language.say(parsed.orders) == language.say(language.parse(said.means, side).orders)
