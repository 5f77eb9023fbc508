"""The upkeep of a running club: the whole pass (mail, time, games), its watch, the check of its set-up."""
