"""Chance without a generator: numbers that follow from the match's luck, the time and what they are for."""

from __future__ import annotations

import jax
import jax.numpy as jnp

Array = jax.Array
WOBBLE, TACKLE, JOSTLE, WHICH, CATCH, LOOSE, SHIFT_X, SHIFT_Y = range(8)


def bits(luck: Array, time: Array, use: int, players: int) -> Array:
    """uint32 [players], a number for each seat."""
    return bits_of(luck, time, use, jnp.arange(players, dtype=jnp.uint32))


def bits_of(luck: Array, time: Array, use: int, seat: Array) -> Array:
    """uint32, the number for each of these seats."""
    seats = seat.astype(jnp.uint32) + jnp.uint32(16 * use)
    x = luck + time.astype(jnp.uint32) * jnp.uint32(0x9E3779B9) + seats * jnp.uint32(0x85EBCA6B)
    x = (x ^ (x >> jnp.uint32(16))) * jnp.uint32(0x7FEB352D)
    x = (x ^ (x >> jnp.uint32(15))) * jnp.uint32(0x846CA68B)
    return x ^ (x >> jnp.uint32(16))


def happens(luck: Array, time: Array, use: int, players: int, per_cent: int) -> Array:
    """bool [players]"""
    return below(bits(luck, time, use, players), 100) < per_cent


def below(number: Array, limit: int) -> Array:
    """int32 from 0 to limit - 1, at most 65535, from random bits."""
    return (((number >> jnp.uint32(16)) * jnp.uint32(limit)) >> jnp.uint32(16)).astype(jnp.int32)


def around_zero(number: Array, reach: int) -> Array:
    """int32 from -reach to reach."""
    return below(number, 2 * reach + 1) - reach
