"""The tests of pbem: `pytest` runs the quick ones, `pytest -m slow` the long ones."""
