"""What is learned from and what is judged by share no deal."""

from __future__ import annotations

import dataclasses

import jax
import numpy as np
import pytest

import coplay
from coplay.data import DataError, folds, hold_out, join, split
from coplay.data.joining import deals_of
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


def with_deals(recorded: Episodes, deals: list[int]) -> Episodes:
    return dataclasses.replace(recorded, starts=jax.tree.map(lambda leaf: leaf[np.array(deals)], recorded.starts))


@pytest.mark.parametrize(
    ("deals", "learn", "shares_deals"),
    [
        (list(range(20)), 18, False),
        ([n // 5 for n in range(20)], 15, False),  # a tenth would be less than a deal
        ([0] * 20, 18, True),
        ([0] * 19 + [1], 18, True),  # without the great deal there is nothing to learn from
    ],
)
def test_about_a_share_is_held_out_in_whole_deals_where_that_can_be(
    recorded: Episodes, deals: list[int], learn: int, shares_deals: bool
):
    learned, judged = hold_out(with_deals(recorded, deals), 0.1, seed=0)
    assert (len(learned), len(judged)) == (learn, 20 - learn)
    assert bool(decks(learned) & decks(judged)) == shares_deals


def test_a_single_game_cannot_be_held_out(recorded: Episodes):
    with pytest.raises(DataError, match="less than one game"):
        hold_out(recorded[:1], 0.1)


def test_starts_that_differ_by_a_fraction_are_different_deals(recorded: Episodes):
    fractions = dataclasses.replace(
        recorded[:3], game=coplay.make("overcooked"), starts={"x": np.array([0.25, 0.75, 0.25], np.float32)}
    )
    deal = deals_of(fractions)
    assert deal[0] == deal[2] != deal[1]


def test_games_that_all_begin_alike_are_folded_by_number():
    kitchens = coplay.play("overcooked?horizon=5", "random", games=6)
    assert [len(judged) for _, judged in folds(kitchens, 3)] == [2, 2, 2]


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
