"""Checks a game's bundle offline, with no database and no secret, and says what is proven.

bundle      reads a folder or archive from anybody, trusting nothing about it
findings    what a check can say: proven, not provable yet, refuted
evidence    log, keys, checkpoints: hashes and signatures
orders      order files: whose they are, and whether they were rightly received or refused
fairness    reveals, mixes, dice: nobody chose a value
replay      the game played again and compared, entry by entry and report by report
held_papers    what players kept, against what the bundle says
"""
