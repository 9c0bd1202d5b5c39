"""The scripted players by name; every one takes a speed in per cent."""

from __future__ import annotations

from coplay.game import Game
from coplay.worlds.football.actions import SIGNS
from coplay.worlds.football.bots import ball, places
from coplay.worlds.football.bots.footballer import Footballer, Role

CHASER = Role("chaser", places.always, places.behind_ball, ball.solo)
SUPPORTER = Role("supporter", places.nearest, places.behind_ball, ball.kick_on, own_game="intruder")
KEEPER = Role("keeper", places.near_own_goal, places.in_goal, ball.clear)
PASSER = Role("passer", places.nearest, places.to_and_fro, ball.combine)
MARKER = Role("marker", places.nearest, places.at_opponent, ball.combine)
STRIKER = Role("striker", places.in_their_half, places.up_front, ball.eager)
WINGER = Role("winger", places.on_own_flank, places.on_the_wing, ball.cross)
SWEEPER = Role("sweeper", places.in_own_third, places.last_line, ball.clear)
ANCHOR = Role("anchor", places.nearest, places.in_formation, ball.combine)


def chaser(game: Game, speed: int = 100, sign: int = 0) -> Footballer:
    """Runs after the ball wherever it is, dribbles to the goal and shoots."""
    return Footballer(game, CHASER, speed, sign)


def supporter(game: Game, speed: int = 100, sign: int = 0) -> Footballer:
    """The drop-in paper's player: goes to the ball if no mate is nearer, else waits two metres behind it."""
    return Footballer(game, SUPPORTER, speed, sign)


def intruder(game: Game, speed: int = 100, sign: int | None = None, keeps: bool = True) -> Footballer:
    """The paper's player with poor teamwork: a supporter that plays its own game among mates without its sign.

    It then goes for the ball even when such a mate is nearer or has it, and, if it `keeps` the ball, does not kick it
    on. Without a sign of its own it has one for its speed in tens, so that intruders of one speed know each other.
    """
    own = min(SIGNS - 1, 1 + (100 - speed) // 10) if sign is None else sign
    return Footballer(game, SUPPORTER, speed, own, selfish=2 if keeps else 1)


def keeper(game: Game, speed: int = 100, sign: int = 0) -> Footballer:
    """Stands between the posts and clears."""
    return Footballer(game, KEEPER, speed, sign)


def passer(game: Game, speed: int = 100, sign: int = 0) -> Footballer:
    """Looks for a free mate ahead; stands free while its side has the ball, and at an opponent while it has not."""
    return Footballer(game, PASSER, speed, sign)


def marker(game: Game, speed: int = 100, sign: int = 0) -> Footballer:
    """Stays at the nearest opponent, on the side of its own goal."""
    return Footballer(game, MARKER, speed, sign)


def striker(game: Game, speed: int = 100, sign: int = 0) -> Footballer:
    """Waits up front, shoots from far away and never passes."""
    return Footballer(game, STRIKER, speed, sign)


def winger(game: Game, speed: int = 100, sign: int = 0) -> Footballer:
    """Keeps to its flank, runs up the wing and passes to the middle."""
    return Footballer(game, WINGER, speed, sign)


def sweeper(game: Game, speed: int = 100, sign: int = 0) -> Footballer:
    """The last line: stands between the ball and its goal, and kicks the ball away."""
    return Footballer(game, SWEEPER, speed, sign)


def anchor(game: Game, speed: int = 100, sign: int = 0) -> Footballer:
    """Keeps the formation, which moves with the ball, and passes."""
    return Footballer(game, ANCHOR, speed, sign)
