"""The judge: a club folder, its database, and the steps by which games go on.

Club     the folder: keys, database, letters going out
Store    the database; its entry rows are the ledgers, and nothing else is the truth
Desk     takes what arrives: raw bytes are stored, opened, checked, entered and receipted
Bench    adjudicates what is complete and writes the reports
"""
