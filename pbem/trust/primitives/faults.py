"""What a backend may say: `keys` and `sealing` turn it into words for people."""


class Locked(Exception):
    """The key file needs a passphrase, and none was given."""


class WrongPassphrase(Exception):
    """The passphrase does not open the key file."""


class Unreadable(Exception):
    """The key file is damaged, or of a kind that is not read; the message says more."""


class OtherKind(Exception):
    """The key file is whole, and its key is none of Ed25519."""


class OddRecipient(Exception):
    """A text is no recipient of age's."""


class OddIdentity(Exception):
    """A text is no identity of age's."""


class NoKeyFits(Exception):
    """An age file is sealed to other keys."""


class Broken(Exception):
    """An age file does not open: it is damaged."""
