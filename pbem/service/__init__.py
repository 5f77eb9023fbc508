"""Keeps a club going: the whole pass (mail, time, games), the watch over it, the check of its set-up."""
