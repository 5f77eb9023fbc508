"""The command `pbem tool completion`: help from the shell while typing a command."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script with which your shell completes commands.

    \b
    Example:
      pbem tool completion bash >> ~/.bashrc
    """
    from pbem.cli.group import pbem

    completer = get_completion_class(shell)
    assert completer is not None, shell
    click.echo(completer(pbem, {}, "pbem", "_PBEM_COMPLETE").source())
