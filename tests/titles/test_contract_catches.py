"""What the contract of titles is for: a title with one fault is found by the clause that is about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pbem.forecast.replay import PlainWorlds
from pbem.guides import own_name
from pbem.orders.plain import PlainLanguage
from pbem.pictures.base import Board, Layer, Picture
from pbem.practice.table import Table
from pbem.rules.base import Ask, Event, IllegalAnswer, Outcome, UnknownOption, View
from pbem.rules.flow import side_by_side, stop, together
from pbem.testing import orders_and_reports, secrecy, surface
from pbem.testing.contract import CONTRACT
from pbem.testing.games import Clause, Trial, trials
from pbem.titles import load
from tests.kept import Telling, as_kept
from tests.titles.installed import install_games

install_games()

GUIDE = own_name()
rules: Any = import_module(f"{GUIDE}.rules")
words: Any = import_module(f"{GUIDE}.words")
Patch = pytest.MonkeyPatch
AnyGame = Any
"""`rules.Game`; it is installed while the tests run, and no type is known of it."""
FARMS: tuple[str, ...] = rules.FARMS


def forget_parts() -> None:
    """The title looks its parts up again."""
    title = load(GUIDE)
    for name, part in vars(type(title)).items():
        if isinstance(part, cached_property):
            title.__dict__.pop(name, None)


@pytest.fixture(autouse=True)
def made_anew() -> Iterator[None]:
    """A part that is changed is seen, and the change is gone afterwards."""
    forget_parts()
    yield
    forget_parts()


def harvested() -> Trial:
    """The guide's game, as it is."""
    (trial,) = trials(load(GUIDE))
    return trial


# -- faults


def shows_all_hands(patch: Patch) -> None:
    honest = rules.Game.view
    patch.setattr(rules.Game, "view", lambda game, viewer: {**honest(game, "gm"), "viewer": viewer})


def names_no_twin(patch: Patch) -> None:
    patch.setitem(load(GUIDE).__dict__, "twin", None)


def shows_who_has_answered(patch: Patch) -> None:
    honest = rules.Game.view
    patch.setattr(
        rules.Game,
        "view",
        lambda game, viewer: {**honest(game, viewer), "waiting": [ask.side for ask in game.asks]},
    )


def deals_for_all_to_compute(patch: Patch) -> None:
    patch.setattr(rules.GameRules, "draw_owner", lambda *_: "public")


def hides_a_die(patch: Patch) -> None:
    """What a crop is worth is said when it is won, and the die can be computed before."""
    honest, tell = rules.Game.view, rules.Game.tell

    def view(game: AnyGame, viewer: str) -> View:
        orders_and_reports: View = honest(game, viewer)
        return orders_and_reports if viewer == "gm" else {**orders_and_reports, "crop": 0}

    patch.setattr(rules.Game, "view", view)
    patch.setattr(
        rules.Game, "tell", lambda game, event, **more: event == "crop" or tell(game, event, **more)
    )


def rolls_under_one_label(patch: Patch) -> None:
    honest = rules.Game.reap

    def reap(game: AnyGame, bids: Mapping[str, str]) -> None:
        game.chance.roll("wind")
        honest(game, bids)

    patch.setattr(rules.Game, "reap", reap)


def prefers_what_nobody_may(patch: Patch) -> None:
    honest = rules.Game.bid

    def bid(game: AnyGame, farm: str) -> Ask:
        ask = honest(game, farm)
        return Ask(farm, "bid", "3", lambda: ask.legal, public=True, preferred=lambda: "bid 99")

    patch.setattr(rules.Game, "bid", bid)


def remembers_a_refusal(patch: Patch) -> None:
    honest = rules.Game.answer

    def answer(game: AnyGame, side: str, text: str) -> None:
        try:
            honest(game, side, text)
        except IllegalAnswer:
            game.round += 1
            raise

    patch.setattr(rules.Game, "answer", answer)


def takes_numbers_alone(patch: Patch) -> None:
    def checked(_: object, options: Mapping[str, Any]) -> dict[str, Any]:
        if set(options) - {"hand"} or options.get("hand", 4) not in (3, 4):
            raise UnknownOption(str(options))
        return {"hand": 4, **options}

    patch.setattr(rules.GameRules, "checked", checked)


def waits_for_somebody_for_ever(patch: Patch) -> None:
    async def play(game: AnyGame) -> Outcome:
        while await Ask("north", "bid", "3", lambda: ["go", "stay"], public=True, preferred=lambda: "stay"):
            game.played.clear()
        end: Outcome = game.end()
        return end

    patch.setattr(rules.Game, "play", play)


def counts_something_else(patch: Patch) -> None:
    honest, counted = rules.Game.reap, count()

    def reap(game: AnyGame, bids: Mapping[str, str]) -> None:
        game.crop += next(counted)
        honest(game, bids)

    patch.setattr(rules.Game, "reap", reap)


def forgets_the_crop(patch: Patch) -> None:
    honest = rules.Game.__init__

    def begin(game: AnyGame, options: Any, chance: Any, position: View | None, stops: bool) -> None:
        honest(game, options, chance, {**position, "crop": 0} if position else None, stops)

    patch.setattr(rules.Game, "__init__", begin)


def without_a_card(view: View) -> View:
    """What the game imagines, but that the viewer has lost a card."""
    own = view["viewer"]
    made: View = rules.imagine(view)
    return {**made, "hands": {**made["hands"], own: made["hands"][own][1:]}}


def imagines_without_a_card(patch: Patch) -> None:
    patch.setitem(load(GUIDE).__dict__, "imagine", without_a_card)


def draws_without_a_card(patch: Patch) -> None:
    patch.setitem(load(GUIDE).__dict__, "worlds", PlainWorlds(without_a_card))


def in_lanes(patch: Patch, *, at_once: bool) -> None:
    """Each farm bids two cards by itself; if they are laid down at once, the position remembers them."""

    async def lane(game: AnyGame, farm: str) -> None:
        bids: list[str] = []
        while len(game.hands[farm]) + (0 if at_once else -len(bids)) > 2:
            text = await Ask(
                farm,
                "bid",
                "3",
                lambda: [f"bid {card}" for card in game.hands[farm] if card not in bids],
                public=True,
                preferred=lambda: next(f"bid {card}" for card in game.hands[farm] if card not in bids),
            )
            bids.append(text.split()[1])
            if at_once:
                game.hands[farm].remove(bids[-1])
                game.played.append(bids[-1])
                game.scores[farm] += 1

    async def play(game: AnyGame) -> Outcome:
        if not game.round:
            game.round = 1
            game.deal()
        await side_by_side(*(lane(game, farm) for farm in FARMS))
        end: Outcome = game.end()
        return end

    patch.setattr(rules.Game, "play", play)


def resumes_at_the_first_of_two(patch: Patch) -> None:
    in_lanes(patch, at_once=False)


def stops_each_round(patch: Patch) -> None:
    """The guide's game with a public stop, from which it says that it resumes."""

    async def rounds(game: AnyGame) -> Outcome:
        while any(game.hands.values()):
            if not game.crop:
                game.round += 1
                game.crop = game.chance.roll(f"{game.round}/crop")
                game.tell("crop", round=game.round, worth=game.crop)
            await stop("round")
            bids = await together(*(game.bid(farm) for farm in FARMS))
            game.reap(dict(zip(FARMS, (bid.split()[1] for bid in bids), strict=True)))
        end: Outcome = game.end()
        return end

    patch.setattr(rules.Game, "rounds", rounds)
    patch.setattr(rules.GameRules, "stops", {"round": frozenset({"bid"})})
    patch.setattr(words.GameWords, "stops", {"round": "a card"})
    patch.setattr(load(GUIDE), "resumes", True)


def forgets_the_crop_at_a_stop(patch: Patch) -> None:
    stops_each_round(patch)
    forgets_the_crop(patch)


def knows_more_than_any_view(patch: Patch) -> None:
    """Each crop is worth more than the last: by how much, a game that is begun anew does not know."""
    stops_each_round(patch)
    honest = rules.Game.reap

    def reap(game: AnyGame, bids: Mapping[str, str]) -> None:
        game.more = getattr(game, "more", -1) + 1
        game.crop += game.more
        honest(game, bids)

    patch.setattr(rules.Game, "reap", reap)


def has_no_words_for_a_question(patch: Patch) -> None:
    patch.setattr(words.GameWords, "questions", {})


def tells_nothing(patch: Patch) -> None:
    def story(_: object, before: View | None, told: Sequence[Event]) -> list[str]:
        return []

    patch.setattr(words.GameWords, "story", story)


def leaves_out(patch: Patch, what: Callable[[Table, str], str]) -> None:
    """Of all reports the one to the last side on its last cards is without this."""
    honest = Table.report

    def report(table: Table, side: str, **more: Any) -> str:
        text = honest(table, side, **more)
        last = table.number == 3 and side == table.sides[-1]
        return text.replace(what(table, side), "-") if last else text

    patch.setattr(Table, "report", report)


def names_no_reader(patch: Patch) -> None:
    leaves_out(patch, lambda _, side: str(words.GameWords.sides[side]))


def names_no_moment(patch: Patch) -> None:
    leaves_out(patch, lambda table, side: str(load(GUIDE).words.moment(table.view(side))))


def names_no_section(patch: Patch) -> None:
    honest = rules.Game.bid

    def bid(game: AnyGame, farm: str) -> Ask:
        ask = honest(game, farm)
        return Ask(farm, "bid", "section 3", lambda: ask.legal, public=True, preferred=lambda: ask.default)

    patch.setattr(rules.Game, "bid", bid)
    leaves_out(patch, lambda table, side: table.open_asks(side)[-1].rule)


def twins_are_the_same_world(patch: Patch) -> None:
    patch.setitem(load(GUIDE).__dict__, "twin", lambda position, *_: position)


def forms_without_a_default(patch: Patch) -> None:
    patch.setattr(PlainLanguage, "form", lambda *_: "bid ____\n")


def writes_with_marks(patch: Patch) -> None:
    patch.setattr(words.GameWords, "sides", {**words.GameWords.sides, "north": "N\u00f6rd"})


def reads_another_word(patch: Patch) -> None:
    patch.setitem(load(GUIDE).__dict__, "language", PlainLanguage({"bid": ("offer",)}))


def forms_that_are_no_orders(patch: Patch) -> None:
    patch.setattr(PlainLanguage, "form", lambda *_: "plough 3\n")


class Painter:
    """Draws the same for everybody."""

    def __init__(self, words: str, inside: str) -> None:
        self.words, self.inside = words, inside

    def draw(self, view: View, told: Sequence[Event]) -> Picture:
        """A square on a field."""
        board = Board(40, 40, '<rect width="40" height="40" fill="#aaccaa"/>')
        return Picture(board, (Layer(self.inside, 10, 10, 20, 20),), self.words)


SQUARE = '<rect width="20" height="20" fill="#cc2200"/>'


def draws_without_words(patch: Patch) -> None:
    patch.setitem(load(GUIDE).__dict__, "pictures", Painter("", SQUARE))


def draws_from_elsewhere(patch: Patch) -> None:
    image = '<image width="20" height="20" href="https://example.com/farm.png"/>'
    patch.setitem(load(GUIDE).__dict__, "pictures", Painter("A farm.", image))


def loses_a_colour(patch: Patch) -> None:
    patch.setitem(load(GUIDE).__dict__, "pictures", Painter("A farm.", SQUARE))
    patch.setattr("pbem.pictures.base._colours", lambda _: frozenset())


FAULTS: list[tuple[Callable[[Patch], None], Clause, str]] = [
    (shows_all_hands, secrecy.worlds_that_look_alike_are_told_alike, "can tell worlds apart"),
    (names_no_twin, secrecy.worlds_that_look_alike_are_told_alike, "names no `twin`"),
    (twins_are_the_same_world, secrecy.worlds_that_look_alike_are_told_alike, "name a longer game"),
    (shows_who_has_answered, secrecy.answers_at_the_same_time_are_unseen, "can see that"),
    (deals_for_all_to_compute, secrecy.whoever_can_compute_it_is_shown_it, "public can compute 0/deal/"),
    (hides_a_die, secrecy.whoever_can_compute_it_is_shown_it, "public can compute [0-9]/crop"),
    (rolls_under_one_label, surface.a_game_comes_to_its_end, "twice: wind"),
    (prefers_what_nobody_may, surface.a_game_comes_to_its_end, "the default 'bid 99' is not legal"),
    (remembers_a_refusal, surface.a_game_comes_to_its_end, "left a trace"),
    (takes_numbers_alone, surface.options_are_read_as_they_arrive, "hand is not read as '4'"),
    (waits_for_somebody_for_ever, surface.silence_comes_to_an_end, "never ends by defaults"),
    (counts_something_else, surface.the_same_answers_give_the_same_game, "end otherwise"),
    (forgets_the_crop, surface.a_position_goes_on_as_its_game, "asks something else"),
    (draws_without_a_card, surface.what_is_drawn_fits_the_view, "sees another position"),
    (imagines_without_a_card, surface.what_is_imagined_asks_the_same, "sees another position"),
    (forgets_the_crop_at_a_stop, surface.a_saved_game_goes_on_as_it_was, "does not stand where it did"),
    (knows_more_than_any_view, surface.a_saved_game_goes_on_as_it_was, "it differs in exchange"),
    (resumes_at_the_first_of_two, surface.what_is_imagined_asks_the_same, "is asked otherwise: bid"),
    (has_no_words_for_a_question, orders_and_reports.every_part_is_there, "without words: bid"),
    (tells_nothing, orders_and_reports.a_report_says_what_matters, "no report tells any"),
    (names_no_reader, orders_and_reports.a_report_says_what_matters, "does not name its reader"),
    (names_no_moment, orders_and_reports.a_report_says_what_matters, "the moment is not told"),
    (names_no_section, orders_and_reports.a_report_says_what_matters, "the report names no section"),
    (
        forms_without_a_default,
        orders_and_reports.a_report_says_what_matters,
        "the default 'bid [0-9]+' is not told",
    ),
    (writes_with_marks, orders_and_reports.careless_players_break_nothing, "without marks"),
    (reads_another_word, orders_and_reports.every_answer_may_be_written, "is refused"),
    (forms_that_are_no_orders, orders_and_reports.the_form_comes_back_without_a_fault, "is not an order"),
    (draws_without_words, orders_and_reports.a_picture_shows_its_colours, "without words"),
    (draws_from_elsewhere, orders_and_reports.a_picture_shows_its_colours, "from elsewhere"),
    (loses_a_colour, orders_and_reports.a_picture_shows_its_colours, "another colour"),
]


@pytest.mark.parametrize(("fault", "clause", "said"), FAULTS, ids=lambda one: getattr(one, "__name__", ""))
def test_a_faulty_title_is_found(
    fault: Callable[[Patch], None], clause: Clause, said: str, monkeypatch: Patch
) -> None:
    clause(harvested())
    fault(monkeypatch)
    with pytest.raises(AssertionError, match=said):
        clause(harvested())


def test_each_clause_finds_a_fault() -> None:
    assert {clause for _, clause, _ in FAULTS} == set(CONTRACT)


def listens(patch: Patch, owner: Any, name: str, heard: list[str]) -> None:
    """Takes down each call of a part that is a title's own, with what it is asked, but for objects."""
    honest = getattr(owner, name)

    def asked(*given: Any, **named: Any) -> Any:
        heard.append(f"{name} {[one for one in given if isinstance(one, str | int | tuple | dict)]}")
        return honest(*given, **named)

    patch.setattr(owner, name, asked)


@pytest.mark.ci
def test_what_the_contract_looks_at_is_as_it_was(monkeypatch: Patch) -> None:
    """Which part each clause asks, how often and for what; the game resumes, and has pictures."""
    stops_each_round(monkeypatch)
    title, told, heard = load(GUIDE), Telling(), list[str]()
    title.__dict__["pictures"] = Painter("A farm.", SQUARE)
    for owner, names in (
        (rules.Game, ("answer", "view", "told", "go_on")),
        (rules.GameRules, ("checked", "sides", "draw_owner")),
        (words.GameWords, ("moment", "story")),
        (PlainLanguage, ("parse", "check", "write", "say", "form", "spoken", "follower")),
        (Painter, ("draw",)),
        (Table, ("exchange", "report", "resume")),
    ):
        for name in names:
            listens(monkeypatch, owner, name, heard)
    for name in ("twin", "imagine"):
        whole, made = SimpleNamespace(part=getattr(title, name)), "part"
        listens(monkeypatch, whole, made, heard)
        title.__dict__[name] = whole.part
    for clause in CONTRACT:
        heard.clear()
        notes = list[str]()
        for trial in trials(title, notes.append):
            clause(trial)
        counts = Counter(one.split()[0] for one in heard)
        told.add(clause.__name__, [dict(counts), *notes])
        told.lines.append(f"in turn: {sha256(str(heard).encode()).hexdigest()[:8]}")
    as_kept(Path(__file__).parent / "golden" / "contract.txt", str(told))


# -- what is no fault


def test_a_game_that_resumes_at_its_stops_is_saved_there(monkeypatch: Patch) -> None:
    stops_each_round(monkeypatch)
    (trial,) = trials(load(GUIDE), (noted := list[str]()).append)
    surface.a_saved_game_goes_on_as_it_was(trial)
    assert noted == ["random: saved at 4 of 5 exchanges"]


def test_why_a_game_is_never_saved_is_noted(monkeypatch: Patch) -> None:
    """Its writer says that it resumes, and it has no stop to resume at."""
    monkeypatch.setattr(load(GUIDE), "resumes", True)
    (trial,) = trials(load(GUIDE), (noted := list[str]()).append)
    surface.a_saved_game_goes_on_as_it_was(trial)
    assert noted == ["random: saved at 0 of 4 exchanges (else: there was no public stop)"]


def test_a_view_that_tells_worlds_apart_is_named_by_what_differs(monkeypatch: Patch) -> None:
    shows_all_hands(monkeypatch)
    with pytest.raises(AssertionError, match="view \\(hands\\), "):
        secrecy.worlds_that_look_alike_are_told_alike(harvested())


BEGUN_ANYWHERE = (
    surface.a_game_comes_to_its_end,
    surface.silence_comes_to_an_end,
    surface.a_position_goes_on_as_its_game,
    surface.what_is_imagined_asks_the_same,
)


@pytest.mark.parametrize("clause", BEGUN_ANYWHERE, ids=lambda clause: str(clause.__name__))
def test_flows_side_by_side_that_remember_in_the_position_are_no_fault(
    clause: Clause, monkeypatch: Patch
) -> None:
    in_lanes(monkeypatch, at_once=True)
    clause(harvested())


def sow(farm: str) -> Ask:
    """Besides the bid."""
    return Ask(farm, "sow", "3", lambda: ["sow", "wait"], public=True, preferred=lambda: "wait")


@pytest.mark.parametrize("clause", CONTRACT, ids=lambda clause: str(clause.__name__))
def test_several_questions_at_once_to_one_side_are_no_fault(clause: Clause, monkeypatch: Patch) -> None:
    async def both(*asks: Ask) -> tuple[str, ...]:
        return (await together(*asks, *map(sow, FARMS)))[: len(FARMS)]

    questions = {"bid": "which card do you bid?", "sow": "do you sow?"}
    language = PlainLanguage({"bid": ("bid",), "sow": ("sow", "wait")})
    monkeypatch.setattr(rules, "together", both)
    monkeypatch.setattr(words.GameWords, "questions", questions)
    monkeypatch.setitem(load(GUIDE).__dict__, "language", language)
    clause(harvested())


@pytest.mark.ci
def test_what_cannot_be_tried_is_noted() -> None:
    """A title that knows a few places to begin at says how many it left out."""
    notes: list[str] = []
    (trial,) = trials(load("hammer"))
    surface.a_position_goes_on_as_its_game(replace(trial, note=notes.append))
    (note,) = notes
    assert note.startswith("no place to begin: ")
    assert "combat" in note
