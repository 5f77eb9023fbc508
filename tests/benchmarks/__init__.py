"""Speed, measured and never asserted: `pytest tests/*/bench_*.py`."""
