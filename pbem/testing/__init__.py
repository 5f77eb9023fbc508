"""The contract of a title: what the rest of the program counts on, whatever the game.

    pip install "pbem[testing]"
    pytest --pbem-title tarn

plays random games of the title called `tarn` and tries each clause of `contract.CONTRACT` on them. A clause
raises AssertionError where the title breaks it, and notes what it could not try; the notes stand at the end
of what pytest says. `plugin` is the part that pytest loads.
"""
