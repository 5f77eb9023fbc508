"""The public names for people who write a game, all in one module to import from.

A name in `__all__` changes by the rule in `releasing.md` only; whatever else is in the package may change
with any release.

A rule awaits its questions:

>>> class Coin(Telling):
...     def __init__(self) -> None:
...         super().__init__(stops=False)
...         self.run(self.play())
...
...     def guess(self, side: str) -> Ask:
...         return Ask(
...             side, "guess", "1", lambda: ["heads", "tails"], public=True, preferred=lambda: "heads"
...         )
...
...     async def play(self) -> Outcome:
...         red, blue = await together(self.guess("red"), self.guess("blue"))
...         self.tell("guessed", red=red, blue=blue)
...         return Outcome("red" if red == blue else "blue", "the guesses are compared")
>>> game = Coin()
>>> [ask.side for ask in game.asks]
['red', 'blue']
>>> game.answer("red", "heads")
>>> game.told("public")
[]
>>> game.answer("blue", "edge")
Traceback (most recent call last):
pbem.rules.base.IllegalAnswer: 'edge' is not possible here (1)
>>> game.answer("blue", "tails")
>>> game.told("public")
[{'event': 'guessed', 'red': 'heads', 'blue': 'tails'}]
>>> game.outcome.winners
('blue',)

What a side sees begins with a head:

>>> Head("coin", "red", ("toss 1",), {}, None).view(score=2)["score"]
2

Orders in the words of the answers:

>>> PlainLanguage({"guess": ("heads", "tails")}).parse("heads", "red").orders.lines[0].text
'heads'

A picture is a board and what lies on it; odds are exact:

>>> Picture(Board(9, 9, ""), (Layer(svg.text(4, 4, "2", 8), 0, 0, 9, 9),), "Score: 2.").words
'Score: 2.'
>>> from fractions import Fraction
>>> percent(Chances("A toss", (("heads", Fraction(1, 2)),), ()).rows[0][1])
'50.0 %'

A title names its parts, which are imported when they are needed:

>>> Title("coin", files=("coin",), rules="coin:RULES", orders="coin:LANGUAGE", words="coin:WORDS").name
'coin'
"""

from pbem.errors import OrderError
from pbem.odds import Chances, Question, percent
from pbem.orders.base import Follower, Orders
from pbem.orders.plain import PlainLanguage
from pbem.pictures import svg
from pbem.pictures.base import Board, Layer, Picture
from pbem.reports.words import Words
from pbem.rules.base import (
    EVERYBODY,
    NOBODY,
    Ask,
    Chance,
    Event,
    Head,
    IllegalAnswer,
    Outcome,
    Rules,
    UnknownOption,
    View,
)
from pbem.rules.flow import GameOver, Telling, side_by_side, stop, together
from pbem.titles import Title

__all__ = [
    "EVERYBODY",
    "NOBODY",
    "Ask",
    "Board",
    "Chance",
    "Chances",
    "Event",
    "Follower",
    "GameOver",
    "Head",
    "IllegalAnswer",
    "Layer",
    "OrderError",
    "Orders",
    "Outcome",
    "Picture",
    "PlainLanguage",
    "Question",
    "Rules",
    "Telling",
    "Title",
    "UnknownOption",
    "View",
    "Words",
    "percent",
    "side_by_side",
    "stop",
    "svg",
    "together",
]
