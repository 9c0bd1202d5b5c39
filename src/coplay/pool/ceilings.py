"""How much can be scored with a partner at all? Scores of best responses, for best-response proximity.

A trained partner of the pool carries its own (`best_response`). Those of other partners, such as the scripted ones,
stand in pool.toml as a list:

    [[ceiling]]
    partner = "smartbot"              # the spec, as in --partners
    game = "hanabi"
    players = 2
    layout = ""                       # of a kitchen; may be left out
    score = [23.50, 0.02, 10000]      # the best response alone among copies of the partner, over all seats:
                                      # mean score, its standard error, games
    self_play = [23.02, 0.02, 10000]  # the partner with its own copies
    note = "coplay train best_response --players 2 --set partner=smartbot ..."
"""

from __future__ import annotations

from typing import Any, NamedTuple

from coplay.agents.agent import AgentError
from coplay.games.game import Game
from coplay.pool.pool import CEILINGS, contents, entries

FIELDS = {"partner", "game", "players", "score", "self_play"}
OPTIONAL = {"layout", "note"}


class Figure(NamedTuple):
    """A measured mean."""

    mean: float
    standard_error: float
    games: int


class Ceiling(NamedTuple):
    """What a partner can be brought to, and what it reaches with its own copies."""

    best_response: Figure
    self_play: Figure

    @property
    def score(self) -> float:
        """A partner's copies answer it too: where the trained answer is worse than they are, theirs is the ceiling."""
        return max(self.best_response.mean, self.self_play.mean)

    @property
    def standard_error(self) -> float:
        return max(self.best_response, self.self_play).standard_error


def ceilings(game: Game) -> dict[str, Ceiling]:
    """spec -> ceiling, of every partner of this game whose best response was measured."""
    layout = getattr(game, "layout", "")
    wanted = (game.name, game.players)
    found = {
        f"pool:{one.id}": Ceiling(Figure(*one.best_response), Figure(*one.self_play))
        for one in entries().values()
        if one.best_response and (one.game, one.players) == wanted and one.layout in ("", layout)
    }
    for number, one in enumerate(contents().get(CEILINGS, []), 1):
        _check(number, one)
        if (one["game"], one["players"]) == wanted and one.get("layout", "") in ("", layout):
            found[one["partner"]] = Ceiling(Figure(*one["score"]), Figure(*one["self_play"]))
    return found


def _check(number: int, one: dict[str, Any]) -> None:
    missing, foreign = FIELDS - one.keys(), one.keys() - FIELDS - OPTIONAL
    if missing or foreign:
        wrong = f"lacks {', '.join(sorted(missing))}" if missing else f"has {', '.join(sorted(foreign))}"
        raise AgentError(f"pool.toml: ceiling {number} {wrong}; its fields are {', '.join(sorted(FIELDS | OPTIONAL))}.")
    for name in ("score", "self_play"):
        if len(one[name]) != 3:
            raise AgentError(
                f"pool.toml: ceiling {number} ({one['partner']}) has {name} = {one[name]}; "
                "write [mean, standard error, games]."
            )
