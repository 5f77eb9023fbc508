"""The course of each format from round to round, as the ledger shows it; `formats` has the calculations."""
