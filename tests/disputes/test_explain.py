"""`that retreat was illegal`, `that roll was rigged`, `I never ordered that`: pbem explain answers."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from pbem.disputes.explain import heading, read_query
from tests.disputes.story import GAME, WHY, Story

pytestmark = pytest.mark.ci


def test_every_die_can_be_computed_with_the_command_beside_it(played: Story) -> None:
    told = played.pbem("explain", GAME, *WHY, "battle", "angus").out
    dice = re.findall(r"^ +1297\S+ = (\d)\n +(printf .*)$", told, flags=re.MULTILINE)
    assert len(dice) >= 4
    for value, command in dice:
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
        digest = bytes.fromhex(done.stdout.rsplit("= ", 1)[1])
        assert next(byte for byte in digest if byte < 252) % 6 + 1 == int(value)


def test_a_number_behind_a_word_is_meant_whole() -> None:
    query = read_query("bid 1", "bid 7")
    assert query.fits("north bid 1 order", 1)
    assert not query.fits("north bid 12 order", 1)


def test_a_bundle_of_everything_is_explained_like_the_game(played: Story) -> None:
    bundle = played.bundle("all")
    words = ("1297.1", "battle", "angus")
    assert played.pbem("explain", bundle, *words).out == played.pbem("explain", GAME, *WHY, *words).out


def test_a_side_s_bundle_explains_what_that_side_knows(played: Story) -> None:
    bundle = played.bundle("scotland")
    told = played.pbem("explain", bundle, "exchange", "3", "wallace").out
    assert "EXCHANGE 3, as scotland knows it" in told
    assert "the orders of alice for exchange 3" in told
    assert told == played.pbem("explain", GAME, *WHY, "exchange", "3", "wallace", "--as", "scotland").out


@pytest.mark.parametrize("audience", ["england", "public"])
def test_whoever_asks_learns_nothing_that_is_not_his(played: Story, audience: str) -> None:
    """The attack: a player has the game master explain his opponent's move to him."""
    bundle = played.bundle(audience)
    for source, more in ((bundle, ()), (GAME, ("--as", audience, *WHY))):
        told = played.pbem("explain", source, "exchange", "3", *more).out
        assert "1 block: Fife to Angus" in told
        assert "orders of alice" not in told
        assert "Bruce" not in told


def test_a_forged_bundle_is_not_explained(played: Story) -> None:
    """The attack: a die is changed, and the referee asked to explain it."""
    bundle = played.bundle("all")
    dice = bundle / "dice/all.txt"
    dice.write_text(dice.read_text().replace(" 6 ", " 1 ", 1))
    told = played.pbem("explain", bundle, "battle", "angus", status=3)
    assert "the bundle is refuted, so nothing in it is explained" in told.err


def test_a_running_game_is_not_looked_into_unseen(played: Story) -> None:
    """The attack: the game master looks up where a block stands, and nobody learns of it."""
    why = ("--reason", "a dispute about Angus")
    looks = (
        (("explain", GAME, "exchange", "3"), "gm"),
        (("explain", GAME, "exchange", "3", "--as", "england"), "england"),
        (("show", GAME, "--as", "gm"), "gm"),
        (("show", GAME, "--as", "scotland"), "scotland"),
        (("report", GAME, "england"), "england"),
        (("what-if", GAME, "3", "--option", "bid=S1"), "gm"),
        (("export", GAME, "--as", "scotland"), "scotland"),
        (("export", GAME, "--as", "all"), "gm"),
    )
    for number, (words, _) in enumerate(looks):
        into = ("--into", played.folder / f"bundle-{number}") if words[0] == "export" else ()
        assert "which the ledger and all players get" in played.pbem(*words, *into, status=1).err
        assert played.pbem(*words, *into, *why).out
    played.exchange(alice="done\n", bob="done\n")
    told = [line for line in played.receive("bob").split("\n") if "the game master, in exchange 4: " in line]
    seen = [f"look {viewer} (a dispute about Angus)" for _, viewer in looks]
    assert [line.partition("exchange 4: ")[2] for line in told] == seen
    played.bundle("england")
    assert all(f"exchange 4: {one}" in played.audit for one in seen)


def entered(story: Story) -> int:
    """How many entries the ledger has."""
    return len((story.bundle("public") / "log/leaves").read_text().splitlines())


def test_what_is_public_may_be_looked_at_and_what_is_mistyped_is_no_look(played: Story) -> None:
    before = played.pbem("replay", GAME).out, entered(played)
    played.pbem("show", GAME)
    played.pbem("report", GAME, "public")
    played.pbem("explain", GAME, "exchange", "3", "--as", "public")
    played.pbem("resend", GAME, "alice")  # sealed to her, as they were
    for words in (
        ("show", GAME, "--as", "mars"),
        ("report", GAME, "mars"),
        ("export", GAME, "--as", "mars"),
        ("what-if", GAME, 3, "--option", "no_such_rule=yes"),
        ("what-if", GAME, 99, "--option", "bid=S1"),
        ("explain", GAME, "exchange", "99", "wallace"),
    ):
        played.pbem(*words, *WHY, status=1)
    assert before == (played.pbem("replay", GAME).out, entered(played))
    played.pbem("explain", GAME, *WHY, "exchange", "3", "perth", status=1)
    assert entered(played) == before[1] + 1


def test_a_bundle_of_everything_is_told_as_a_side_may_know_it(played: Story) -> None:
    """The attack: what is made for one side from the whole bundle shows the other's orders."""
    bundle = played.bundle("all")
    words = ("exchange", "3", "wallace")
    for reader in ("scotland", "public"):
        told = played.pbem("explain", bundle, *words, "--as", reader).out
        assert told == played.pbem("explain", GAME, *WHY, *words, "--as", reader).out
    assert "orders of alice" not in played.pbem("explain", bundle, "exchange", "3", "--as", "england").out
    wrong = played.pbem("explain", bundle, *words, "--as", "ireland", status=1).err
    assert "no reader called ireland; there are england, scotland, public" in wrong
    other = played.pbem("explain", played.bundle("scotland"), *words, "--as", "england", status=1).err
    assert "this bundle tells what scotland knows, and not what england does" in other


def test_an_explanation_for_programs(played: Story) -> None:
    words = ("1297.1", "battle", "angus")
    plain = played.pbem("explain", GAME, *WHY, *words).out
    facts = json.loads(played.pbem("explain", GAME, *WHY, *words, "--json").out)
    assert (facts["event"], facts["reader"]) == ("1297.1 battle angus", "all")
    assert "\n\n".join("\n".join(part) for part in facts["explanation"]) == plain.rstrip("\n")


def test_a_case_stands_beside_the_cases_above_it() -> None:
    """The second `if` of a choice counts only where the first is false, so it is not told as in it."""
    cases = ("if first:", "fire all", "if second:", "fire all", "otherwise:", "fire all", "end")
    rows = ["plan any:", *cases, "if round 2:", "fire all"]
    assert [heading(rows, place) for place in range(1, len(rows) + 1)] == [
        "",
        "plan any:",
        "if first:",
        "plan any:",
        "if second:",
        "plan any:",
        "otherwise:",
        "otherwise:",
        "",
        "if round 2:",
    ]
