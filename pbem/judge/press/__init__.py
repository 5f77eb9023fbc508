"""Press at the judge: players' messages are taken in and sent on, and the director acts on press."""
