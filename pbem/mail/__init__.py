"""The judge's mail, incoming and outgoing; no other part of the judge knows how a mail is made.

Incoming mail is fetched by `club_mailbox` (from a `maildir` or by `imap`), read by `extract`, and handled by
`inbox`; outgoing mail is made by `compose` and sent by `outbox`.
"""
