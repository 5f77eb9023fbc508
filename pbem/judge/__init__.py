"""The judge: a club folder, its database, and the steps by which games go on.

club        the folder: keys, database, letters going out; recent, played: what it keeps between two steps
book        a game's ledger, read whole and appended to; places: where a game stands, saved
newgame     opens a game; seating: who sits where in it, and what its options mean
bench       closes what is complete, resolves it, writes the reports, opens the next exchange
agenda      who is waited for, without a look at ledgers; standing: every game in a line, or one in some
export      a game's bundle; club_record: the same for disputes
intake/     what arrives
    desk        stores the raw bytes and finds whose they are; verdicts: receives or refuses, late ones too
    opened_again    what was received; apart: what could not be looked at
    consents    takes consents, and grants claims; waiting: what the game master has to decide about
letters/    what leaves
    letters_out invitations, notices, reports; echoes: what orders were understood as; receipts: signed
    post        letters as files; addresses: who is told whose; webpage: the page that a club recommends
deadlines/  when an exchange ends
    rhythm      deadlines; extensions: moved for absences; timing: reminders, silence
    looks       whether mail allows it
acts/       what a game master does
    entering    acts with their reasons and consents; put_away: the end of a game that cannot go on
    player_key  a player's new key; judge_key: the judge's
upkeep/     backups, the journal, restore, and that a folder is the one
tables/     the database; its entry rows are the ledgers, and nothing else is the truth
leagues/    the same for leagues
"""
