"""Templates: found in a checkout and in a wheel, strict about names, escaping HTML alone."""

import re

import jinja2
import pytest

from pbem import rendering
from pbem.cli.table import COMMANDS, HIDDEN


@pytest.fixture
def environment() -> jinja2.Environment:
    """The real environment, with templates of the test's own."""
    texts = {
        "note.txt.j2": "{{ said }}\n",
        "note.html.j2": "{{ said }}\n",
        "list.txt.j2": "{% for word in words %}\n{{ word }}\n{% endfor %}\n",
    }
    return rendering.environment().overlay(loader=jinja2.DictLoader(texts))


def test_html_is_escaped_and_text_is_not(environment: jinja2.Environment) -> None:
    assert environment.get_template("note.txt.j2").render(said="<b>&") == "<b>&\n"
    assert environment.get_template("note.html.j2").render(said="<b>&") == "&lt;b&gt;&amp;\n"


def test_a_name_that_was_not_given_is_an_error(environment: jinja2.Environment) -> None:
    with pytest.raises(jinja2.UndefinedError):
        environment.get_template("note.txt.j2").render()


def test_a_line_with_only_a_tag_leaves_no_line(environment: jinja2.Environment) -> None:
    assert environment.get_template("list.txt.j2").render(words=["a", "b"]) == "a\nb\n"


def test_every_template_can_be_read() -> None:
    environment = rendering.environment()
    for name in environment.list_templates(extensions=["j2"]):
        environment.get_template(name)


def test_commands_that_a_mail_names_exist() -> None:
    environment = rendering.environment()
    assert environment.loader is not None
    for name in environment.list_templates(extensions=["j2"]):
        text, _, _ = environment.loader.get_source(environment, name)
        named = re.findall(
            r"^\s+pbem ([a-z][a-z-]+)|(?:by|writes):\s+pbem ([a-z][a-z-]+)", text, re.MULTILINE
        )
        assert {word for pair in named for word in pair if word} <= {*COMMANDS, *HIDDEN}, name
