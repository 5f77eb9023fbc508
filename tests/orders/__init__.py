"""Tests of pbem.orders."""
