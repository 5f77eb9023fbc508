"""The sealed copy of a home in a post box, through which several devices of one player share a home.

    copying     in the home, and in no copy of it: box and key; the generation that is here, and each file
                of it by its SHA-256; and the same of the copy that is on its way to the box

A device gives its home to the box after each change, and before it seals it takes what another has given
there. Where both have changed, files that only one of them has changed are taken from it. Of a ledger the
longer one counts, since each device has verified its own; if they differ, this device's, and what the judge
has signed of the other convicts them with the next letter. Of what else both have changed the copy's counts;
files that were signed, received or noted here, and the other ledger, are then put away under
`forgotten/drifted-<generation>`. Keys never change.
That two devices have sealed otherwise, receipts and ledger tell as ever (pbem.player.store.known_files).

What a box answers is hostile: a copy counts by its player's signature, its generation must be the one that
the box named, and one that is older than what was here before is told.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pbem.errors import ConfigError, PbemError
from pbem.player import Home, files
from pbem.player.box_client import BoxClient, BoxFault
from pbem.player.faults import Refused
from pbem.player.files import lock_folder
from pbem.trust.armor import find_sealed
from pbem.trust.post_box import check_box_url, make_copy_key, open_copy, seal_copy
from pbem.trust.sealing import to_armor
from pbem.web import homefile

FILE = "copying"
MAX_TRIES = 4
"""Maximum number of times that a copy is made again because another device was faster to store its own."""
_PUT_AWAY = frozenset(("sent", "held", "press", "reports", "notes"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One generation of a home's copy: its number, its zip, and the files in it."""

    number: int = 0
    zip_sha256: str = ""
    files: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copying:
    """The state of a home's copy: where it is stored, and which generation this device has."""

    box: str = ""
    """The address of the post box that stores the copy; "" if there is no copy of this home."""
    key: str = ""
    """The name of the player's key that signs the copy."""
    here: Generation = Generation()
    away: Generation = Generation()
    """The copy that was sent to the post box last; number 0 once it is known whether that was stored."""
    is_own: bool = False
    """Whether this device has made the generation of the copy that it has."""

    @property
    def is_on(self) -> bool:
        """Whether the player wants a copy of the home to be stored."""
        return bool(self.box)

    @property
    def is_unsure(self) -> bool:
        """Whether the post box may have stored the last copy; the box is asked before it gets another."""
        return self.away.number != 0


@dataclass(frozen=True, slots=True)
class Taken:
    """The result of taking over a copy of the home from the post box."""

    said: tuple[str, ...] = ()
    changed: bool = False


class HomeCopies:
    """The client that keeps one home's copy in a post box up to date."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._path = home.path / FILE

    @property
    def state(self) -> Copying:
        """The stored state of the home's copy; that of no copy, if none is stored or the file is damaged."""
        try:
            said = json.loads(files.read_file(self._path) or b"{}")
            found = Copying(**{**said, "here": _generation(said["here"]), "away": _generation(said["away"])})
            if (
                found.box
                and check_box_url(found.box)
                and type(found.key) is str
                and type(found.is_own) is bool
            ):
                return found
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, PbemError):
            pass
        return Copying()

    def switch_on(self, box: str, key: str) -> None:
        """Store copies of the home in a post box from now on, for a key of it; a copy there comes first."""
        self._home.keys.public(key)
        known = self.state
        if (known.box, known.key) != (box, key):
            self._keep(Copying(box=check_box_url(box), key=key))

    def switch_off(self) -> None:
        """Store no more copies of the home; the last copy stays in the post box."""
        self._path.unlink(missing_ok=True)

    def client(self) -> BoxClient:
        """Return the client for the post box that stores the copy of the home."""
        state = self.state
        return BoxClient(state.box, self._home.keys.unlock(state.key), self._home.now)

    def sheet(self) -> str:
        """Return the copy key, which opens copies of the home and signs nothing; make it if there is none."""
        path = self._home.path / homefile.SHEET
        files.write_new(path, f"{make_copy_key()}\n".encode())
        return (files.read_file(path) or b"").decode().strip()

    # From the box

    def take(self, generation: object, armor: object) -> Taken:
        """Take over the copy in a post box's answer; change no file if this device has that generation.

        Raises:
            Refused: the copy is not one that this player has made.
        """
        state = self.state
        if type(generation) is not int or type(armor) is not str:
            raise Refused("the post box does not answer as one must")
        if generation == state.here.number:
            if state.is_unsure:
                self._keep(replace(state, away=Generation()))
            return Taken()
        is_older = generation < state.here.number
        theirs, zip_sha256 = self._opened(state, generation, armor) if generation else ({}, "")
        is_own = zip_sha256 == state.away.zip_sha256
        with lock_folder(self._home.path):
            base = state.away.files if is_own else state.here.files
            drifted = self._merge(theirs, {} if is_older else base, generation, is_older=is_older)
        here = Generation(
            number=generation, zip_sha256="" if is_older else zip_sha256, files=_digests(theirs)
        )
        self._keep(replace(state, here=here, away=Generation(), is_own=is_own or is_older))
        said = [_older(generation, state.here.number)] if is_older else []
        if drifted:
            where = _put_away(generation)
            said.append(f"{drifted} files were changed on two devices; those of this one are in {where}")
        return Taken(tuple(said), changed=True)

    def _opened(self, state: Copying, generation: int, armor: str) -> tuple[dict[str, bytes], str]:
        """Return the files in a copy of the home, and the hash of the copy's zip.

        Raises:
            Refused: the copy is not the one that the box calls it, or not this player's.
        """
        try:
            (sealed,) = find_sealed(armor.encode())
            said, data = open_copy(sealed, state.box, [self._home.keys.unlock(state.key)])
        except (PbemError, ValueError) as fault:
            raise Refused(f"the copy of your home in the post box is not taken: {fault}") from None
        if said.generation != generation:
            raise Refused(f"the post box calls generation {said.generation} of your home {generation}")
        return homefile.contents(data), said.zip_sha256

    # To the box

    def put(self) -> tuple[int, str] | None:
        """Return the next copy of the home, as generation and armor; None if the home has not changed.

        Raises:
            SealFault: the home is too large for a box.
        """
        state, sheet = self.state, self.sheet()
        data = homefile.pack(self._home.path)
        zip_sha256 = hashlib.sha256(data).hexdigest()
        if zip_sha256 == state.here.zip_sha256:
            return None
        number = state.here.number + 1
        key = self._home.keys.unlock(state.key)
        sealed = seal_copy(data, state.box, number, self._home.now(), key, sheet)
        away = Generation(number=number, zip_sha256=zip_sha256, files=_digests(homefile.contents(data)))
        self._keep(replace(state, away=away))
        return number, to_armor(sealed)

    def was_put(self, number: int) -> None:
        """Note that the post box has stored the copy that `put` returned."""
        state = self.state
        if state.away.number == number:
            self._keep(replace(state, here=state.away, away=Generation(), is_own=True))

    # Over the network, for the command line

    def fetch(self) -> tuple[str, ...]:
        """Take over the home as another device gave it to the post box; return what to tell the player.

        Raises:
            BoxFault: the box cannot be reached, or its answer is invalid.
        """
        return self.take(*self.client().get_copy(self.state.here.number)).said

    def take_newest(self) -> tuple[str, ...]:
        """Take over the newest copy before something is sealed; return remarks for the player.

        The post box need not answer if this device made the last copy.

        Raises:
            ConfigError: the box cannot be asked, and another device has given the last copy.
        """
        try:
            return self.fetch()
        except BoxFault as fault:
            if self.state.is_own:
                return (f"{fault}; this device has given your home there last, so it goes on",)
            raise ConfigError(
                f"{fault}; another device has given your home to the box last, so nothing is sealed before "
                "it is known that this one has the newest (pbem sync --off seals all the same)"
            ) from None

    def give(self) -> tuple[str, ...]:
        """Take over another device's changes, then give the post box a new copy if the home has changed.

        Return remarks for the player.

        Raises:
            BoxFault: the box does not take the copy.
        """
        told: tuple[str, ...] = ()
        for _ in range(MAX_TRIES):
            if self.state.is_unsure:
                told += self.fetch()
            if (found := self.put()) is None:
                return told
            if self.client().put_copy(*found):
                self.was_put(found[0])
                return told
            if found[0] == 1 and self.client().get_copy(0)[0] == 0:
                raise BoxFault(
                    "the post box keeps no copy for your key yet: the judge must have enrolled you"
                )
        raise BoxFault("another device changes your home all the time; try again later")

    # Inside

    def _merge(
        self, theirs: Mapping[str, bytes], base: Mapping[str, str], generation: int, *, is_older: bool
    ) -> int:
        """Take over another device's files; return how many of this device's files were moved aside.

        `base`: the files that both had. `is_older`: the copy is older than this device's files, which count.
        """
        root, drifted = self._home.path, 0
        ours = {path.relative_to(root).as_posix(): path.read_bytes() for path in homefile.held(root)}
        there = {_digest(data) for data in theirs.values()}
        for name in sorted(ours.keys() | theirs.keys()):
            own, other = ours.get(name), theirs.get(name)
            both, known = own is not None and other is not None, base.get(name)
            if own == other or (own is not None and (is_older or name.startswith("keys/"))):
                continue
            if known is not None and _digest(other) == known:
                continue  # this device alone has changed or removed it
            if own is not None and _digest(own) != known:
                if not both or _is_further(name, own, other or b""):
                    continue
                if name.endswith("/ledger.txt") and not _is_one_ledger(own, other or b""):
                    files.write(root / _put_away(generation) / name, other or b"")  # what the judge signed
                    drifted += 1  # stays in `held`, and convicts them with the next letter
                    continue
                if _is_evidence(name) and not (other or b"").startswith(own):
                    files.write(root / _put_away(generation) / name, own)
                    drifted += 1
            if other is not None:
                files.write(root / name, other)
            elif not _is_evidence(name) or _digest(own) in there:  # it has gone elsewhere
                (root / name).unlink()
        return drifted

    def _keep(self, state: Copying) -> None:
        files.write(self._path, json.dumps(asdict(state)).encode())


def _older(generation: int, known: int) -> str:
    return (
        f"the post box has generation {generation} of your home, and this device had {known} before: the "
        "box was restored, or hides what another device gave it; what is here is given again"
    )


def _put_away(generation: int) -> str:
    return f"forgotten/drifted-{generation}"


def _is_further(name: str, own: bytes, other: bytes) -> bool:
    """Tell whether this device's version of a file that only grows is longer than the other device's."""
    if name.endswith("/through"):
        return _number(own) >= _number(other)
    if not name.endswith("/ledger.txt"):
        return False
    here, there = _leaves(own), _leaves(other)
    return here[: len(there)] == there and (len(here), len(own)) >= (len(there), len(other))


def _is_one_ledger(own: bytes, other: bytes) -> bool:
    """Tell whether two devices' files of a ledger have the same entries, as far as both go."""
    here, there = _leaves(own), _leaves(other)
    return all(one == two for one, two in zip(here, there, strict=False))


def _leaves(ledger: bytes) -> list[bytes]:
    return [line for line in ledger.split(b"\n") if line.startswith(b"leaf ")]


def _is_evidence(name: str) -> bool:
    """Tell whether a file of a home was signed, received or noted on this device, and so is never dropped."""
    return not _PUT_AWAY.isdisjoint(name.split("/")[:-1])


def _digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def _digests(contents: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}


def _number(data: bytes) -> int:
    text = data.strip()
    return int(text) if text.isdigit() and len(text) <= 12 else 0


def _generation(said: Any) -> Generation:
    found = Generation(**said)
    if type(found.number) is not int or type(found.zip_sha256) is not str:
        raise TypeError
    if not all(type(one) is str for pair in found.files.items() for one in pair):
        raise TypeError
    return found
