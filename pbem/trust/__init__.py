"""The package that makes trust in the judge unnecessary: keys, signatures, seals, dice and the ledger.

Pure functions on bytes. Nothing here knows a game, a database, a clock or a command line, and nothing
else in the program imports `cryptography`, `pyrage` or `bcrypt`; here `primitives` alone does. Every format
is specified to the byte in the module that writes it, so that a stock tool (ssh-keygen, age, sha256sum,
openssl) can check it.

    primitives   what is taken from libraries, natively and in a browser
    faults       what can be wrong with a key, a signature, a seal, a reveal, an entry
    identifiers  tokens: game ids, player names, labels; the namespaces of signatures
    keys         Ed25519 keys in OpenSSH's formats, and the files of secrets; who may sign what
    signature    SSHSIG, as `ssh-keygen -Y sign` writes it
    sealing      age files of few sizes; one seal key for each exchange and player
    armor        age armor out of a mail, however the mail program has mangled it
    chance       hash chains, reveals, the roots of a game's secrets; mix files, dice and draws
    orderfile    the signed and sealed order file, and the draft that a person writes of it
    fields       ledger entries and signed texts as tables of their fields
    entries      each kind of entry as such a table; act_entries, rotations: acts of the game master, new keys
    ledger       the hash chain over salted entries, their parser, checkpoints and receipts
    life         an exchange or call from its opening to its resolution, as the ledger has it
    proof        who has a share in an exchange's dice; a resolved exchange proven from its public entries
    letters      reports, notices, copies, forecasts
    press        messages between players, and what the judge signs of them
    player_statements    that a player takes part, is away, has a fetch key; their zone and other wishes
    post_box     what a reader asks of a post box, which one a game uses, the copy of a home in it
    times        times in texts, time zones by name, and the clock of a game in words
"""
