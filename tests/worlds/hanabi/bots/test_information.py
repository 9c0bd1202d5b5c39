"""The information strategy plays the recorded games, and what a hand tells its owner can be read back."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.player import AgentError
from coplay.worlds.hanabi.bots.information import InformationBot, questions
from coplay.worlds.hanabi.bots.information.tables import board_now
from coplay.worlds.hanabi.settings import Hanabi
from tests.worlds.hanabi.bots.listening import check_bot

HANDS = 200
ROUNDS = 4


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_repeats_the_recorded_games_and_stays_legal_among_strangers(players):
    game = Hanabi(players=players)
    watched = check_bot(game, InformationBot(game), "information")
    oldest = watched.memories[..., 0]
    assert (oldest != 0).all(), "a card that is there can be something, whatever strangers said"


@pytest.fixture(scope="module")
def hands():
    """A board in mid-game and random hands with tables that hold the true cards."""
    game = Hanabi()
    random = np.random.default_rng(1)
    state = game.reset(jax.random.key(0))
    state = state._replace(played=jnp.uint32(0b00011_00000_00111_00001_00001))
    board = board_now(game.view(state, 0))
    cards = np.uint32(1) << random.integers(0, 25, (HANDS, 5), np.uint32)
    tables = (random.integers(0, 1 << 25, (HANDS, 5), np.uint32) & np.asarray(board.left.one)) | cards
    tables = np.where(random.random((HANDS, 5)) < 0.2, cards, tables)
    return board, jnp.asarray(tables), jnp.asarray(cards), jnp.asarray(random.integers(1, 17, HANDS))


@pytest.fixture(scope="module")
def told(hands):
    board, tables, cards, modulus = hands
    return jax.jit(jax.vmap(partial(questions.number_of, board, rounds=ROUNDS)))(tables, cards, modulus)


def test_a_hands_number_is_below_the_modulus(hands, told):
    numbers, _ = told
    assert (numbers >= 0).all()
    assert (numbers < hands[3]).all()
    assert len(np.unique(numbers)) > 10


def test_the_owner_learns_from_the_number_what_the_others_learn_from_the_cards(hands, told):
    board, tables, _, modulus = hands
    numbers, learned = told
    read = jax.jit(jax.vmap(partial(questions.read_number, board, rounds=ROUNDS)))(tables, numbers, modulus)
    np.testing.assert_array_equal(read, learned)


def test_what_a_number_tells_is_true(hands, told):
    _, tables, cards, modulus = hands
    _, learned = told
    assert ((learned & cards) == cards).all()
    narrowed = (learned != tables).any(1)
    assert narrowed[np.asarray(modulus) > 1].mean() > 0.9


def test_colours_are_enumerated_by_their_letters():
    letters = ["r", "y", "g", "b", "w"]
    assert sorted(letters) == [letters[color] for color in questions.COLORS_BY_LETTER]


def test_knows_only_the_standard_game():
    with pytest.raises(AgentError, match="colors is 5 with 2 players, not 4"):
        InformationBot(Hanabi(colors=4))
