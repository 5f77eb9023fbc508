"""Hammer of the Scots, and where its parts lie."""

from pbem.titles import Title

TITLE = Title(
    "hammer",
    files=("pbem.rules.hammer", "pbem.orders.hammer", "pbem.reports.hammer"),
    rules="pbem.rules.hammer:RULES",
    orders="pbem.orders.hammer:LANGUAGE",
    words="pbem.reports.hammer:WORDS",
    bots="pbem.bots.hammer:BOTS",
    odds="pbem.odds.hammer:ODDS",
    forecast="pbem.forecast.hammer:FORECAST",
    pictures="pbem.pictures.hammer:PAINTER",
    counts="pbem.leagues.hammer:COUNTS",
    bids="pbem.leagues.hammer.bids:BIDS",
    excerpt={"scenario": "braveheart"},
    default=True,
)
