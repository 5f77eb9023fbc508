"""Pictures of Lords of Scotland: the table of cards as one reader sees it."""

from pbem.titles.lords.pictures.table import TablePainter

PAINTER = TablePainter()
