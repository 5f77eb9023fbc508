"""Can strangers and players make an honest judge look guilty? Compositions of what they can send.

arena       the honest people: a judge's real club, players with keys and chains, time
moves       what strangers and hostile players send and do
campaign    one composition from a seed, and what must hold after it
"""
