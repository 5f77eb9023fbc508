"""Values that nobody foresees, and what is never said of them."""

from __future__ import annotations

TEXTS = {
    "umlauts": "björn@x.test",
    "line feed": "ann@x.test\nBcc: eve@x.test",
    "NUL": "a\0b",
    "right to left": "a\u202eb\u200f",
    "long": "x" * 10_000,
    "empty": "",
    "blank": " ",
    "option": "-x",
    "quotes": "'\"`",
    "percent": "%s%(a)s{}",
    "template": "{{7*7}}{% raw %}",
    "up": "../../x",
    "no UTF-8": "bj\udcf6rn",
}
"""Name -> a value; the last is what Python makes of a word that is not UTF-8."""
NUMBERS = {"nan": "nan", "infinite": "inf", "negative": "-1", "large": "1e300", "digits": "9" * 30}
"""Besides, where a number is wanted."""
OF_OTHER_KINDS = {"nan": "nan", "infinite": "inf", "large": "1e300", "digits": "9" * 30, "negative": "-1"} | {
    "truth": "true",
    "list": "[]",
    "lists": "[[]]",
    "date": "2026-01-01",
}
"""Besides, as TOML writes them, in settings."""
NEVER_SAID = ("fault in the program", "Traceback (most", "Error", "error:", "codec can't")
"""What no answer to a person holds."""


def faults(text: str) -> list[str]:
    """Return what is said in an answer that nobody should be told."""
    return [said for said in NEVER_SAID if said in text]
