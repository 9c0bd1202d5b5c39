"""How agents behave, read off the games they played: so recorded games of people can be asked the same questions.

`moves`: Hanabi games replayed move by move. `style`: rates such as communicativeness. `action_table`: what follows
what. `conventions`: H-Group labels and violations. `kitchen`: event counts of Overcooked. `population`: a pool's map,
its diversity and how far its members are from each other.
"""
