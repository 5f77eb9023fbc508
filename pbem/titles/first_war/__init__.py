"""The title of First War of Scottish Independence, with the places where its parts lie."""

from pbem.titles import Title

TITLE = Title(
    "first-war",
    files=("pbem.rules.first_war", "pbem.orders.first_war", "pbem.titles.first_war.reports"),
    rules="pbem.rules.first_war:RULES",
    orders="pbem.orders.first_war:LANGUAGE",
    words="pbem.titles.first_war.reports:WORDS",
    pictures="pbem.titles.first_war.pictures:PAINTER",
    playback="pbem.titles.first_war.playback:PLAYBACK",
    imagine="pbem.rules.first_war.game:imagine",
    worlds="pbem.titles.first_war.forecast:WORLDS",
    bots="pbem.titles.first_war.bots:BOTS",
    twin="pbem.titles.first_war.testing:twin",
    resumes=True,
)
