"""Everything about the behaviour of a pool: each agent with its own copies, and recorded games beside them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from coplay.agents.spec import agent as make_agent
from coplay.games.game import Game
from coplay.games.hanabi import Hanabi
from coplay.games.overcooked import Overcooked
from coplay.measure import MeasureError, diversity
from coplay.measure.behaviour.action_table import ActionTable, action_table, kind_table
from coplay.measure.behaviour.conventions import Adherence, Reading, adherence, readable, readings
from coplay.measure.behaviour.moves import moves_of
from coplay.measure.behaviour.population import Features, Map, features, policy_distance, pool_map, style_features
from coplay.measure.behaviour.style import style
from coplay.measure.stats import Estimate
from coplay.measure.validate import whole
from coplay.play.episode import Episodes
from coplay.play.play import play

READ = 50  # games per agent that the reader of conventions goes through


@dataclasses.dataclass(frozen=True)
class Behaviour:
    """One agent, or one set of recorded games; what its game does not have is None."""

    name: str
    episodes: Episodes
    features: Features
    style: dict[str, Estimate] | None = None
    actions: ActionTable | None = None
    kinds: ActionTable | None = None
    readings: list[Reading] | None = None
    adherence: Adherence | None = None


@dataclasses.dataclass(frozen=True)
class Pool:
    """The agents and recordings, and what they are to each other."""

    game: Game
    members: tuple[Behaviour, ...]
    map: Map | None  # None for a single member
    distance: np.ndarray | None  # float [agents, members]: rows are the members that can be asked, which come first
    curve: tuple[diversity.CurveRow, ...]  # the most diverse subset of every size; features scaled to 1 per column

    @property
    def diversity(self) -> float:
        """det K of everybody."""
        return self.curve[-1].diversity


def behaviour(
    game: Game,
    agents: Sequence[str],
    games: int = 200,
    seed: int = 0,
    recorded: Mapping[str, Episodes] | None = None,
    distance: bool = True,
    say: Callable[[str], None] = lambda line: None,
) -> Pool:
    """Every agent plays `games` games with its own copies on the same deals; then all are compared."""
    whole("games", games, 1)
    whole("seed", seed, 0)
    recorded = recorded or {}
    _check(game, agents, recorded)
    players = [make_agent(spec, game) for spec in agents]
    members = []
    for spec, player in zip(agents, players, strict=True):
        # In lock-step, because there every seat shares one compiled player.
        members.append(describe(spec, play(game, [player] * game.players, games, seed, engine="lockstep")))
        say(f"{spec}: {games} games, mean {members[-1].episodes.scores.mean():.2f}")
    members += [describe(name, episodes) for name, episodes in recorded.items()]
    rows = np.stack([member.features.values for member in members])
    asked = None
    if distance and players and len(members) > 1:
        say("asking every agent at the others' decisions")
        asked = policy_distance(players, [member.episodes for member in members], seed)
    return Pool(
        game=game,
        members=tuple(members),
        map=pool_map(rows) if len(members) > 1 else None,
        distance=asked,
        curve=tuple(diversity.curve(diversity.scaled(rows), seed=seed)),
    )


def describe(name: str, episodes: Episodes, read: int = READ) -> Behaviour:
    """Everything that can be said about games of one team."""
    game = episodes.game
    if not isinstance(game, Hanabi):
        return Behaviour(name, episodes, features(episodes))
    moves = moves_of(episodes)
    rates = style(game, moves)
    rows = None
    if readable(game) and not np.asarray(episodes.starts.seat)[:read].any():
        rows = readings(episodes, read)
    return Behaviour(
        name=name,
        episodes=episodes,
        features=style_features(rates),
        style=rates,
        actions=action_table(game, moves),
        kinds=kind_table(moves),
        readings=rows,
        adherence=None if rows is None else adherence(rows),
    )


def _check(game: Game, agents: Sequence[str], recorded: Mapping[str, Episodes]) -> None:
    if not isinstance(game, Hanabi | Overcooked):
        raise MeasureError(f"{game.name} has no behaviour measures; there are some for hanabi and overcooked.")
    if not agents and not recorded:
        raise MeasureError("nobody to look at; name agents or recorded games.")
    for place, spec in enumerate(agents):
        if spec in agents[:place]:
            raise MeasureError(f"{spec} is named twice; name every agent once.")
    for name, episodes in recorded.items():
        if (episodes.game.name, episodes.game.players) != (game.name, game.players):
            raise MeasureError(
                f"{name} holds games of {episodes.game.name} for {episodes.game.players}, but {game.name} for "
                f"{game.players} was asked for. Look at them separately."
            )
