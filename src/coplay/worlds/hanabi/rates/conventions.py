"""How closely games follow the H-Group conventions: a label for every move, the principles it breaks, and the share
of moves that break none. The reader (`coplay.worlds.hanabi.bots.hgroup.analyse`) knows levels 1 to 5."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from coplay.faces import ReadMove
from coplay.measure import MeasureError
from coplay.measure.behaviour.rates import rate
from coplay.measure.stats import Estimate
from coplay.measure.study.validate import whole
from coplay.rollouts.episode import Episodes
from coplay.worlds.hanabi import Hanabi
from coplay.worlds.hanabi.bots.hgroup.analyse import read_game


class Adherence(NamedTuple):
    """What the reader said about the moves of some games."""

    share: Estimate  # of moves that break no principle
    labels: dict[str, int]  # how often each label was given, the most frequent first
    violations: dict[str, int]
    moves: int
    games: int


def readable(game: object) -> bool:
    """Can the reader follow this game? It knows the standard rules only, seat 0 first."""
    return isinstance(game, Hanabi) and (game.variant, game.colors, game.ranks, game.hand_size, game.info_tokens) == (
        "none",
        5,
        5,
        Hanabi(players=game.players).hand_size,
        8,
    )


def readings(episodes: Episodes, games: int | None = None, level: int = 5) -> list[ReadMove]:
    """Every move of the first `games` games in the words of the conventions."""
    game = episodes.game
    if not readable(game):
        raise MeasureError(f"{game} is not standard Hanabi; the conventions are for coplay.make('hanabi').")
    if np.asarray(episodes.starts.seat)[: games or None].any():
        raise MeasureError("seat 0 does not start in all of these games; the reader expects that it does.")
    count = len(episodes) if games is None else min(whole("games", games, 1), len(episodes))
    decks = episodes.decks[:count, :, 0] * 5 + episodes.decks[:count, :, 1]
    rows = []
    for index in range(count):
        actions = episodes.actions[index, : episodes.lengths[index]].tolist()
        for turn, move in enumerate(read_game(decks[index].tolist(), actions, game.players, level)):
            rows.append(ReadMove(index, turn, move.seat, move.kind, str(move.label), tuple(map(str, move.violations))))
    return rows


def adherence(rows: Iterable[ReadMove], seats: Iterable[int] | None = None) -> Adherence:
    """Counts what was read; games are drawn anew for the interval. `seats`: only these."""
    wanted = None if seats is None else set(seats)
    mine = [row for row in rows if wanted is None or row.seat in wanted]
    if not mine:
        raise MeasureError("there are no moves to read; give at least one game.")
    games = sorted({row.game for row in mine})
    place = {game: index for index, game in enumerate(games)}
    clean, all_moves = np.zeros((2, len(games)))
    for row in mine:
        clean[place[row.game]] += not row.violations
        all_moves[place[row.game]] += 1
    labels = Counter(f"{row.kind}: {row.label}" for row in mine)
    broken = Counter(violation for row in mine for violation in row.violations)
    return Adherence(
        rate(clean, all_moves), dict(labels.most_common()), dict(broken.most_common()), len(mine), len(games)
    )
