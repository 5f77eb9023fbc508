"""Exchanges: what a judge does with order files, and what it saves."""
