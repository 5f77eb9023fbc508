"""Pairs players: one module per format. All chance comes in as joint dice; see `pbem.leagues.joint_lots`."""
