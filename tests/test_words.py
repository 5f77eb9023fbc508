"""The project's words are its own, and plain.

No run of ten words of a rulebook stands in any of its files; and what people read (templates, pages,
messages, docstrings, comments) says "character", "fix" or "correct", and "they" for a player.
"""

import ast
import re
import subprocess
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from tokenize import COMMENT, generate_tokens

import pytest

from tests.tools.rulebook_words import DATA, HASH_BYTES, copied_lines, known_runs, normalised, runs

OUR_OWN = """
The clerk counts his candles twice before he locks the long room,
and on the way home he tells nobody what he has counted.
"""


@pytest.fixture(scope="module")
def rulebooks() -> frozenset[bytes]:
    return known_runs(DATA.read_bytes())


def text_files(project: Path) -> list[Path]:
    """Every text file that git tracks, or would after `git add`."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    )
    files = {project / name for name in listed.stdout.split("\0") if name} - {DATA}
    return [path for path in sorted(files) if path.is_file() and b"\0" not in path.read_bytes()]


@pytest.mark.ci
def test_no_file_repeats_a_rulebook(project: Path, rulebooks: frozenset[bytes]) -> None:
    copied = [
        f"{path.relative_to(project)}:{line}"
        for path in text_files(project)
        for line in copied_lines(path.read_text(encoding="utf-8", errors="replace"), rulebooks)
    ]
    assert not copied, (
        "from these lines on ten words in a row stand in a rulebook too: "
        "say it in words of your own; put a list of names into an order of your own"
    )


def test_the_data_is_there_sorted_and_whole(rulebooks: frozenset[bytes]) -> None:
    data = DATA.read_bytes()
    assert data == b"".join(sorted(rulebooks))
    assert all(len(run) == HASH_BYTES for run in rulebooks)
    assert len(rulebooks) > 30_000


@pytest.mark.parametrize(
    "disguise",
    [
        "The clerk counts his candles twice before he locks the",
        "# THE CLERK counts his candles\n# twice, before he locks the door",
        '"the clerk counts his "\n    "candles twice (before he) locks the"',
        "**The** clerk _counts_ his candles; twice - before he locks the ...",
        "On the way: the \ufb01rst clerk. The clerk counts his candles twice before he locks the gate",
    ],
)
def test_a_planted_run_is_found_in_any_dress(disguise: str) -> None:
    known = frozenset(run for _, run in runs(normalised(OUR_OWN)))
    assert copied_lines(f"first line\n{disguise}\n", known) == [2]


def test_nine_words_are_nobody_s() -> None:
    known = frozenset(run for _, run in runs(normalised(OUR_OWN)))
    assert copied_lines("The clerk counts his candles twice before he locks", known) == []
    assert copied_lines("The clerk counts his candles twice before she locks the long room", known) == []


def test_a_table_of_numbers_is_a_fact() -> None:
    assert not list(runs("1 2 3 4 5 6 7 8 9 10 11 12"))


# -- plain words

PLAIN = {
    "character": r"(\d|\b(an?|no|each|every|first|last|invisible)) signs?\b|\bsigns (of it|at most)\b"
    r"|\} signs(?=[;,.])",
    "fix or correct": r"\bmend(s|ed|ing)?\b",
    "they": r"\b(he|him|his|himself)\b",
}
"""What to say, and what is then not said."""
HARD = (Path(__file__).parent / "hard_words.txt").read_text(encoding="utf-8").splitlines()
"""Words that were hard for readers whose first language is not English, and were said in plainer ones."""
IS_NO = re.compile(r"(?<!there )\b(is|was) no (?!(longer|more|room)\b)[a-z-]+")
"""A fault says "is not a number", not "is no number"; "there is no number" is plain."""
OF_A_NOBLE = re.compile(
    r"Wallace where he is, if he may|he disbands|he is not in|^ where he stands$|his block is in the pool"
    r"|holds his home|^his$"
)
"""What is said of Wallace, the King or a noble; and the word "his" itself, which orders may write."""


def odd_words(text: str) -> list[str]:
    """What a plain word would say better."""
    return [
        f"{found[0]!r}: say {better}"
        for better, pattern in PLAIN.items()
        for found in re.finditer(pattern, OF_A_NOBLE.sub("", text), re.IGNORECASE)
    ]


def words_of(source: str) -> Iterator[str]:
    """The messages, docstrings and comments of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "}" for part in node.values)
        if isinstance(node, ast.Constant):
            yield str(node.value)
    for token in generate_tokens(StringIO(source).readline):
        if token.type == COMMENT:
            yield token.string


def read_by_people(project: Path) -> Iterator[tuple[str, str]]:
    """Each place, and what stands there for people to read."""
    for path in (*project.glob("*.md"), *project.glob("pbem/docs/*.md"), *project.glob("templates/**/*.*")):
        yield path.relative_to(project).as_posix(), path.read_text(encoding="utf-8")
    for path in project.glob("pbem/**/*.py"):
        place = path.relative_to(project).as_posix()
        for text in words_of(path.read_text(encoding="utf-8")):
            yield place, text


@pytest.mark.ci
def test_what_people_read_is_in_plain_words(project: Path) -> None:
    assert [f"{place}: {odd}" for place, text in read_by_people(project) for odd in odd_words(text)] == []


def hard_words(text: str) -> list[str]:
    """Phrases of `HARD` that a text has, however its lines are broken."""
    plain = " ".join(text.split()).lower()
    return [hard for hard in HARD if hard in plain]


def messages(source: str) -> Iterator[str]:
    """What a module says: its strings, and the docstrings of its commands, which are their help."""
    tree = ast.parse(source)
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    told -= {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and isinstance(node.body[0], ast.Expr)
        if any(re.search(r"\.(command|group)\(", ast.unparse(made)) for made in node.decorator_list)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


def read_by_players(project: Path) -> Iterator[tuple[str, str]]:
    """Each place, and what stands there for people: their pages, settings, letters, words and messages."""
    read = ("first-turn", "glossary", "leagues", "mail", "page", "unattended")
    pages = [project / f"pbem/docs/{page}.md" for page in read]
    pages += [
        project / "README.md",
        *project.glob("pbem/web/site/*words.js"),
        project / "pbem/moments/viewer/viewer.js",
        *project.glob("pbem/docs/orders*.md"),
        *project.glob("pbem/leagues/presets/*.toml"),
    ]
    for path in (*pages, *project.glob("templates/**/*.j2"), *project.glob("pbem/**/*.j2")):
        yield path.relative_to(project).as_posix(), path.read_text(encoding="utf-8")
    for path in project.glob("pbem/**/*.py"):
        for text in messages(path.read_text(encoding="utf-8")):
            yield path.relative_to(project).as_posix(), text


@pytest.mark.ci
def test_what_players_read_has_no_hard_phrase(project: Path) -> None:
    assert [f"{place}: {hard}" for place, text in read_by_players(project) for hard in hard_words(text)] == []


NO_SUBJECT = re.compile(r"(As|By|From|Of|So|Than|What|Which|Who|Whom|Whose)\b")
"""First words of a docstring that answers a question which only its signature asks."""
CITED = re.compile(r"[FLR]?\d[^:\n]*: ")
"""The sections and rulings that begin the docstring of a rule."""
NO_VERB = re.compile(r"(an?|any|both|first|how|most|no|once|only|the|then|where|why|without)\b")
"""First words of what follows them if it has no verb."""


def docstrings(source: str) -> Iterator[str]:
    """The docstrings of a module, also of its constants and fields, but for the help of commands."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if any(
            re.search(r"\.(command|group)\(", ast.unparse(one)) for one in getattr(node, "decorator_list", [])
        ):
            continue
        for part in getattr(node, "body", []) if not isinstance(node, ast.Lambda | ast.IfExp) else []:
            if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
                yield str(part.value.value)


@pytest.mark.ci
def test_a_docstring_names_its_subject(project: Path) -> None:
    texts = [
        (path.relative_to(project).as_posix(), text)
        for path in project.glob("pbem/**/*.py")
        for text in docstrings(path.read_text(encoding="utf-8"))
    ]
    assert len(texts) > 7000
    assert [f"{place}: {text}" for place, text in texts if NO_SUBJECT.match(text)] == []


def rules_without_verb(source: str) -> Iterator[str]:
    """The docstrings of functions whose sections are followed by no verb; a property is a noun."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            text, made = ast.get_docstring(node) or "", map(ast.unparse, node.decorator_list)
            if (cited := CITED.match(text)) and not any("property" in name for name in made):
                rest = text[cited.end() :]
                if NO_VERB.match(rest) or NO_SUBJECT.match(rest.capitalize()):
                    yield text


def test_the_docstring_of_a_rule_says_what_it_does(project: Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in project.glob("pbem/rules/**/*.py")]
    assert len(texts) > 30
    assert [found for text in texts for found in rules_without_verb(text)] == []


def test_a_rule_without_a_verb_is_found() -> None:
    texts = ("4.2: the next block.", "R14, F3: then Player 2 moves.", "4.2: return the next block.")
    found = [len([*rules_without_verb(f'async def a():\n    """{text}"""\n')]) for text in texts]
    assert found == [1, 1, 0]


def test_a_docstring_without_a_subject_is_found() -> None:
    source = 'X = 1\n"""So many."""\n\n\ndef f():\n    """Of a game."""\n\n\nclass A:\n    """Solid."""\n'
    assert [bool(NO_SUBJECT.match(text)) for text in docstrings(source)] == [True, True, False]


@pytest.mark.ci
def test_the_sentences_of_the_style_page_are_of_this_code(project: Path) -> None:
    """The page has twelve pairs; its better prose stands in the code, and what that replaced does not."""
    page = (project / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Names and prose")[2]
    pairs = re.findall(r"^\| (?!before|---)(.+?) \| (.+?) \|$", page, re.MULTILINE)
    assert len(pairs) == 12
    code = "\n".join(
        " ".join(text.split())
        for path in project.glob("pbem/**/*.py")
        for text in docstrings(path.read_text(encoding="utf-8"))
    )
    prose = [pair for pair in pairs if "`" not in pair[0]]
    assert len(prose) == 8
    assert [after for _, after in prose if after not in code] == []
    starts = {line.removesuffix(".") for line in code.splitlines()}
    assert [before for before, _ in prose if before.removesuffix(".") in starts] == []


def raised(source: str) -> Iterator[str]:
    """What the faults of a module say, where they are raised."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise):
            words = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
            yield "".join(word for word in words if isinstance(word, str))


@pytest.mark.ci
def test_a_fault_says_what_something_is_not(project: Path) -> None:
    texts = [(path.name, said) for path in project.glob("pbem/**/*.py") for said in raised(path.read_text())]
    assert len(texts) > 500
    assert [f"{name}: {said}" for name, said in texts if IS_NO.search(said)] == []


@pytest.mark.parametrize(
    "text",
    [
        "Forced to go, all retreat to Fife.",
        "Nothing was\n  taken: the file is sealed",
        "If you say nothing: you are asked when the time comes.",
        "days = 7   # so long after its last result",
    ],
)
def test_a_hard_phrase_is_found(text: str) -> None:
    assert len(hard_words(text)) == 1


@pytest.mark.parametrize(
    ("text", "odd"),
    [
        ("a fingerprint has 43 signs", "43 signs"),
        ("a sign in it is wrong", "a sign"),
        ("the player mends it", "mends"),
        ("show it to the judge: he asks", "he"),
        ("you move second; if he attacks nothing:", "he"),
        ("Grant goes over to England, who holds his home; his friend does not", "his"),
    ],
)
def test_an_odd_word_is_found(text: str, odd: str) -> None:
    (found,) = odd_words(text)
    assert found.split("'")[1] in odd
    assert odd_words(found.split(": say ")[1]) == []


def test_what_is_said_of_signatures_is_not_odd() -> None:
    assert odd_words("she signs; whoever signs it; sign the part above; they recommend it; the others") == []


def test_the_help_of_a_command_is_read_and_other_docstrings_are_not() -> None:
    command = '@click.command()\ndef a():\n    """Help."""\n'
    other = 'def b():\n    """Why."""\n    f("Said.")\n'
    assert sorted(messages(f'"""Of the module."""\n{command}{other}')) == ["Help.", "Said."]


def test_of_a_module_all_words_are_read() -> None:
    source = '"""He is prose."""\nX = "he"  # his\nhim = f"{X} signs"\n'
    assert sorted(words_of(source)) == [" signs", "# his", "He is prose.", "he", "} signs"]
