"""A redrawn hand looks the same to its owner, and comes as often as an enumeration says."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import coplay
from coplay.agents.random import random_legal
from coplay.faces import faces_of
from coplay.game import GameError
from coplay.worlds.hanabi import cards
from coplay.worlds.hanabi.belief import draw_hand, enumerated, exact_hands, redraw
from coplay.worlds.hanabi.belief import hand_of as hand_facts

SMALL: dict[str, Any] = {"colors": 2, "ranks": 3, "life_tokens": 3, "info_tokens": 8}
DRAWS = 20_000


@cache
def tools(**settings: Any) -> tuple[Any, Any, Any]:
    """A game, a function (key, turns) -> position in a random game without misplays, and (state, seat, keys) -> states
    redrawn for the seat."""
    game: Any = coplay.make("hanabi", **settings)

    def position(key: Any, turns: Any) -> Any:
        def turn(t: Any, state: Any) -> Any:
            legal = jax.vmap(lambda seat: game.legal(game.view(state, seat)))(jnp.arange(game.players)).any(0)
            careful = legal & ~((jnp.arange(game.num_actions) // game.hand_size) == 1)
            bits = jax.random.bits(jax.random.fold_in(key, t), (), jnp.uint32)
            action = random_legal(jnp.where(careful.any(), careful, legal), bits)
            return game.step(state, jnp.full(game.players, action)).state

        return jax.lax.fori_loop(0, turns, turn, game.reset(key))

    again = jax.vmap(lambda state, seat, key: redraw(game, state, seat, key), (None, None, 0))
    return game, jax.jit(position), jax.jit(again)


def hand_of(states: Any, seat: int) -> Any:
    """Card words [draws, slots]."""
    return np.stack([np.asarray(card) for card in states.hands[seat]], axis=-1)


def everything_hidden(states: Any, seat: int, cards_in_all: int) -> list[list[int]]:
    """The sorted cards of the seat's hand and the undealt deck, per draw."""
    words, deck = hand_of(states, seat), np.asarray(states.deck)
    drawn = int(np.asarray(states.drawn).reshape(-1)[0])
    return [
        sorted([*(int(cards.identity(word)) for word in hand if word), *row[drawn:cards_in_all].tolist()])
        for hand, row in zip(words, deck, strict=True)
    ]


@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("turns", [0, 13, 40, 75])
def test_a_redrawn_hand_looks_the_same_to_its_owner(players: int, turns: int):
    game, position, again = tools(players=players)
    state = position(jax.random.key(7 * players + turns), turns)
    for seat in (0, players - 1):
        redrawn = again(state, seat, jax.random.split(jax.random.key(seat), 50))
        before = game.view(state, seat)
        after = jax.vmap(lambda state, seat=seat: game.view(state, seat))(redrawn)
        for old, new in zip(jax.tree.leaves(before), jax.tree.leaves(after), strict=True):
            np.testing.assert_array_equal(np.broadcast_to(old, new.shape), new)
        words = hand_of(redrawn, seat)
        told = (words >> np.asarray(cards.identity(words))) & 1  # is the card one that its hints allow?
        assert told[words != 0].all()
        kept = jax.tree.map(lambda leaf: leaf[None], state)
        whole = everything_hidden(kept, seat, game.num_cards)[0]
        assert everything_hidden(redrawn, seat, game.num_cards) == [whole] * 50
        if len(whole) > game.hand_size:
            assert len(np.unique(words, axis=0)) > 1


CASES = [(2, 2, 0), (2, 2, 9), (3, 2, 1), (3, 2, 4), (2, 3, 4)]  # hand size, players, turns played


@pytest.mark.parametrize(("hand_size", "players", "turns"), CASES)
def test_hands_come_as_often_as_the_enumeration_says(hand_size: int, players: int, turns: int):
    game, position, again = tools(hand_size=hand_size, players=players, **SMALL)
    state = position(jax.random.key(100 * hand_size + turns), turns)
    seat = turns % players
    hands, likely = exact_hands(game.view(state, seat))
    redrawn = again(state, seat, jax.random.split(jax.random.key(turns), DRAWS))
    words = hand_of(redrawn, seat)[:, : hands.shape[1]]
    place = {tuple(hand): number for number, hand in enumerate(hands.tolist())}
    drawn = np.asarray(cards.identity(words)).tolist()
    counts = np.bincount([place[tuple(hand)] for hand in drawn], minlength=len(hands))
    assert goodness(counts, likely) > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3, 4, 5])
@pytest.mark.parametrize("empty", [False, True])
def test_hands_with_entangled_hints_are_exact(size: int, empty: bool):
    """Few cards that several slots compete for: the first slot must heed what it leaves to the others."""
    drawn = jax.jit(jax.vmap(lambda *facts: draw_hand(hand_facts(*facts[:3]), facts[3]), (None, None, None, 0)))
    tried = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        possible = rng.random((size, 6)) < 0.5
        unseen = rng.integers(0, 3, 6)
        held = np.arange(size) < size - empty
        hands, likely = enumerated(possible[held], unseen)
        if len(hands) < 2 or unseen.sum() > size + 1:
            continue
        found = np.asarray(drawn(possible, held, jnp.asarray(unseen), jax.random.split(jax.random.key(seed), DRAWS)))
        place = {tuple(hand): number for number, hand in enumerate(hands.tolist())}
        counts = np.bincount([place[tuple(hand)] for hand in found[:, held].tolist()], minlength=len(hands))
        assert goodness(counts, likely) > 1e-4
        tried += 1
    assert tried >= 2


def test_the_next_card_comes_as_often_as_it_is_left():
    """Given the hand: the deck is a shuffle of what remains."""
    game, position, again = tools(hand_size=2, players=2, **SMALL)
    state = position(jax.random.key(3), 3)
    redrawn = again(state, 0, jax.random.split(jax.random.key(1), DRAWS))
    deck, first = np.asarray(redrawn.deck), int(state.drawn)
    words = hand_of(redrawn, 0)
    hand = np.asarray(cards.identity(words))
    common = np.unique(hand, axis=0, return_counts=True)
    wanted = common[0][common[1].argmax()]
    chosen = deck[(hand == wanted).all(1)]
    left = np.bincount(chosen[0, first:], minlength=game.num_identities)
    for place in (first, first + 1, game.num_cards - 1):
        counts = np.bincount(chosen[:, place], minlength=game.num_identities)
        assert goodness(counts[left > 0], left[left > 0] / left.sum()) > 1e-3
    assert (deck[:, :first] == np.asarray(state.deck)[:first]).all()


def goodness(counts: np.ndarray, likely: np.ndarray) -> float:
    """p of a chi-square test; rare cases are counted together."""
    expected = likely * counts.sum()
    rare = expected < 10
    if rare.any():
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    if len(counts) == 1:
        return 1.0
    return float(stats.chisquare(counts, expected).pvalue)


def test_the_enumeration_counts_copies():
    """One card of three copies and one single, told to be of rank 1 or not at all."""
    game: Any = coplay.make("hanabi", players=2, colors=1, ranks=2, hand_size=1, copies=(3, 1))
    state = game.deal(np.asarray([[0, 0], [0, 0], [0, 0], [0, 1]]))
    hands, likely = exact_hands(game.view(state, 0))
    assert hands.tolist() == [[0], [1]]
    np.testing.assert_allclose(likely, [2 / 3, 1 / 3])


def test_hanabi_offers_the_belief_as_a_face_and_names_its_limit():
    game: Any = coplay.make("hanabi", players=2, hand_size=6)
    belief = faces_of(game).belief
    assert belief is not None
    with pytest.raises(GameError, match="hand_size=5"):
        belief.redraw(game, game.reset(jax.random.key(0)), jnp.int32(0), jax.random.key(1))
