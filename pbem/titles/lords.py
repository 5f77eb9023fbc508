"""Lords of Scotland, and where its parts lie."""

from pbem.titles import Title

TITLE = Title(
    "lords",
    files=("pbem.rules.lords", "pbem.orders.lords", "pbem.reports.lords"),
    rules="pbem.rules.lords:RULES",
    orders="pbem.orders.lords:LANGUAGE",
    words="pbem.reports.lords:WORDS",
    bots="pbem.bots.lords:BOTS",
    imagine="pbem.rules.lords.imagined:imagine",
    pictures="pbem.pictures.lords:PAINTER",
    counts="pbem.leagues.lords:COUNTS",
)
