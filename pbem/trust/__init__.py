"""The package that makes trust in the judge unnecessary: keys, signatures, seals, dice and the ledger.

Pure functions on bytes. Nothing here knows a game, a database, a clock or a command line, and nothing
else in the program imports `cryptography`, `pyrage` or `bcrypt`; here `primitives` alone does. Every format
is specified to the byte in the module that writes it, so that a stock tool (ssh-keygen, age, sha256sum,
openssl) can check it.

    primitives   what is taken from libraries, natively and in a browser
    faults       what can be wrong with a key, a signature, a seal, a reveal, an entry
    identifiers  tokens: game ids, player names, labels
    keys         Ed25519 keys in OpenSSH's formats; who may sign what
    signature    SSHSIG, as `ssh-keygen -Y sign` writes it
    sealing      age files; one seal key for each exchange and player; padding: what is sealed has few sizes
    armor        age armor out of a mail, however the mail program has mangled it
    chains       hash chains, reveals, the roots of a game's secrets
    chance       mix files, dice and draws
    orderfile    the signed and sealed order file; draft is what a person writes of it
    ledger       the hash chain over salted entries, checkpoints and receipts
    entries      each kind of entry as a table of its fields (entry_fields); entry_parser reads it
    proof        a resolved exchange proven from its public entries
    letters      reports, notices, copies, forecasts
    press        messages between players; press_letters: what the judge signs of them
    text_fields  signed texts as tables of their fields, as entries are
    player_statements    that a player takes part, is away, has a fetch key; their zone and other wishes
    post_box     what a reader asks of a post box, and which one a game uses
    times        times in texts, time zones by name, and the clock of a game in words
"""
