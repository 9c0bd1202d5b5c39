"""The check of bots whose conventions only make sense with the standard cards, hands and tokens."""

from __future__ import annotations

from coplay.game import Game
from coplay.player import AgentError
from coplay.worlds.hanabi.bots.identity_sets import refuse_variants
from coplay.worlds.hanabi.settings import Hanabi

SETTINGS = ("colors", "ranks", "hand_size", "info_tokens", "life_tokens", "copies")


def require_standard_game(name: str, game: Game, fewest: int, most: int, any_hand: bool = False) -> None:
    """Raises AgentError unless `game` is Hanabi with standard settings and `fewest` to `most` players; `any_hand`: its
    hands may have any size."""
    if not isinstance(game, Hanabi):
        raise AgentError(f"{name} plays hanabi, not {game.name}; make the game with coplay.make('hanabi', players=5).")
    if not fewest <= game.players <= most:
        counts = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        raise AgentError(f"{name} plays with {counts} players, not {game.players}; make the game with players={most}.")
    refuse_variants(name, game)
    standard = Hanabi(players=game.players, hand_size=game.hand_size if any_hand else 0)
    for setting in SETTINGS:
        got, want = getattr(game, setting), getattr(standard, setting)
        if got != want:
            raise AgentError(
                f"{name} knows only the standard game, where {setting} is {want} with {game.players} players, "
                f"not {got}; leave {setting} out when making the game."
            )
