"""First War of Scottish Independence, and where its parts lie."""

from pbem.titles import Title

TITLE = Title(
    "first-war",
    files=("pbem.rules.first_war", "pbem.orders.first_war", "pbem.reports.first_war"),
    rules="pbem.rules.first_war:RULES",
    orders="pbem.orders.first_war:LANGUAGE",
    words="pbem.reports.first_war:WORDS",
    pictures="pbem.pictures.first_war:PAINTER",
    imagine="pbem.rules.first_war.imagined:imagine",
    bots="pbem.bots.first_war:BOTS",
)
