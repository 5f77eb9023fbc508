"""Games on one machine, without keys, mail or judge: for practice, for bots, for measuring.

The exchanges, the stop rule, the orders and the reports are those of the judge; only the dice are not, which
come from a seed.
"""
