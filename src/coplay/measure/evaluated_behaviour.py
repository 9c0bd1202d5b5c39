"""How an agent behaved in an evaluation: with its own copies, and in its own seats among partners."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import numpy as np

from coplay.games.hanabi import Hanabi
from coplay.games.overcooked import Overcooked
from coplay.measure.behaviour.action_table import ActionTable, action_table, kind_table
from coplay.measure.behaviour.conventions import Adherence, adherence, readable, readings
from coplay.measure.behaviour.kitchen import event_counts
from coplay.measure.behaviour.moves import Moves, moves_of
from coplay.measure.behaviour.style import style
from coplay.measure.run_folder import RunFolder
from coplay.measure.seatings import AGENT, Configuration, configurations
from coplay.measure.stats import Estimate
from coplay.play.episode import Episodes
from coplay.play.episode_file import load

READ = 30  # games of self-play that the reader of conventions goes through
MOST = 200  # deals of each team that are looked at: enough for rates, and large runs stay small in memory


class Behaved(NamedTuple):
    """Rates or event counts twice: with copies, and with partners in the agent's own seats; None: not of this game."""

    copies: dict[str, Estimate] | None
    partners: dict[str, Estimate] | None
    kinds: ActionTable | None  # P(next | last) of the team of copies
    actions: ActionTable | None
    adherence: Adherence | None
    events: dict[str, tuple[float, float]] | None  # per game and chef: with copies, with partners


def behaved(folder: RunFolder, run: dict[str, Any]) -> Behaved | None:
    """Read off the recorded games; None where they are not in the folder."""
    teams = configurations(run["agent"], tuple(run["partners"]), run["players"], run["seatings"])
    if not all((folder / team.file).is_file() for team in teams):
        return None
    games = ((team, _first(load(folder / team.file), MOST)) for team in teams)
    _, own = next(games)
    if isinstance(own.game, Overcooked):
        return _in_a_kitchen(own, games)
    assert isinstance(own.game, Hanabi)
    return _at_the_table(own.game, own, games)


def _first(episodes: Episodes, count: int) -> Episodes:
    """The first deals of a team."""
    return dataclasses.replace(
        episodes,
        starts=jax.tree.map(lambda leaf: leaf[:count], episodes.starts),
        actions=episodes.actions[:count],
        lengths=episodes.lengths[:count],
        scores=episodes.scores[:count],
        forfeits=tuple(forfeit for forfeit in episodes.forfeits if forfeit.game < count),
    )


def _at_the_table(game: Hanabi, own: Episodes, games: Iterator[tuple[Configuration, Episodes]]) -> Behaved:
    copies = moves_of(own)
    rows = readings(own, READ) if readable(game) and not np.asarray(own.starts.seat).any() else None
    return Behaved(
        copies=style(game, copies),
        partners=style(game, _joined([_own_seats(team, moves_of(episodes)) for team, episodes in games])),
        kinds=kind_table(copies),
        actions=action_table(game, copies),
        adherence=None if rows is None else adherence(rows),
        events=None,
    )


def _own_seats(team: Configuration, moves: Moves) -> Moves:
    return moves._replace(made=moves.made & np.isin(moves.seat, _seats(team)))


def _seats(team: Configuration) -> list[int]:
    return [seat for seat, letter in enumerate(team.seating) if letter == AGENT]


def _joined(parts: list[Moves]) -> Moves:
    """The moves of all teams on one deal in one row, so that a deal is drawn with all its games."""
    return Moves(*(np.concatenate(leaves, axis=1) for leaves in zip(*parts, strict=True)))


def _in_a_kitchen(own: Episodes, games: Iterator[tuple[Configuration, Episodes]]) -> Behaved:
    names = own.game.event_names  # pyright: ignore[reportAttributeAccessIssue]
    copies = event_counts(own).mean((0, 1))
    partners = np.mean([event_counts(episodes)[:, _seats(team)].mean((0, 1)) for team, episodes in games], axis=0)
    events = {name: (float(copies[i]), float(partners[i])) for i, name in enumerate(names)}
    return Behaved(None, None, None, None, None, events)
