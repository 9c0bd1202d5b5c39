"""Sizes, and where teams stand at a kick-off. Whole numbers, so that a match is the same on every machine.

The origin is the centre spot; the first side attacks towards larger x. A step is a tenth of a second.
"""

from __future__ import annotations

import numpy as np

METRE = 256
LENGTH, WIDTH = 15 * METRE, 10 * METRE  # half of the pitch
GOAL = 5 * METRE // 2  # half of the goal
MARGIN = METRE  # so far players may leave the pitch

PUSH = 26  # what running adds to the speed in a step
AT_FEET = 100  # where the ball is that somebody has: so far ahead
REACH = 230  # so near the ball has to be to be taken
TACKLE_REACH = 310
BODY = 115  # who is nearer to whoever has the ball jostles it
PASS_SPEED, SHOT_SPEED, LOOSE_SPEED = 230, 410, 60
FAST = 250  # a ball that is faster is taken every other time
CARRYING = 90  # per cent of its pace that a player usually has with the ball

TACKLED, STUMBLE = 4, 6  # steps that a player who lost the ball, or tackled in vain, cannot act
HANDS_OFF = 4  # steps until a player who kicked or lost the ball can take it again
FREE = 40  # steps in which only one side may take the ball of a restart

TACKLE_CHANCE, JOSTLE_CHANCE, CATCH_CHANCE = 30, 5, 40  # per cent

# Metres from the centre spot, seen by the side; the first of the side that kicks off stands at the ball.
PLACES = ((-3.5, 0.0), (-11.0, 0.0), (-6.5, 5.0), (-6.5, -5.0), (-8.5, 0.0))
AT_THE_BALL = (-0.6, 0.0)
SHIFT = METRE // 2  # by so much chance moves everybody


def formation(players: int) -> tuple[np.ndarray, np.ndarray]:
    """int32 [players]: (x, y) of all seats, both seen by their side."""
    own = np.array([PLACES[seat // 2] for seat in range(players)]) * METRE
    return own[:, 0].astype(np.int32), own[:, 1].astype(np.int32)
