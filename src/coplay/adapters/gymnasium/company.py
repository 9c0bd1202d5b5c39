"""Who sits with the learner: every partner is a team for all other seats, in the order in which they follow yours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from coplay.completion import tells
from coplay.game import Game, GameError
from coplay.pool.sets import expand
from coplay.rollouts.team import Player, agent_name, seat_team

ILLEGAL_REWARD = -1.0


class Company(NamedTuple):
    """One partner: who it is called, and who sits in the seats after yours."""

    name: str
    players: tuple[Player, ...]


class Deal(NamedTuple):
    """What is drawn for an episode."""

    seat: int  # yours
    start: int  # numbers to make keys of: of the deal, and of the players' draws
    act: int


def companies(game: Game, partners: Any) -> list[Company]:
    """Of a spec, an agent or a list of them; a tuple in the list names who sits in each of the other seats."""
    if game.players < 2:
        raise GameError(f"{game.name} has one seat; there is nobody to be a partner.")
    listed = (
        expand(partners) if isinstance(partners, Sequence) and not isinstance(partners, str) else expand([partners])
    )
    if not listed:
        raise GameError("partners is empty; name at least one.")
    return [_company(game, one) for one in listed]


def _company(game: Game, partner: Any) -> Company:
    others = list(partner) if isinstance(partner, tuple) else [partner] * (game.players - 1)
    if len(others) != game.players - 1:
        raise GameError(f"{game.name} has {game.players - 1} other seats, but {partner!r} names {len(others)} agents.")
    team = seat_team(game, [*others, others[0]])[:-1]
    names = dict.fromkeys(one if isinstance(one, str) else agent_name(one) for one in others)
    return Company(" + ".join(names), tuple(team))


def draw(game: Game, generator: np.random.Generator, seat: int | None) -> Deal:
    """The seat, unless it is always the same, and the numbers of an episode."""
    drawn = int(generator.integers(game.players))
    start, act = (int(number) for number in generator.integers(2**32, size=2))
    return Deal(drawn if seat is None else seat, start, act)


def check_seat(game: Game, seat: int | None) -> None:
    if seat is not None and not 0 <= seat < game.players:
        raise GameError(
            f"seat={seat}: {game.name} has seats 0 to {game.players - 1}; None draws one for every episode."
        )


def check_shaping(game: Game, shaping: float) -> None:
    if shaping and not tells(game, "shaped"):
        raise GameError(f"shaping={shaping:g}: {game.name} has no shaped reward; leave shaping out.")
