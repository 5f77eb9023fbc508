"""The module behind `python -m pbem`, which is the command `pbem`."""

import sys

from pbem.cli import main

sys.exit(main())
