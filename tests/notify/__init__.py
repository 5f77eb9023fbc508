"""The notifier: what it is told, what it posts, and what it refuses."""
