"""The judge: a club folder, its database, and the steps by which games go on.

club        the folder: keys, database, letters going out; cache: what it keeps between steps
book        a game's ledger, read whole and appended to; saved_places: where a game stands
newgame     opens a game: who sits where in it, and what its options mean
adjudication    closes what is complete, resolves it, writes the reports, opens the next exchange
agenda      who is waited for, without a look at ledgers; game_status: each in a line, or one in some
export      a game's bundle, and the same for disputes; public_book: as far as the public may see
acts        what a game master does, with reasons and consents; new_keys: of a seat, and of the judge
intake/     what arrives
    desk        stores the raw bytes and finds whose they are; verdicts: receives or refuses, late ones too
    reopened_files    what was received; quarantine: what could not be looked at
    consents    takes consents, and grants claims and more time; waiting_list: what waits for the game master
letters/    what leaves
    letters_out invitations, notices, reports; receipts: signed
    order_explanations    what orders were understood as, and what they will do
    letter_files    letters as files; addresses: who is told whose; webpage: the page that a club recommends
deadlines/  when an exchange ends
    rhythm      deadlines; running_deadlines: moved for absences, reminders, silence
    mailbox_checks    whether mail allows it
upkeep/     backups, the journal, restore, and that a folder is the one
tables/     the database; its entry rows are the ledgers, and nothing else is the truth
press/      what players say to each other
leagues/    the same for leagues
"""
