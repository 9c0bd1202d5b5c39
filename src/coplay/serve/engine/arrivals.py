"""What has come in for the engine, and what of it a round takes: a fair share of every connection.

Whoever sends much waits for its own messages; nobody else does. Rated games come first. Rehearsals and people's tables
have one share together and take turns at it, so that however many of them there are, a round stays short.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from coplay.serve.engine.moves import MOST
from coplay.serve.engine.round import Round
from coplay.serve.engine.session import Session

RATED, OTHERS = 4 * MOST, MOST  # moves in one round, of all rated games and of all others
OPENING = 100  # what a connection that begins costs, in moves


class Command(NamedTuple):
    """Something to do in the next round, and for whom."""

    run: Callable[[Round], None]
    session: Session | None = None
    moves: int = 0  # what it costs


class Arrivals:
    """Safe from any thread."""

    def __init__(self) -> None:
        self._come = threading.Condition()
        self._own: deque[Command] = deque()  # of no connection: partners' answers, the clock
        self._sessions: dict[Session, deque[Command]] = {}  # those served longest ago first
        self.stopped = False

    def put(self, command: Command) -> None:
        with self._come:
            if command.session is None:
                self._own.append(command)
            else:
                self._sessions.setdefault(command.session, deque()).append(command)
            self._come.notify()

    def stop(self) -> None:
        with self._come:
            self.stopped = True
            self._come.notify()

    def take(self, seconds: float) -> list[Command]:
        """What the next round does; waits so long for something to come."""
        with self._come:
            self._come.wait_for(lambda: self._own or self._sessions or self.stopped, seconds)
            taken = list(self._own)
            self._own.clear()
            for rated, budget in ((True, RATED), (False, OTHERS)):
                for session in [one for one in self._sessions if one.rated is rated]:
                    commands = self._share(session, budget)
                    budget -= sum(command.moves for command in commands)
                    taken += commands
            return taken

    def _share(self, session: Session, budget: int) -> list[Command]:
        """What of one connection's commands fits, in their order; whoever was served is last the next time."""
        waiting, taken, left = self._sessions[session], [], min(MOST, budget)
        while waiting and waiting[0].moves <= left:
            taken.append(waiting.popleft())
            left -= taken[-1].moves
        if taken or not waiting:
            del self._sessions[session]
            if waiting:
                self._sessions[session] = waiting
        return taken
