"""What is learned from and what is judged by share no deal."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from coplay.data import DataError, join, split


def decks(games) -> set[bytes]:
    return {deck.tobytes() for deck in games.decks}


def test_a_split_is_repeatable_and_loses_nothing(games):
    train, rest = split(games, 14, seed=3)
    assert (len(train), len(rest)) == (14, 6)
    assert not decks(train) & decks(rest)
    assert sorted([*train.game_ids, *rest.game_ids]) == games.game_ids.tolist()
    assert (np.diff(train.game_ids) > 0).all()
    assert split(games, 14, seed=3)[0].game_ids.tolist() == train.game_ids.tolist()
    assert split(games, 14, seed=4)[0].game_ids.tolist() != train.game_ids.tolist()


def test_games_of_one_deck_stay_together(games):
    shared = games.decks.copy()
    shared[10:] = shared[:10]  # ten deals, each played twice
    twice = dataclasses.replace(games, decks=shared)
    for seed in range(5):
        train, rest = split(twice, 12, seed)
        assert len(train) == 12
        assert not decks(train) & decks(rest)
    with pytest.raises(DataError, match="only 12 fit; take train=12"):
        split(twice, 13)


@pytest.mark.parametrize("train", [0, -1, 20, 50])
def test_both_parts_need_games(games, train: int):
    with pytest.raises(DataError, match="choose from 1 to 19 of 20 games"):
        split(games, train)


def test_joined_parts_are_the_whole_again(games):
    front, back = games[:12], games[12:]
    short = dataclasses.replace(front, actions=front.actions[:, : front.lengths.max()])
    whole = join([short, back])
    assert whole.game_ids.tolist() == games.game_ids.tolist()
    np.testing.assert_array_equal(whole.actions, games.actions[:, : whole.actions.shape[1]])
    np.testing.assert_array_equal(whole.decks, games.decks)
    with pytest.raises(DataError, match="join like with like"):
        join([front, dataclasses.replace(back, players=front.players + 1)])
