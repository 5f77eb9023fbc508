"""Pictures of Hammer of the Scots: map.py puts areas, blocks.py blocks and moves.py arrows on the map."""

from pbem.titles.hammer.pictures.map import MapPainter

PAINTER = MapPainter()
