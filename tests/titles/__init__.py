"""What holds of every title that is installed."""
