"""Pictures of First War of Scottish Independence: the table, drawn from a view alone."""

from pbem.titles.first_war.pictures.table import TablePainter

PAINTER = TablePainter()
