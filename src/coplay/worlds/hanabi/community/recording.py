"""Hanabi's face for recording: convention players sit at bare tables, without the engine, which is much quicker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coplay.agents.spec import agent
from coplay.data import DataError
from coplay.rollouts.episode import Episodes
from coplay.worlds.hanabi.bots.hgroup.agent import HGroup
from coplay.worlds.hanabi.community.recipe import Community, Kind, read_community
from coplay.worlds.hanabi.community.table_game import CommunityGame, play_number
from coplay.worlds.hanabi.recordings.ah2ac2 import TURNS
from coplay.worlds.hanabi.recordings.episodes import is_standard, to_episodes
from coplay.worlds.hanabi.recordings.games import Games


def format(game: Any) -> str:
    """The published format holds games of the standard rules only."""
    return "ah2ac2" if is_standard(game) else "episodes"


def source(game: Any, names: Sequence[str]) -> str | None:
    """The text of the recipe, or the convention players' specs; None for other agents."""
    community = as_community(game, names)
    return None if community is None else community.source


def record(game: Any, names: Sequence[str], seed: int, numbers: Sequence[int]) -> Episodes:
    """The games of these numbers."""
    community = as_community(game, names)
    assert community is not None
    played = [play_number(community, game.players, seed, number) for number in numbers]
    return to_episodes(_as_games(game.players, numbers, played))


def as_community(game: Any, names: Sequence[str]) -> Community | None:
    """The community that one name stands for, or that convention players make up; None for other agents."""
    if len(names) == 1 and (names[0] == "community" or names[0].endswith(".toml")):
        if not is_standard(game):
            raise DataError(f"{game}: communities play Hanabi by the standard rules; name agents for other games.")
        return read_community(names[0])
    kinds: list[Kind] = []
    for name in names:
        player = agent(name, game)
        if not isinstance(player, HGroup):
            return None
        kinds.append(Kind(name, {game.players: 1.0}, {"level": player.level, **player.habits._asdict()}))
    return Community(tuple(kinds), "\n".join(names))


def _as_games(players: int, numbers: Sequence[int], played: list[CommunityGame]) -> Games:
    actions = np.full((len(played), TURNS), -1, np.int32)
    for row, one in enumerate(played):
        actions[row, : len(one.actions)] = one.actions
    decks = np.array([one.deck for one in played], np.int32)
    return Games(
        players=players,
        game_ids=np.array(numbers, np.int32),
        scores=np.array([one.score for one in played], np.int32),
        decks=np.stack([decks // 5, decks % 5], -1),
        actions=actions,
        lengths=np.array([len(one.actions) for one in played], np.int32),
        extra={
            "kind": np.array([[member.kind for member in one.members] for one in played], np.int32),
            "level": np.array([[member.level for member in one.members] for one in played], np.int32),
        },
    )
