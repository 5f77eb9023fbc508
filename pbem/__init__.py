"""A play-by-email judge for hidden-information board games."""

__version__ = "0.1.0"
