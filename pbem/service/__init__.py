"""The upkeep of a running club: the judge's whole pass over it, the alerts, and the check of its set-up."""
