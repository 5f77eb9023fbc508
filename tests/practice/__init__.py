"""Games of one person against a bot."""
