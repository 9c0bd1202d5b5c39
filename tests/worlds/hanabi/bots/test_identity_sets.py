"""Sets of identities agree with counting card by card."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.worlds.hanabi.bots import identity_sets as ids
from coplay.worlds.hanabi.settings import Hanabi

GAME = Hanabi(players=2)
COPIES = np.array(GAME.copies)


@jax.jit
def first_view(key):
    return GAME.view(GAME.reset(key), 0)


@pytest.fixture(scope="module")
def tables() -> list[tuple[np.ndarray, np.ndarray]]:
    """Random (fireworks [colors], discards [colors, ranks]) that the rules allow."""
    random = np.random.default_rng(0)
    found = []
    for _ in range(50):
        fireworks = random.integers(0, 6, 5)
        on_stack = np.arange(5) < fireworks[:, None]
        found.append((fireworks, random.integers(0, COPIES + 1 - on_stack)))
    return found


def view_of(fireworks, discards):
    """A view of a table with these stacks and this discard pile."""
    view = first_view(jax.random.key(0))
    played = sum(1 << (5 * color + rank) for color in range(5) for rank in range(fireworks[color]))
    first_bit = np.cumsum(COPIES) - COPIES
    piles = [sum(((1 << n) - 1) << int(at) for n, at in zip(row.tolist(), first_bit, strict=True)) for row in discards]
    return dataclasses.replace(view, played=jnp.uint32(played), discard_words=tuple(map(jnp.uint32, piles)))


def members(word) -> set[int]:
    return {identity for identity in range(25) if int(word) >> identity & 1}


def test_playable_dead_and_last_copies_are_what_the_rules_say(tables):
    views = jax.tree.map(lambda *leaves: jnp.stack(leaves), *(view_of(*table) for table in tables))

    @jax.jit
    @jax.vmap
    def properties(view):
        gone = ids.gone_copies(view)
        return ids.playable_cards(view), ids.dead_cards(view, gone), ids.last_copies(view, gone)

    for (fireworks, discards), playable, dead, last in zip(tables, *properties(views), strict=True):
        left = COPIES - discards - (np.arange(5) < fireworks[:, None])
        expected_playable, expected_dead, expected_last = set(), set(), set()
        for color in range(5):
            for rank in range(5):
                identity = 5 * color + rank
                needed_below = left[color, fireworks[color] : rank]
                if rank == fireworks[color]:
                    expected_playable.add(identity)
                if rank < fireworks[color] or (needed_below == 0).any() or left[color, rank] == 0:
                    expected_dead.add(identity)
                if rank >= fireworks[color] and left[color, rank] == 1:
                    expected_last.add(identity)
        assert members(playable) == expected_playable
        assert members(dead) == expected_dead
        assert members(last) == expected_last


def test_shares_order_and_tie_as_fractions_do():
    pairs = [(part, whole) for whole in range(1, 26) for part in range(whole + 1)]
    low = jnp.array([(1 << whole) - 1 for _, whole in pairs], jnp.uint32)
    those = jnp.array([(1 << part) - 1 for part, _ in pairs], jnp.uint32)
    shares = np.asarray(ids.share(low, those))
    by_fraction = sorted(
        (Fraction(part, whole), int(share)) for (part, whole), share in zip(pairs, shares, strict=True)
    )
    for (smaller, its_share), (larger, other_share) in pairwise(by_fraction):
        assert (smaller == larger) == (its_share == other_share)
        assert its_share <= other_share


def test_known_ranks_and_colours():
    words = jnp.array([0, 1 << 7, (1 << 7) | (1 << 12), (1 << 7) | (1 << 8), (1 << 25) - 1], jnp.uint32)
    assert ids.known_rank(GAME, words).tolist() == [-1, 2, 2, -1, -1]
    assert ids.known_color(GAME, words).tolist() == [False, True, False, True, False]
    assert ids.is_single(words).tolist() == [False, True, False, False, False]


def test_certainty_needs_a_card():
    those = jnp.uint32(0b0110)
    sets = jnp.array([0, 0b0010, 0b0110, 0b0011, 0b1000], jnp.uint32)
    assert ids.surely(sets, those).tolist() == [False, True, True, False, False]
    assert ids.maybe(sets, those).tolist() == [False, False, False, True, False]
