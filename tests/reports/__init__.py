"""Reports: what is said, to whom, and how it looks."""
