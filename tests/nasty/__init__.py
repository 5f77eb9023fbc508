"""Values that nobody foresees, in every place where a director or a player types something."""
