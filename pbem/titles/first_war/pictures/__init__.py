"""First War of Scottish Independence, drawn: the table, from a view alone."""

from pbem.titles.first_war.pictures.table import TablePainter

PAINTER = TablePainter()
