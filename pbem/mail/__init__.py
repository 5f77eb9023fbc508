"""Mail in and mail out: the only part of the judge that knows what a mail is.

extract     raw bytes of a mail -> what the judge would take from it, and whether it may be answered
"""
