"""Games that break a rule of Hanabi are named, with the turn and the rule."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np
import pytest

from coplay.data import DataError
from coplay.worlds.hanabi.recordings import Games, load_games, replay_views, verify
from coplay.worlds.hanabi.recordings.verification import stops_early

DISCARD, PLAY, HINT = 0, 5, 10  # discard or play the oldest card; hint red to the next player


@pytest.fixture(scope="module")
def views(games: Games):
    return jax.device_get(
        jax.vmap(functools.partial(replay_views, games.game))(games.decks, games.actions, games.lengths)[0]
    )


def with_move(games: Games, row: int, turn: int, action: int) -> Games:
    actions = games.actions.copy()
    actions[row, turn] = action
    return dataclasses.replace(games, actions=actions)


def only_problem(games: Games) -> str:
    (problem,) = verify(games)
    return str(problem)


def test_every_recorded_game_obeys_the_rules(games):
    assert verify(games) == []
    assert not stops_early(games).any()
    assert verify(games[:0]) == []


def test_a_recording_that_stops_early_is_never_played_beyond(games):
    """Its padding holds plays that would cost lives, and points that did not happen."""
    lengths = games.lengths - 9
    actions = np.where(np.arange(games.actions.shape[1]) < lengths[:, None], games.actions, PLAY)
    cut = dataclasses.replace(games, lengths=lengths, actions=actions)
    assert stops_early(cut).all()
    scores = games.scores.copy()
    for problem in verify(cut):  # the last points are missing, nothing else is wrong
        assert problem.turn is None
        scores[problem.row] = int(problem.rule.split("score ")[1].split(",")[0])
    assert verify(dataclasses.replace(cut, scores=scores)) == []


def test_a_wrong_score_is_found(games):
    forged = games.scores.copy()
    forged[6] += 1
    text = only_problem(dataclasses.replace(games, scores=forged))
    assert (
        text == f"game 6 (row 6): it replays to score {forged[6] - 1}, but {forged[6]} is recorded; correct the score."
    )


def test_a_discard_with_all_tokens_is_illegal(games):
    text = only_problem(with_move(games, 5, 0, DISCARD))
    assert text == (
        "game 5 (row 5), turn 1: seat 0 chose action 0 (discard slot 1), "
        "but nobody may discard while all 8 hint tokens are there."
    )


def test_a_hint_that_touches_nothing_is_illegal(games):
    row, color = next(
        (row, color)
        for row in range(len(games))
        for color in range(5)
        if color not in games.decks[row, 5:10, 0]  # the hand of seat 1
    )
    assert "turn 1: seat 0 chose" in only_problem(with_move(games, row, 0, HINT + color))
    assert "a hint must touch at least one card." in only_problem(with_move(games, row, 0, HINT + color))


def test_a_hint_without_a_token_is_illegal(games, views):
    played = np.arange(games.actions.shape[1]) < games.lengths[:, None]
    row, turn = np.argwhere((views.info == 0) & played)[0]
    assert "no hint token is left." in only_problem(with_move(games, row, turn, HINT))


def test_an_unknown_action_is_named(games):
    assert "action 77: this game has actions 0 to 29." in only_problem(with_move(games, 1, 3, 77))


def test_moves_after_the_end_are_refused(games):
    row = int(np.flatnonzero(games.lengths < games.actions.shape[1])[0])
    lengths = games.lengths.copy()
    lengths[row] += 1
    longer = dataclasses.replace(with_move(games, row, lengths[row] - 1, PLAY), lengths=lengths)
    end = lengths[row] - 1
    assert f"turn {end + 1}: the rules end the game after turn {end}, but moves up" in only_problem(longer)


@pytest.mark.parametrize(("card", "words"), [((0, 7), "deck entries are"), ((9, 0), "deck entries are")])
def test_a_deck_holds_the_cards_of_hanabi(games, card: tuple[int, int], words: str):
    decks = games.decks.copy()
    decks[3, 20] = card
    assert words in only_problem(dataclasses.replace(games, decks=decks))


def test_a_deck_with_a_card_too_many_is_refused(altered: Callable[..., Path]):
    path = altered(lambda tensors: tensors["decks"].__setitem__((3, slice(0, 4)), [1, 1]))
    with pytest.raises(DataError, match=r"game 3 \(row 3\): impossible deck: .* copies of") as error:
        load_games(path)
    assert str(error.value).startswith(str(path))
    assert len(load_games(path, check=False)) == 20


def test_loading_names_the_first_of_many(altered: Callable[..., Path]):
    path = altered(lambda tensors: tensors["scores"].__iadd__(1))
    with pytest.raises(DataError, match=r"game 0 \(row 0\): it replays .* \(19 more of 20 games do not replay either"):
        load_games(path)


@pytest.mark.parametrize(
    ("name", "early"),
    [
        ("ah2ac2_3p_val.safetensors", 34),
        ("eger_2p_human_ai.safetensors", 0),
        ("hgroup_2p.safetensors", 87),
        ("hgroup_3p.safetensors", 17),
    ],
)
def test_recorded_sets_obey_the_rules(name: str, early: int, recorded: Callable[[str], Path]):
    games = load_games(recorded(name))
    assert stops_early(games).sum() == early
