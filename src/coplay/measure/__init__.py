"""Questions asked of games: how good is a team, and who plays well with whom?"""
