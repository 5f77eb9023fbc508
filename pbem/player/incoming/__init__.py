"""Modules that receive letters, receipts and copies; each is checked before it is kept."""
