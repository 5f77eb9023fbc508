"""The title of Lords of Scotland, with the places where its parts lie."""

from pbem.titles import Title

TITLE = Title(
    "lords",
    files=("pbem.rules.lords", "pbem.orders.lords", "pbem.titles.lords.reports"),
    rules="pbem.rules.lords:RULES",
    orders="pbem.orders.lords:LANGUAGE",
    words="pbem.titles.lords.reports:WORDS",
    bots="pbem.titles.lords.bots:BOTS",
    imagine="pbem.rules.lords.game:imagine",
    worlds="pbem.titles.lords.forecast:WORLDS",
    pictures="pbem.titles.lords.pictures:PAINTER",
    playback="pbem.titles.lords.playback:PLAYBACK",
    tracker="pbem.titles.lords.tracking:TRACKER",
    counts="pbem.titles.lords.leagues:COUNTS",
    twin="pbem.titles.lords.testing:twin",
    resumes=True,
    variants=(
        {"players": 2},
        {"players": 3, "discard_pile_public": False},
        {"players": 4, "use_bruce": True},
        {"players": 5},
    ),
)
