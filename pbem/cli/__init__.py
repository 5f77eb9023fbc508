"""The command `pbem`: parse, make one call, print.

The commands stand in table. Results go to standard output, remarks to standard error after `pbem: `. Exit
status: 0 done, 1 failed, 2 misused, 3 an audit found a fault.
"""

import sys

from pbem import __version__
from pbem.cli.table import help_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run one command and return its exit status.

    Help and version are told before anything is imported that they do not need.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    text = ""
    if given in (["--help"], ["-h"]):
        text = help_text()
    elif given == ["--version"]:
        text = f"pbem {__version__}\n"
    if text:
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError:
            pass  # the group meets the same trouble, and says what it is
        else:
            return 0
    from pbem.cli.group import run

    return run(given)
