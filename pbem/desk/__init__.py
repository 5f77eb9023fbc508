"""A web page for the director of a club: what waits for a decision, and the commands as buttons.

| module | what it is |
|---|---|
| `deeds` | the commands that the desk runs, with their fields; what waits, and which buttons a page has |
| `app` | pages and forms: who may ask, what is shown, and what is run; and their server |
"""
