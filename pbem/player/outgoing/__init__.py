"""Modules that make what a player sends: joins, orders, reveals; one module signs and seals."""
