"""Press at the judge: messages of players are taken in and passed on, and the director acts on press."""
