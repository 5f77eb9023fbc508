"""How each format goes on from round to round, by what the ledger knows; `formats` has the calculations."""
