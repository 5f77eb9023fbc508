"""What a test of every title needs to know of First War."""
