"""Games that were played elsewhere: reading them, checking them, and writing ours in other people's formats."""


class DataError(ValueError):
    """A recorded game cannot be read or written; the message names the game, the turn, the value and the remedy."""
