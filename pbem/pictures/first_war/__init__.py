"""First War of Scottish Independence, drawn: the table, from a view alone."""

from pbem.pictures.first_war.table import TablePainter

PAINTER = TablePainter()
