"""Lords of Scotland, drawn: the table of cards as one reader sees it."""

from pbem.pictures.lords.table import TablePainter

PAINTER = TablePainter()
