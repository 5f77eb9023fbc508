"""Forecasts are made from a side's own view and orders."""
