"""The club's database: its tables, each with what is asked of it."""
