"""Scripts that make the tests' data."""
