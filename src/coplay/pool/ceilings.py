"""How much can be scored with a partner at all? The most that is known, for best-response proximity.

The ceiling of a partner is the highest of three: what its trained best response scores with it, what its own copies
do, and what the best of the pool's agents does (`reference`). A partner with whom none of these gets anywhere has no
ceiling: there is nothing to come near to.

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
from coplay.pool.reference import Met, Reference, reference

FIELDS = {"partner", "game", "players", "score", "self_play"}
OPTIONAL = {"layout", "note"}


class Figure(NamedTuple):
    """A measured mean."""

    mean: float
    standard_error: float
    games: int


class Ceiling(NamedTuple):
    """What a partner can be brought to, as far as anybody knows."""

    best_response: Figure | None  # None: not trained
    self_play: Figure
    best_known: Figure | None = None  # among the pool's agents, the partner itself left out
    known_by: str = ""  # whose that is

    @property
    def score(self) -> float:
        return self._highest[0].mean

    @property
    def standard_error(self) -> float:
        return self._highest[0].standard_error

    @property
    def held_by(self) -> str:
        """Who reached it, in words."""
        return self._highest[1]

    @property
    def _highest(self) -> tuple[Figure, str]:
        found = [(self.best_response, "its best response"), (self.self_play, "its own copies")]
        found.append((self.best_known, self.known_by))
        return max(((figure, who) for figure, who in found if figure is not None), key=lambda one: one[0].mean)


def ceilings(game: Game, table: Reference | None = None) -> dict[str, Ceiling]:
    """spec -> ceiling, of every partner of this game with whom anybody is known to get anywhere.

    table: what agents score with each other; by default the one that comes with the package.
    """
    table = reference(game) if table is None else table
    trained, alone = _trained(game), _self_play(game)
    alone |= {partner: _figure(met) for (agent, partner), met in table.items() if agent == partner}
    found = {}
    for partner in dict.fromkeys([*trained, *alone]):
        known = Ceiling(*trained[partner]) if partner in trained else Ceiling(None, alone[partner])
        others = {agent: met for (agent, other), met in table.items() if other == partner and agent != partner}
        if others:
            best = max(others, key=lambda name: others[name].mean)
            known = known._replace(best_known=_figure(others[best]), known_by=best)
        if known.score >= _worth_while(game):
            found[partner] = known
    return found


def _self_play(game: Game) -> dict[str, Figure]:
    """spec -> what its own copies score, of the pool's partners for this game."""
    layout = getattr(game, "layout", "")
    mine = [
        one for one in entries().values() if (one.game, one.players, one.layout) == (game.name, game.players, layout)
    ]
    return {f"pool:{one.id}": Figure(*one.self_play) for one in mine}


def _figure(met: Met) -> Figure:
    return Figure(met.mean, met.standard_error, met.games)


def _worth_while(game: Game) -> float:
    """With a partner who cannot be brought to a fifth of the highest score, or to a soup, nobody shows anything."""
    return 20.0 if game.max_score is None else game.max_score / 5


def _trained(game: Game) -> dict[str, tuple[Figure, Figure]]:
    """spec -> its best response with it, and its own copies, where a best response was trained."""
    layout = getattr(game, "layout", "")
    wanted = (game.name, game.players)
    found = {
        f"pool:{one.id}": (Figure(*one.best_response), Figure(*one.self_play))
        for one in entries().values()
        if one.best_response and (one.game, one.players) == wanted and one.layout in ("", layout)
    }
    for number, one in enumerate(contents().get(CEILINGS, []), 1):
        _check(number, one)
        if (one["game"], one["players"]) == wanted and one.get("layout", "") in ("", layout):
            found[one["partner"]] = (Figure(*one["score"]), Figure(*one["self_play"]))
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
