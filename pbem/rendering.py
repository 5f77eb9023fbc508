"""The functions that find the templates and fill them in.

In an installed package the templates lie inside it; in a source checkout they are the folder
`templates/` beside it. A name that a template uses and nobody gave is an error, never a blank.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2

HTML_ENDINGS = (".html", ".html.j2")


def find_templates() -> Path:
    """Return the folder of all templates of letters, reports and pages."""
    package = Path(__file__).parent
    inside, beside = package / "templates", package.parent / "templates"
    return inside if inside.is_dir() else beside


@cache
def environment(folders: tuple[Path, ...] = ()) -> "jinja2.Environment":
    """Return the environment that fills in all templates, and escapes values only in those for HTML."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader([find_templates(), *folders]),
        undefined=jinja2.StrictUndefined,
        autoescape=lambda name: name is not None and name.endswith(HTML_ENDINGS),  # noqa: S701 - plain text must stay as it is
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(template: str, folders: tuple[Path, ...] = (), /, **values: object) -> str:
    """Fill in one template, named by its path below the folder (`receipt.txt.j2`).

    `folders`: where a game's own templates lie; the program's come first, so that no game replaces them.
    """
    return environment(folders).get_template(template).render(values)
