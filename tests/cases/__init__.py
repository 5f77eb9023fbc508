"""Numbered cases in plain text, and what plays them; the format is described in README.md."""
