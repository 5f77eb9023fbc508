"""The player's keys: `keys/<name>` and `keys/<name>.pub` in the home, as ssh-keygen writes them.

A key made by ssh-keygen may lie there, or anywhere else if it is named by its whole path. A recovery key
is not kept here: only its public half is, as `keys/<name>.recovery.pub`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pbem.player import files
from pbem.trust import keys
from pbem.trust.faults import KeyFault
from pbem.trust.identifiers import check_token
from pbem.trust.keys import PrivateKey, PublicKey, check_private_mode, write_private_file

LOST = "lost-key"
"""The reason in the fault of a key that is missing in the home, because its file is gone or never was."""
Passphrase = Callable[[str], str]
"""Function of a key's name that returns the key's passphrase; it is called only for a locked key."""


class Keyring:
    """The keys in the folder `keys` of a home."""

    def __init__(self, path: Path, passphrase: Passphrase) -> None:
        self.path = path
        self._passphrase = passphrase
        self._unlocked: dict[str, PrivateKey] = {}

    def generate(self, name: str, passphrase: str = "") -> PublicKey:
        """Make a key pair and return its public half; no key of the home may have its name yet."""
        check_token(name, "name of a key")
        key = keys.generate(name)
        if not files.write_new(self.path / name, key.to_openssh(passphrase)):
            raise KeyFault(f"there is a key {name} already, in {self.path / name}")
        files.write(self._public_path(name), key.public.file_line.encode())
        self._unlocked[name] = key
        return key.public

    def generate_recovery(
        self, name: str, passphrase: str = "", out: Path | None = None
    ) -> tuple[PublicKey, bytes]:
        """Make a recovery key for the key `name`; return its public half and its key file, which is not kept.

        With `out` the key file is written there, readable by its owner alone.
        """
        check_token(name, "name of a key")
        kept = self._recovery_path(name)
        if kept.exists():
            raise KeyFault(f"there is a recovery key for {name} already; its public half is {kept}")
        key = keys.generate(f"{name} recovery")
        private = key.to_openssh(passphrase)
        if out is not None:
            write_private_file(out, private)
        files.write(kept, key.public.file_line.encode())
        return key.public, private

    def recovery(self, name: str) -> PublicKey | None:
        """Return the public half of `name`'s recovery key; None if there is none."""
        data = files.read_file(self._recovery_path(name))
        return None if data is None else keys.parse_public(_text(data))

    def names(self) -> tuple[str, ...]:
        """Return the names of the keys in the home."""
        found = (path.with_suffix("") for path in self.path.glob("*.pub"))
        return tuple(sorted(path.name for path in found if path.is_file()))

    def public(self, name: str) -> PublicKey:
        """Return the public half of a key; if its `.pub` file is here, no passphrase is needed."""
        data = files.read_file(self._public_path(name))
        return self.unlock(name).public if data is None else keys.parse_public(_text(data))

    def is_unlocked(self, name: str) -> bool:
        """Tell whether a key can be used without a passphrase."""
        return name in self._unlocked

    def is_here(self, name: str) -> bool:
        """Tell whether the private half of a key is in the home, locked or not."""
        return self.is_unlocked(name) or self._path(name).exists()

    def unlock(self, name: str) -> PrivateKey:
        """Return a key pair ready to sign and to open seals."""
        if name not in self._unlocked:
            path = self._path(name)
            if not path.exists():
                if self._public_path(name).exists():
                    raise KeyFault(
                        f"the key {path} is not here any more, only its public half: put a copy of it back, "
                        "or replace it: pbem sign rotation --help",
                        reason=LOST,
                    )
                raise KeyFault(
                    f"there is no key {path}; pbem keygen makes one, and if you had one and lost it, another "
                    "takes its place: pbem sign rotation --help",
                    reason=LOST,
                )
            check_private_mode(path)
            data = path.read_bytes()
            passphrase = self._passphrase(name) if keys.is_locked(data) else ""
            self._unlocked[name] = keys.load_private(data, passphrase)
        return self._unlocked[name]

    def borrow(self, name: str, key: PrivateKey) -> PublicKey:
        """Use a key of the home that is unlocked elsewhere; `key` has all signing and opening done there.

        Raises:
            KeyFault: `key` is not the key that has this name in the home.
        """
        public = self.public(name)
        if key.public.blob != public.blob:
            raise KeyFault(f"the key that is unlocked elsewhere is not {name}")
        self._unlocked[name] = key
        return public

    def _path(self, name: str) -> Path:
        return self.path / name

    def _public_path(self, name: str) -> Path:
        path = self._path(name)
        return path.with_name(f"{path.name}.pub")

    def _recovery_path(self, name: str) -> Path:
        return self.path / f"{name}.recovery.pub"


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")
