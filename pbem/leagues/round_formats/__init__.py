"""The course of each format from round to round, by the ledger; `formats` has the calculations."""
