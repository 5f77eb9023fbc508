"""What comes to a player: letters, receipts, copies; each is checked before it is kept."""
