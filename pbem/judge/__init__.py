"""The judge: a club folder, its database, and the steps by which games go on.

club        the folder: keys, database, letters going out; cache, replayed_game: what it keeps between steps
book        a game's ledger, read whole and appended to; saved_places: where a game stands
newgame     opens a game; seating: who sits where in it, and what its options mean
adjudication    closes what is complete, resolves it, writes the reports, opens the next exchange
agenda      who is waited for, without a look at ledgers; game_status: each in a line, or one in some
export      a game's bundle; club_record: the same for disputes; public_book: as far as the public may see
intake/     what arrives
    desk        stores the raw bytes and finds whose they are; verdicts: receives or refuses, late ones too
    reopened_files    what was received; quarantine: what could not be looked at
    consents    takes consents, and grants claims; waiting_list: what waits for the game master
letters/    what leaves
    letters_out invitations, notices, reports; receipts: signed
    order_explanations    what orders were understood as, and what they will do
    letter_files    letters as files; addresses: who is told whose; webpage: the page that a club recommends
deadlines/  when an exchange ends
    rhythm      deadlines; extensions: moved for absences; agreed_time: by consent; timing: reminders, silence
    mailbox_checks    whether mail allows it
acts/       what a game master does
    entering    acts with their reasons and consents; put_away: the end of a game that cannot go on
    player_key  a player's new key; judge_key: the judge's
upkeep/     backups, the journal, restore, and that a folder is the one
tables/     the database; its entry rows are the ledgers, and nothing else is the truth
press/      what players say to each other
leagues/    the same for leagues
"""
