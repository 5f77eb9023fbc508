"""Can strangers and players make an honest judge look guilty? Compositions of what they can send.

arena       the honest people: a judge's real club, players with keys and chains, time
moves       what strangers and hostile players send and do
campaign    one composition from a seed, and what must hold after it
table_campaign    the same at tables of three to five, where the judge may cheat
plot, league_moves, league_cheats, league_campaign    the same of leagues
"""
