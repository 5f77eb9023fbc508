"""The command `pbem guide`: pages to read, without a browser."""

from __future__ import annotations

import click


@click.command()
@click.argument("page", required=False)
def guide(page: str | None) -> None:
    """Show a page: a first turn, a game's orders, how to write a game.

    Without PAGE it lists them.

    \b
    Example:
      pbem guide first-turn
    """
    from pbem import guides

    pages = guides.guides()
    if page is None:
        for name, heading in pages.items():
            click.echo(f"pbem guide {name}".ljust(30) + heading)
        return
    if page not in pages:
        raise click.UsageError(f"no page called {page!r}; there are {', '.join(pages)}.")
    click.echo_via_pager(guides.guide(page))
