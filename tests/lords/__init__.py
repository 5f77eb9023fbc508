"""Lords of Scotland: what its tests share."""
