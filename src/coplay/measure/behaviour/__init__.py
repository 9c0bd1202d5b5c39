"""How agents behave, read off the games they played: so recorded games of people can be asked the same questions.

What is counted is a face of the game's world (`coplay.faces.Behaviour`). `rates`: a share with its interval. `pool`:
every agent of a pool described. `population`: its map, its diversity, and how far its members are from each other.
"""
