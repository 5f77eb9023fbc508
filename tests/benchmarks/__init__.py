"""Speed, measured and never asserted: `pytest tests/benchmarks/bench_*.py`."""
