"""Observations as bits."""

from __future__ import annotations

import enum

from coplay.adapters.pyhanabi.game import HanabiGame
from coplay.adapters.pyhanabi.observation import HanabiObservation
from coplay.game import GameError


class ObservationEncoderType(enum.IntEnum):
    """The reference has one kind."""

    CANONICAL = 0


class ObservationEncoder:
    """Observations as the reference's vectors of bits; for others derive from it and write both methods."""

    def __init__(self, game: HanabiGame, enc_type: int = ObservationEncoderType.CANONICAL) -> None:
        if enc_type != ObservationEncoderType.CANONICAL:
            raise GameError(f"enc_type={enc_type!r}: the only encoding is ObservationEncoderType.CANONICAL, 0.")
        self._shape = list(game.rules.observation_shape)

    def shape(self) -> list[int]:
        return list(self._shape)

    def encode(self, observation: HanabiObservation) -> list[int]:
        bits = observation.bits()
        if [len(bits)] != self._shape:
            raise GameError(f"this encoder's game has observations of {self._shape[0]} bits, this one has {len(bits)}.")
        return bits
