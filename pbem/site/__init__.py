"""A club's web site: static pages for everybody that show what is played there, and how to join.

`view` is what the public may know of a club and of the games that can be played there, `pages` makes every
file of the site from that, `writing` keeps the files of a folder as they ought to be, `seats` are the seats
that the director offers.
"""
