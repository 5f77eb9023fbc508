"""The judge's mail, incoming and outgoing; no other part of the judge knows how a mail is made.

extract     raw bytes of a mail -> what the judge would take from it, and whether it may be answered
"""
