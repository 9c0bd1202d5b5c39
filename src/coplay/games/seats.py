"""What `view` takes beside a state: the number of a seat."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from coplay.games.game import GameError


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
