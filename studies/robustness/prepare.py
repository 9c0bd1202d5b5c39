"""Before anything is trained: recorded games of a kitchen, clones of those who played them, and the best clone.

People's games are read where somebody has them. Where there are none, two fitted Theory-of-Mind agents stand in.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import jax.numpy as jnp
import numpy as np

from coplay.agents.spec import agent
from coplay.data.recording import record
from coplay.files import write_whole
from coplay.game import Game
from coplay.games import make
from coplay.rollouts.episode import Episodes
from coplay.rollouts.episode_file import load, save
from coplay.train import train
from coplay.train.clone import read_games
from coplay.train.learner.partners import stacked
from coplay.train.pairs import play_pairs
from coplay.train.settings import TrainError
from studies.robustness.plan import Place, Scale, theory_of_mind
from studies.robustness.side_by_side import taken

PEOPLE, SURROGATE = "people", "surrogate"
SEED = 11  # of recordings, halves and matches


def prepare(place: Place, scale: Scale, people: Path | None = None) -> None:
    """Makes what is missing."""
    if place.choice.exists():
        return
    whose, score = _recorded(place, scale, people)
    clone_game = make("overcooked", layout=place.layout, encoding="bc_features")
    for data, name, count in ((place.games, "clones", scale.clones), (place.held_out_games, *_HELD, scale.held_out)):
        how = {"data": str(data), "epochs": scale.epochs, "held_out_share": 0.2}
        train("bc", clone_game, place.prepared / name, seeds=count, resume=True, **how)
    means = scores_with_others(place.game, [place.clone(number) for number in range(scale.clones)], scale.matches)
    about = {"games": whose, "mean": score, "best": int(np.argmax(means)), "with_others": means}
    write_whole(place.choice, json.dumps(about))


_HELD = ("held-out-clones",)


def _recorded(place: Place, scale: Scale, people: Path | None) -> tuple[str, float]:
    """Writes both halves of the games; says whose they are, and their mean score in a whole game."""
    found = None if people is None else _peoples(place.game, people)
    games = _surrogates(place, scale.recorded) if found is None else found
    for half, file in zip(halves(games.scores), (place.games, place.held_out_games), strict=True):
        save(games[half], file)
    return SURROGATE if found is None else PEOPLE, round(float(games.scores.mean()), 1)


def _peoples(game: Game, people: Path) -> Episodes | None:
    """Cut into games of the usual length; None if these are games of other kitchens."""
    if not people.exists():
        raise TrainError(f"--people {people}: there is no such file or folder.")
    try:
        return read_games(game, str(people))
    except TrainError:
        return None


def _surrogates(place: Place, games: int) -> Episodes:
    file = place.prepared / "recorded.safetensors"
    if file.exists():
        return load(file)
    return record(place.game, [theory_of_mind("fitted")], games, file, SEED)


def halves(scores: np.ndarray) -> tuple[list[int], list[int]]:
    """The games in two halves of like scores: of each two neighbours by score a coin sends one to each side."""
    order = np.argsort(scores, kind="stable")
    coins = np.random.default_rng(SEED).integers(0, 2, len(order) // 2)
    first = [int(order[2 * pair + coin]) for pair, coin in enumerate(coins)]
    second = [int(order[2 * pair + 1 - coin]) for pair, coin in enumerate(coins)]
    return sorted(first), sorted([*second, *order[2 * len(coins) :].tolist()])


def scores_with_others(game: Game, specs: Sequence[str], matches: int) -> list[float]:
    """The mean score of each with every other, in both seats."""
    if len(specs) == 1:
        return [0.0]
    stack = stacked([agent(spec, game) for spec in specs])
    pairs = np.asarray(list(combinations(range(len(specs)), 2)))
    first, second = (taken(stack, jnp.asarray(column)) for column in pairs.T)
    means = play_pairs(game, first, second, matches, SEED).means
    return [round(float(means[(pairs == number).any(1)].mean()), 2) for number in range(len(specs))]
