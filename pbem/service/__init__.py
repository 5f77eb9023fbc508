"""What keeps a club going: the whole pass (mail, time, games), the watch over it, the look at its set-up."""
