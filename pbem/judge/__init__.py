"""The judge: a club folder, its database, and the steps by which games go on.

club        the folder: keys, database, letters going out; cache: what it keeps between steps
book        a game's ledger, read whole and appended to; saved_places: where a game stands
newgame     opens a game: who sits where in it, and what its options mean
adjudication    closes what is complete, resolves it, writes the reports, opens the next exchange
agenda      who is waited for, without a look at ledgers; game_status: games in a line each, or in several
export      a game's bundle, and the same for disputes; shown_games: what each audience may see of a game
acts        what a game master does, with reasons and consents; new_keys: of a seat, and of the judge
intake/     what arrives
    desk        stores the raw bytes and finds whose they are; quarantine: what could not be looked at
    player_files    opened files: received or refused, late ones too; stored ones, opened again
    consents    takes consents, and grants claims and more time; waiting_list: what waits for the game master
letters/    what leaves
    letters_out invitations, notices, reports, receipts; letter_files: letters as files
    order_explanations    what orders were understood as, and what they will do
    addresses   the addresses in letters: of players, and of the club's page; wishes: a player's private ones
deadlines/  when an exchange ends
    rhythm      deadlines; running_deadlines: moved for absences, reminders, silence
    waits_for_mail    whether mail allows it
upkeep/     backups, the journal, restore, and the check that a folder is not a copy of the club's
tables/     the database; its entry rows are the ledgers, and nothing else is the truth
press/      what players say to each other
leagues/    the ledgers, statements, letters and steps of leagues
"""
