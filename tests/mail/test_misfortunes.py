"""Three misfortunes at once, drawn by a seed; tests/mail/misfortunes.py has them and what must be true."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mail.misfortunes import MoodyPost, Storm
from tests.mail.servers import smtp_server


@pytest.mark.parametrize(
    "seed", [pytest.param(n, marks=pytest.mark.slow if n else pytest.mark.ci) for n in range(20)]
)
def test_three_at_once(tmp_path: Path, seed: int) -> None:
    post = MoodyPost(tmp_path / "post")
    with smtp_server(post) as port:
        storm = Storm(tmp_path, post, port, seed)
        try:
            storm.live()
            storm.check()
        except AssertionError as fault:
            fault.add_note(f"seed {seed}: {', '.join(storm.names)}")
            raise
