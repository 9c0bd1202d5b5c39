"""Partners who are dealt out to the other seats anew for every game (`Block.drawn`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from coplay.rollouts.restart import where_games
from coplay.train.learner.partners import Block, Partners

Array = jax.Array


def drawn_from(policies: Sequence[Any], players: int, games: int, learners: int) -> tuple[Block, ...]:
    """Blocks in which the other seats are dealt out among the policies anew for every game.

    Of as many policies as there are seats everybody sits in every game. Of more some sit out; of fewer some sit there
    more than once.
    """
    seats = players - 1
    everybody = tuple(policies) * -(-seats // len(policies))
    return (Block(everybody, games, drawn=(True,) * seats),) * learners


def deal_places(partners: Partners, key: Array) -> tuple[Any, ...]:
    """Who sits where in the next game, where that is drawn."""
    found: list[Any] = []
    for number, block in enumerate(partners.blocks):
        if not block.drawn:
            found.append(None)
            continue
        count = len(block.others)
        free = [distance + 1 for distance, may in enumerate(block.drawn) if may]
        distances = jnp.asarray([*free, *[0] * (count - len(free))], jnp.int32)
        luck = jax.random.bits(jax.random.fold_in(key, number), (block.games, count))
        found.append(distances[jnp.argsort(luck, axis=1)])
    return tuple(found)


def deal_again(partners: Partners, places: tuple[Any, ...], begun: Array, key: Array) -> tuple[Any, ...]:
    """Who sits where; drawn anew in the games that begin."""
    found, begin = [], 0
    for block, old, new in zip(partners.blocks, places, deal_places(partners, key), strict=True):
        part = slice(begin, begin + block.games)
        begin += block.games
        found.append(None if new is None else where_games(begun[part], new, old))
    return tuple(found)


def place_of(joined: Array, places: Array | None, place: int) -> tuple[Array | int, Array]:
    """In the games of a block: how far from the learner one of its partners sits, and bool [games] whether it does."""
    if places is None:
        return place + 1, joined[:, place]
    away = places[:, place]
    at_the_table = jnp.take_along_axis(joined, jnp.maximum(away - 1, 0)[:, None], axis=1)[:, 0]
    return away, at_the_table & (away > 0)
