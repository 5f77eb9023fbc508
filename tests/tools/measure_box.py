"""Measure a post box: posts stored durably in a second, and what 200 readers who poll cost.

python -m tests.tools.measure_box FOLDER [SECONDS]

FOLDER is made anew on the disk that is to be measured. Readers fetch once in thirty seconds each, spread
evenly; a letter of a report's size waits for each of them, which they have. The process of the box is
looked at from outside.
"""

from __future__ import annotations

import os
import statistics
import sys
import threading
import time
from pathlib import Path

from pbem.box.folder import Reader, folder_name
from pbem.box.stores import POSTS, put_letter
from pbem.trust.keys import PrivateKey
from tests.box.served import ServedBox, free_port

READERS, EVERY, POSTS_OF_KEY = 200, 30.0, 30
SENDERS = 8
FILE = b"age-encryption.org/v1\n" + bytes(9_500)
LETTER = bytes(95_000)


def main(folder: Path, seconds: float) -> None:
    """Serve a box, and print what was measured."""
    keys = [PrivateKey(number.to_bytes(32, "big")) for number in range(1, READERS + 1)]
    box = ServedBox(folder, free_port())
    folder.mkdir()
    box.write_table(*(Reader(key.public) for key in keys))
    for key in keys:
        put_letter(folder, folder_name(key.public), 1, LETTER)
    box.start()
    assert box.process is not None
    try:
        speed = posts_in_second(box, keys)
        print(f"{speed:.0f} posts a second, of {len(FILE):,} bytes each, by {SENDERS} at once")
        for path in (folder / POSTS).iterdir():
            path.unlink()
        begun, used = time.monotonic(), processor(box.process.pid)
        times = poll(box, keys, seconds)
        share = (processor(box.process.pid) - used) / (time.monotonic() - begun)
        slow = sorted(times)[int(len(times) * 0.95)]
        print(f"{len(times)} fetches by {READERS} readers in {seconds:.0f} seconds")
        print(f"median {statistics.median(times) * 1000:.1f} ms, p95 {slow * 1000:.1f} ms")
        print(f"processor {share * 3600:.0f} seconds an hour; memory at most {memory(box.process.pid)} MB")
    finally:
        box.stop()


def posts_in_second(box: ServedBox, keys: list[PrivateKey]) -> float:
    """Post by several threads at once; what is signed is made before the clock runs."""
    counts: list[int] = []

    def send(mine: list[PrivateKey]) -> None:
        done = sum(box.post(FILE, key).status == 200 for key in mine for _ in range(POSTS_OF_KEY))
        counts.append(done)

    threads = [threading.Thread(target=send, args=(keys[place::40][:3],)) for place in range(SENDERS)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - begun)


def poll(box: ServedBox, keys: list[PrivateKey], seconds: float) -> list[float]:
    """Fetch as readers do, each in a thread; return how long each fetch took, with its connection."""
    times: list[float] = []
    begun = time.monotonic()

    def reader(place: int) -> None:
        at = begun + EVERY * place / READERS
        while at < begun + seconds:
            time.sleep(max(0.0, at - time.monotonic()))
            since = time.monotonic()
            assert box.fetch(keys[place], since=1).status == 200
            times.append(time.monotonic() - since)
            at += EVERY

    threads = [threading.Thread(target=reader, args=(place,)) for place in range(READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times


def processor(pid: int) -> float:
    """Return the seconds of processor that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> int:
    """Return the most memory that a process has had, in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 120)
