"""Ratings over all leagues of a club and its rated games outside them, and the file that proves them.

record              the rated games of public ledgers as facts, the ratings that follow, and their file
club_ratings        the ratings of a club, for its command and its pages
merging             ratings computed again from bundles, and what the bundles do not bear out
"""
