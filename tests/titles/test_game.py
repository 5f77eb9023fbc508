"""The public names for whoever writes a game: their examples run, and the guide needs no others."""

import ast
import doctest

import pbem.game
from pbem.guides import own_name, skeleton


def test_the_examples_of_its_docstring_run() -> None:
    found = doctest.testmod(pbem.game)
    assert found.attempted > 5
    assert not found.failed


def test_the_guide_needs_no_other_module() -> None:
    """Whatever it imports of the program comes from here, and is public."""
    imports = [
        node
        for path, text in skeleton(own_name(), whole=True).items()
        if path.endswith(".py")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pbem")
    ]
    assert {node.module for node in imports} == {"pbem.game"}
    assert {alias.name for node in imports for alias in node.names} <= set(pbem.game.__all__)
