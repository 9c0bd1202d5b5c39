"""What `step` and `view` take beside a state: one whole number per seat, and the number of a seat."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from coplay.game import GameError

NOBODYS = -1  # no game has this action, so it is illegal everywhere


def joint_action(actions: Any, players: int) -> jax.Array:
    """int32 [players]; numbers too large for int32 become an id that does not exist, never another action."""
    if not isinstance(actions, Tracer):
        actions = np.asarray(actions)
        if np.issubdtype(actions.dtype, np.integer):
            actions = np.where(np.abs(actions.astype(np.float64)) < 2**31, actions, NOBODYS).astype(np.int32)
    if actions.shape != (players,):
        raise GameError(
            f"step takes one action per seat, shape ({players},), but got shape {actions.shape}; "
            f"seats that are not to move may hold any number."
        )
    if not jnp.issubdtype(actions.dtype, jnp.integer):
        raise GameError(f"actions are whole numbers, but these are {actions.dtype}; convert them with .astype(int).")
    return jnp.asarray(actions, jnp.int32)


def checked_seat(seat: Any, players: int) -> Any:
    """A seat that exists; of a traced one only the type can be checked."""
    if isinstance(seat, Tracer):
        if not jnp.issubdtype(seat.dtype, jnp.integer):
            raise GameError(f"a seat is a whole number, not {seat.dtype}; convert it with .astype(int).")
        return seat
    number = np.asarray(seat)
    whole = np.issubdtype(number.dtype, np.integer) and number.ndim == 0
    if not whole or not 0 <= int(number) < players:
        raise GameError(f"seat={seat!r}: seats are 0 to {players - 1}, in whole numbers.")
    return seat if hasattr(seat, "dtype") else int(seat)
