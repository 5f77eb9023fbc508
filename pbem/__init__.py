"""A play-by-email judge for hidden-information board games."""

from pathlib import Path

__version__ = "0.1.0"

if Path(__file__).with_name("binary").is_dir():  # built with PBEM_COMPILED=1
    import sys

    from pbem.compiled import Finder

    sys.meta_path.insert(0, Finder(Path(__file__).parent))
