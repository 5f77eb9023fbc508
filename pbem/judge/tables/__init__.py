"""The club's database: its tables, and the queries on each."""
