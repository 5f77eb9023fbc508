"""The post box: a small HTTP service beside a club's mail, trusted with delivery alone.

It holds what was posted and not yet taken in, and letters for readers, in a folder of plain files. It opens
no database and has no key. The judge reads and writes the same folder, and takes what stands there as
hostile.

    folder    how files are written and read there; the table that the judge writes; the box's heartbeat
    stores    posts that wait for the judge, letters that wait for readers, sealed copies of homes
    app       what requests are answered, and how much a key, an address and everybody may post
    server    the process, with its deadlines for slow clients
"""
