"""The page for players: all that a browser needs to play, with nothing to install.

    api        everything that the page may ask of Python: data in, data out; calls: its parts beside turns
    table      what the page shows; reading: a report in parts; practice: a game without a judge
    door       the api as text for the page's worker, and the home's files as changes
    homefile   a home as one file, between page and command line; home_copy: its sealed copy in a post box
    outbox     what leaves the page, for a mail program or a post box, and what comes from there
    signing    texts that are signed besides orders; talk: press; private_notes: what only the player sees
    auditing   a bundle audited; looking_back: a game shown again
    build      writes the site, with the libraries from npm, and serves it on loopback
    site/      the page itself: HTML, style and modules of JavaScript

Python in the page is this package without judge, mail and commands (`build.LEFT_OUT`). All of it runs on the
player's device: no request leaves it but for the files of the site.
"""
