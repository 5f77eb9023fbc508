"""The page for players: all that a browser needs to play, with nothing to install.

    api        everything that the page may ask of Python: data in, data out
    table      a report as the page shows it; practice: a game against a bot, without a judge
    door       the same as text for the page's worker, and the home's files as changes
    bytecode   what the page has started with, compiled on the device for its next starts
    homefile   a home as one file, between page and command line
    mails      what to hand to a mail program; outbox: what goes to a post box and comes from there
    pocket     with which a locked page sees that letters wait
    build      writes the site; packages: the libraries from npm; serve: on loopback
    site/      the page itself: HTML, style and modules of JavaScript

Python in the page is this package without judge, mail and commands (`build.LEFT_OUT`). All of it runs on the
player's device: no request leaves it but for the files of the site.
"""
