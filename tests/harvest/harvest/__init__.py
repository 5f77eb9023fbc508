"""Harvest: three farms bid for crops with the cards in their hands."""

from pbem.titles import Title

TITLE = Title(
    "harvest",
    files=("harvest",),
    rules="harvest.rules:RULES",
    orders="harvest.orders:LANGUAGE",
    words="harvest.words:WORDS",
    imagine="harvest.rules:imagine",
)
