"""Print the one shell block of a section of the README, exactly as it stands there.

python3 .ci/readme_block.py "Try it" | bash -e
"""

import re
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def shell_block(readme: str, section: str) -> str:
    """The lines between ```sh and ``` below `## section`; there must be just one such block."""
    parts = re.split(r"^## (.+)$", readme, flags=re.MULTILINE)
    bodies = [body for title, body in zip(parts[1::2], parts[2::2], strict=True) if title.strip() == section]
    if len(bodies) != 1:
        raise SystemExit(f"README.md has {len(bodies)} sections '## {section}', not one")
    blocks = re.findall(r"^```sh\n(.*?)^```$", bodies[0], flags=re.MULTILINE | re.DOTALL)
    if len(blocks) != 1:
        raise SystemExit(f"the section '{section}' of README.md has {len(blocks)} sh blocks, not one")
    return str(blocks[0])


if __name__ == "__main__":
    sys.stdout.write(shell_block(README.read_text(encoding="utf-8"), sys.argv[1]))
