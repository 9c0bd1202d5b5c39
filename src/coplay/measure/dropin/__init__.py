"""Drop-in player challenges: games of mixed teams, their schedule, the model that predicts them, the results."""
