"""pbem guide: the pages for players, without a browser."""

from __future__ import annotations

from importlib.resources import files

import click

FIRST, ORDERS = "first-turn", "orders"


@click.command()
@click.argument("page", required=False)
def guide(page: str | None) -> None:
    """Show a page for players: a first turn, or a game's orders.

    Without PAGE it lists them.

    \b
    Example:
      pbem guide first-turn
    """
    docs = files("pbem").joinpath("docs")
    names = [one.name.removesuffix(".md") for one in docs.iterdir() if one.name.endswith(".md")]
    pages = [FIRST, *sorted(name for name in names if name.startswith(ORDERS))]
    if page is None:
        for name in pages:
            heading = docs.joinpath(f"{name}.md").read_text(encoding="utf-8").partition("\n")[0]
            click.echo(f"pbem guide {name}".ljust(30) + heading.removeprefix("# "))
        return
    if page not in pages:
        raise click.UsageError(f"no page called {page!r}; there are {', '.join(pages)}.")
    click.echo_via_pager(docs.joinpath(f"{page}.md").read_text(encoding="utf-8"))
