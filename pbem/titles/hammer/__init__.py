"""The title of Hammer of the Scots, with the places where its parts lie."""

from pbem.titles import Title

TITLE = Title(
    "hammer",
    files=("pbem.rules.hammer", "pbem.orders.hammer", "pbem.titles.hammer.reports"),
    rules="pbem.rules.hammer:RULES",
    orders="pbem.orders.hammer:LANGUAGE",
    words="pbem.titles.hammer.reports:WORDS",
    bots="pbem.titles.hammer.bots:BOTS",
    odds="pbem.titles.hammer.odds:ODDS",
    forecast="pbem.titles.hammer.forecast:FORECAST",
    worlds="pbem.titles.hammer.forecast.worlds:WORLDS",
    pictures="pbem.titles.hammer.pictures:PAINTER",
    playback="pbem.titles.hammer.playback:PLAYBACK",
    tracker="pbem.titles.hammer.tracking:TRACKER",
    counts="pbem.titles.hammer.leagues:COUNTS",
    bids="pbem.titles.hammer.leagues:BIDS",
    excerpt={"scenario": "braveheart"},
    default=True,
    twin="pbem.titles.hammer.testing:twin",
    resumes=True,
)
