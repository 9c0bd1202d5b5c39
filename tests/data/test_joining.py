"""What is learned from and what is judged by share no deal."""

from __future__ import annotations

import dataclasses

import jax
import numpy as np
import pytest

import coplay
from coplay.data import DataError, folds, join, split
from coplay.rollouts.episode import Episodes
from coplay.worlds.hanabi.recordings import to_episodes
from tests.worlds.hanabi.recordings.conftest import games

__all__ = ["games"]


@pytest.fixture(scope="module")
def recorded(games) -> Episodes:
    return to_episodes(games)


def decks(episodes: Episodes) -> set[bytes]:
    return {deck.tobytes() for deck in episodes.decks}


def ids(episodes: Episodes) -> list[int]:
    return episodes.extra["game_ids"].tolist()


def test_a_split_is_repeatable_and_loses_nothing(recorded: Episodes):
    train, rest = split(recorded, 14, seed=3)
    assert (len(train), len(rest)) == (14, 6)
    assert not decks(train) & decks(rest)
    assert sorted([*ids(train), *ids(rest)]) == ids(recorded)
    assert (np.diff(ids(train)) > 0).all()
    assert ids(split(recorded, 14, seed=3)[0]) == ids(train)
    assert ids(split(recorded, 14, seed=4)[0]) != ids(train)


def test_games_of_one_deck_stay_together(recorded: Episodes):
    shared = jax.tree.map(lambda leaf: np.concatenate([leaf[:10], leaf[:10]]), recorded.starts)
    twice = dataclasses.replace(recorded, starts=shared)  # ten deals, each played twice
    for seed in range(5):
        train, rest = split(twice, 12, seed)
        assert len(train) == 12
        assert not decks(train) & decks(rest)
    with pytest.raises(DataError, match="only 12 fit; take train=12"):
        split(twice, 13)


@pytest.mark.parametrize("train", [0, -1, 20, 50])
def test_both_parts_need_games(recorded: Episodes, train: int):
    with pytest.raises(DataError, match="choose from 1 to 19 of 20 games"):
        split(recorded, train)


def test_games_that_all_begin_alike_are_split_by_number():
    kitchens = coplay.play("overcooked?horizon=5", "random", games=6)
    train, rest = split(kitchens, 4)
    assert (len(train), len(rest)) == (4, 2)


def test_every_game_is_judged_once_by_what_never_saw_its_deal(recorded: Episodes):
    parts = folds(recorded, 4, seed=1)
    assert sorted(number for _, judged in parts for number in ids(judged)) == ids(recorded)
    assert all(not decks(learned) & decks(judged) for learned, judged in parts)
    assert all(len(learned) + len(judged) == 20 for learned, judged in parts)
    with pytest.raises(DataError, match="take from 2 to 20"):
        folds(recorded, 21)


def test_joined_parts_are_the_whole_again(recorded: Episodes):
    front, back = recorded[:12], recorded[12:]
    short = dataclasses.replace(front, actions=front.actions[:, : front.lengths.max()])
    whole = join([short, back])
    assert ids(whole) == ids(recorded)
    np.testing.assert_array_equal(whole.actions, recorded.actions[:, : whole.actions.shape[1]])
    np.testing.assert_array_equal(whole.decks, recorded.decks)
    other = dataclasses.replace(back, game=coplay.make("hanabi", players=4))
    with pytest.raises(DataError, match="join like with like"):
        join([front, other])
