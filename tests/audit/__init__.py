"""Bundles checked by both verifiers: untouched ones, and ones that somebody has cheated with."""
