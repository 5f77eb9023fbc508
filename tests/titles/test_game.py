"""The public names for whoever writes a game: their examples run, and the guide needs no others."""

import ast
import doctest
from pathlib import Path

import pbem.game


def test_the_examples_of_its_docstring_run() -> None:
    found = doctest.testmod(pbem.game)
    assert found.attempted > 5
    assert not found.failed


def test_the_guide_needs_no_other_names(project: Path) -> None:
    """Whatever a block of it imports is public."""
    document = (project / "pbem/docs/writing-a-game.md").read_text(encoding="utf-8")
    blocks = [part.partition("\n")[2] for part in document.split("\n```python")[1:]]
    needed = {
        alias.name
        for block in blocks
        for node in ast.walk(ast.parse(block.partition("\n```")[0]))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pbem")
        for alias in node.names
    }
    assert needed
    assert needed <= set(pbem.game.__all__)
