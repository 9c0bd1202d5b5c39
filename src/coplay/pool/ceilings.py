"""How much can be scored with a partner at all? The most that is known, for best-response proximity.

The ceiling of a partner is the highest of three: what its trained best response scores with it, what its own copies
do, and what the best of the pool's agents does (`reference`). A partner with whom none of these gets anywhere has no
ceiling: there is nothing to come near to.

A trained partner of a pool carries its own (`best_response`). Those of other partners, such as the scripted ones, stand
in the folder `ceilings` of a pool, a file for each partner:

    partner = "smartbot"              # the spec, as in --partners

    [[ceiling]]
    game = "hanabi?players=3"         # the figures hold for exactly this game
    score = [23.50, 0.02, 10000]      # the best response alone among copies of the partner, over all seats:
                                      # mean score, its standard error, games
    self_play = [23.02, 0.02, 10000]  # the partner with its own copies
    note = "coplay train best_response --players 3 --set partner=smartbot ..."

Where two pools have a ceiling of one partner, the higher one counts.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from coplay.game import Game
from coplay.player import AgentError
from coplay.pool import sources
from coplay.pool.places import canonical, from_older_keys
from coplay.pool.pool import entries, read_toml
from coplay.pool.reference import Met, Reference, reference
from coplay.pool.sets import find_set, member_specs, read_partner_set, sets_of

FIELDS = {"game", "score", "self_play"}
OPTIONAL = {"note"}


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


class Trained(NamedTuple):
    """A best response to a partner, and what both were measured at."""

    partner: str  # spec
    game: str  # spec
    score: Figure
    self_play: Figure
    note: str


def ceilings(game: Game, table: Reference | None = None, judged: str = "") -> dict[str, Ceiling]:
    """spec -> ceiling, of every partner of this game with whom anybody is known to get anywhere.

    table: what agents score with each other; by default the one of the installed pools. judged: the hash of the file of
    an agent that is not to be judged by what it reached itself.
    """
    table = reference(game) if table is None else table
    trained = {one.partner: Ceiling(one.score, one.self_play) for one in best_responses(game)}
    trained |= _of_sets(game, judged)
    alone = {
        f"pool:{one.id}": Figure(*one.self_play)
        for one in entries().values()
        if one.self_play and one.measured_in(game)
    }
    alone |= {partner: _figure(met) for (agent, partner), met in table.items() if agent == partner}
    found = {}
    for partner in dict.fromkeys([*trained, *alone]):
        known = trained[partner] if partner in trained else Ceiling(None, alone[partner])
        others = {agent: met for (agent, other), met in table.items() if other == partner and agent != partner}
        if others:
            best = max(others, key=lambda name: others[name].mean)
            if known.best_known is None or others[best].mean > known.best_known.mean:
                known = known._replace(best_known=_figure(others[best]), known_by=best)
        found[partner] = known
    return _worth_while(game, found)


def _of_sets(game: Game, judged: str) -> dict[str, Ceiling]:
    """Those of the partners in the sets of the pools, measured with their own best responses."""
    found = {}
    for name in sets_of(game):
        for spec, one in zip(member_specs(name), read_partner_set(find_set(name)).partners, strict=True):
            own = bool(judged and one.known_weights) and judged.startswith(one.known_weights)
            known = Figure(*one.best_known) if one.best_known and not own else None
            found[spec] = Ceiling(Figure(*one.ceiling), Figure(*one.self_play), known, one.known_by if known else "")
    return found


def _figure(met: Met) -> Figure:
    return Figure(met.mean, met.standard_error, met.games)


def _worth_while(game: Game, found: dict[str, Ceiling]) -> dict[str, Ceiling]:
    """With a partner who cannot be brought to a fifth of the highest score nobody shows anything.

    Where nobody knows the highest score, it is the highest that anybody reached.
    """
    highest = game.max_score
    if highest is None:
        highest = max((one.score for one in found.values()), default=0.0)
    return {partner: one for partner, one in found.items() if 0 < one.score >= highest / 5}


def best_responses(game: Game) -> list[Trained]:
    """The trained best responses to partners of this game, one for each partner."""
    own = [
        Trained(f"pool:{one.id}", one.game, Figure(*one.best_response), Figure(*one.self_play), one.note)
        for one in entries().values()
        if one.best_response and one.self_play and one.measured_in(game)
    ]
    here = canonical(game)
    others = [one for one in recorded() if canonical(one.game) == here]
    found: dict[str, Trained] = {}
    for one in sorted([*own, *others], key=lambda one: one.score.mean):
        found[one.partner] = one
    return [found[partner] for partner in dict.fromkeys(one.partner for one in [*own, *others])]


def recorded() -> list[Trained]:
    """Every ceiling that stands in a file of its own, of all games."""
    return _recorded(tuple(path for pool in sources.folders() for path in sorted((pool / "ceilings").glob("*.toml"))))


@cache
def _recorded(files: tuple[Path, ...]) -> list[Trained]:
    return [one for file in files for one in _read(file)]


def _read(file: Path) -> list[Trained]:
    values = read_toml(file)
    if values.keys() != {"partner", "ceiling"}:
        raise AgentError(f"{file}: it has partner and [[ceiling]] tables, not {', '.join(values)}.")
    return [_one(file, number, values["partner"], one) for number, one in enumerate(values["ceiling"], 1)]


def _one(file: Path, number: int, partner: str, values: dict[str, Any]) -> Trained:
    values = from_older_keys(values)
    missing, foreign = FIELDS - values.keys(), values.keys() - FIELDS - OPTIONAL
    if missing or foreign:
        wrong = f"lacks {', '.join(sorted(missing))}" if missing else f"has {', '.join(sorted(foreign))}"
        raise AgentError(f"{file}: ceiling {number} {wrong}; its fields are {', '.join(sorted(FIELDS | OPTIONAL))}.")
    for name in ("score", "self_play"):
        if len(values[name]) != 3:
            raise AgentError(
                f"{file}: ceiling {number} has {name} = {values[name]}; write [mean, standard error, games]."
            )
    return Trained(
        partner, values["game"], Figure(*values["score"]), Figure(*values["self_play"]), values.get("note", "")
    )
