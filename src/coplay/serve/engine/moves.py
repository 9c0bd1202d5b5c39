"""Moves as they come over the wire: which are accepted, and what is said about the others.

An answer is a function of (game, turn). The move of this turn is played. The same move sent again is answered again. A
move for another turn, or another move for a turn that is over, is refused with the state as it is. What is not a legal
action is refused with the legal set and counted; the last offence the rules allow is the one before the forfeit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from coplay.challenge.clock import left_after
from coplay.serve.engine.live_game import LiveGame
from coplay.serve.engine.round import Round
from coplay.serve.engine.session import Session
from coplay.serve.engine.tables import Tables

MOST = 1000  # moves in one message, and of one connection in a round


class _Sent(NamedTuple):
    """Where a move came to, and from whom."""

    tables: Tables
    round: Round
    session: Session


def accept_moves(tables: Tables, round: Round, session: Session, message: dict[str, Any], received: float) -> None:
    """The columns game, turn, action and, where an entrant has several seats on turn, seat."""
    columns = [message.get(name) for name in ("game", "turn", "action")]
    columns += [message["seat"]] if message.get("seat") is not None else []
    if not all(isinstance(column, list) for column in columns) or len({len(column) for column in columns}) != 1:  # pyright: ignore[reportArgumentType]
        text = 'an act message has lists of equal length: {"type": "act", "game": [0], "turn": [0], "action": [5]}.'
        round.say(session, error(400, "malformed", text))
        return
    rows: list[tuple[Any, ...]] = list(zip(*columns, strict=True))  # pyright: ignore[reportArgumentType]
    if len(rows) > MOST:
        round.say(session, error(413, "too_many", f"{len(rows)} moves in one message; send at most {MOST}."))
        return
    unknown: dict[Any, None] = {}
    for game, turn, action, *seat in rows:
        live = session.tables.get(game) if type(game) is int else None
        if live is None:
            unknown[game if type(game) is int else _short(game)] = None
        else:
            _accept(_Sent(tables, round, session), live, turn, action, seat[0] if seat else None, received)
    if unknown:
        _not_held(tables, round, session, list(unknown))


def _not_held(tables: Tables, round: Round, session: Session, games: list[Any]) -> None:
    """Games that are over are told so again, because the message that said so may have been lost; the others in one
    answer, so that a message costs no more than its length."""
    over = tables.ended(session.attempt, [game for game in games if type(game) is int])
    for end in over.values():
        round.say(session, end)
    if rest := [game for game in games if game not in over]:
        text = f"game {rest[0]} is not held by this connection: it is over, taken over or not begun."
        if len(rest) > 1:
            text += f" So are {len(rest) - 1} others that were named."
        numbers = [game for game in rest if type(game) is int]
        first = numbers[0] if numbers else None
        round.say(session, error(404, "unknown_game", text, game=first, games=numbers))


def _accept(at: _Sent, live: LiveGame, turn: Any, action: Any, seat: Any, received: float) -> None:
    """One move in one game."""
    if live.status != "active":
        return  # it has ended in this round, and `over` is on its way
    if type(turn) is not int or turn != live.course.turn:
        _other_turn(at, live, turn, action, seat)
        return
    on_turn = [one for one in live.seats_of(at.session) if live.course.to_move[one]]
    seat = (on_turn or [None])[0] if seat is None else seat
    if seat not in on_turn or type(seat) is not int:
        _conflict(at, live, f"seat {_short(seat)} is not yours to move; on turn are your seats {on_turn}")
        return
    if seat in live.course.chosen:
        if live.course.chosen[seat] != action or type(action) is not int:
            _conflict(at, live, f"another action was sent for turn {turn} before: {live.course.chosen[seat]}")
        return
    legal = at.tables.legal(live, seat)
    if type(action) is not int or not 0 <= action < len(legal) or not legal[action]:
        _offence(at, live, action, legal)
        return
    if live.dealt.terms.clock is not None and live.bank is not None and live.asked is not None:
        bank = left_after(live.dealt.terms.clock, live.bank, received - live.asked)
        if bank < 0:
            at.round.forfeit(live, "out of time")
            return
        if live.complete_but(seat):
            live.bank = bank
    live.course.chosen[seat] = action
    if live.party is not None:
        live.party.sign(seat)
    if live.course.complete:
        at.round.moving[live] = None


def _other_turn(at: _Sent, live: LiveGame, turn: Any, action: Any, seat: Any) -> None:
    """A move for a turn that is over: if it is the last one made, its answer is the state now."""
    seats = live.seats_of(at.session)
    last = max((t for t in range(live.course.turn) if _made(live, t, seat, seats) is not None), default=None)
    if type(turn) is int and turn == last and type(action) is int and action == _made(live, turn, seat, seats):
        at.tables.show(at.round, live, at.session)
        return
    _conflict(at, live, f"the game is at turn {live.course.turn}, not {_short(turn)}")


def _made(live: LiveGame, turn: int, seat: Any, seats: tuple[int, ...]) -> int | None:
    """What was done in a past turn, in this seat or, if none is named, the first of `seats` that moved."""
    movers = range(live.dealt.batch.game.players) if live.dealt.batch.game.simultaneous else [live.course.movers[turn]]
    made = dict(zip(movers, live.course.log[turn], strict=True))
    return next((made[one] for one in seats if one in made and seat in (None, one)), None)


def _conflict(at: _Sent, live: LiveGame, why: str) -> None:
    text = f"game {live.dealt.number}: {why}. Its state is sent again."
    at.round.say(at.session, error(409, "conflict", text, game=live.dealt.number, turn=live.course.turn))
    at.tables.show(at.round, live, at.session)


def _offence(at: _Sent, live: LiveGame, action: Any, legal: np.ndarray) -> None:
    allowed = np.flatnonzero(legal).tolist()
    live.offences += 1
    at.round.touched[live] = None
    left = live.dealt.terms.offences - live.offences
    number, turn = live.dealt.number, live.course.turn
    text = f"game {number}, turn {turn}: {_short(action)} is not a legal action; choose one of {allowed}."
    text += f" {left} more and the game is forfeited." if left > 0 else " The game is forfeited."
    at.round.say(
        at.session,
        error(422, "illegal", text, game=number, turn=turn, legal=allowed, offences_left=max(left, 0)),
    )
    if left <= 0:
        at.round.forfeit(live, f"{live.offences} illegal actions")


def error(status: int, code: str, message: str, **more: Any) -> dict[str, Any]:
    """An error as clients get it; it never holds more than they sent or already know."""
    return {"type": "error", "status": status, "code": code, "message": message} | more


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
