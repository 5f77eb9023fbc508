"""Deadlines of exchanges: how they are computed, moved for absences, announced, and checked against mail."""
