"""Faults that a backend may raise; `keys` and `sealing` turn them into words for people."""


class Locked(Exception):
    """Raised if a key file needs a passphrase and none was given."""


class WrongPassphrase(Exception):
    """Raised if a passphrase does not open a key file."""


class Unreadable(Exception):
    """Raised if a key file is damaged, or of a kind that is not read; the message says more."""


class OtherKind(Exception):
    """Raised if a key file is whole, and its key is not an Ed25519 key."""


class OddRecipient(Exception):
    """Raised if a text is not a valid age recipient."""


class OddIdentity(Exception):
    """Raised if a text is not a valid age identity."""


class NoKeyFits(Exception):
    """Raised if an age file is sealed to other keys."""


class Broken(Exception):
    """Raised if an age file does not open because it is damaged."""
