"""The page's modules: each is used, and none imports in a circle."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

from pbem.web.build import SITE

STARTS = {"main.js", "worker.js", "auditor.js", "sw.js"}
"""What a browser loads by itself: the page, its Python, that of an audit, and the service worker."""
_IMPORT = re.compile(r'^(?:import|export)\b[^;"]*"\./([^"/]+\.js)"', re.MULTILINE)


def imports(folder: Path) -> dict[str, set[str]]:
    """Return for each module of the page those that it imports, libraries left out."""
    return {path.name: set(_IMPORT.findall(path.read_text(encoding="utf-8"))) for path in folder.glob("*.js")}


def test_each_module_is_used_and_only_the_browser_starts_one() -> None:
    found = imports(SITE)
    assert set(found) - set().union(*found.values()) == STARTS


def test_no_module_imports_itself_by_way_of_others() -> None:
    found = imports(SITE)
    order = list(TopologicalSorter(found).static_order())  # raises CycleError where there is a circle
    assert set(order) == set(found)


def test_imports_are_found_however_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "one.js").write_text(
        'import * as a from "./two.js";\nimport {\n  b,\n} from "./three.js";\nimport "./four.js";\n'
        'export { c } from "./five.js";\nimport d from "./lib/six.js";\n// import "./seven.js";\n',
        encoding="utf-8",
    )
    assert imports(tmp_path)["one.js"] == {"two.js", "three.js", "four.js", "five.js"}
