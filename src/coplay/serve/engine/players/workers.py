"""Plain Python partners in a process of their own, so that a slow or broken one harms no other game.

The process may use so much memory and think so long about a move. When it breaks, the game it was working on is voided
and played again; its other games are rebuilt from their logs in a new process.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
import traceback
from collections.abc import Callable
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coplay.agents.contents import contents
from coplay.agents.spec import agent
from coplay.game import Game
from coplay.games import make, spec_of

if TYPE_CHECKING:
    from coplay.serve.engine.game_batch import GameBatch
    from coplay.serve.engine.live_game import LiveGame, PartnerSeat

READY = "ready"
CHANGED = "its files are not those that were written down"
MEMORY = 8 << 30  # bytes of address space; JAX reserves much more than it uses
Answer = Callable[[str, int, int, int | Exception], None]  # table, seat, turn, action or what went wrong


class PartnerFailed(Exception):
    """A partner raised, took too long or died; the message says which."""


class PlainPartner:
    """One plain agent in any number of seats, asked in the order of the turns."""

    def __init__(
        self, spec: str, game: Game, answer: Answer, move_seconds: float, pinned: dict[str, str] | None = None
    ) -> None:
        self.spec, self.game, self._answer, self._move_seconds = spec, game, answer, move_seconds
        self._pinned = pinned  # what it must be made of
        self.listens = getattr(agent(spec, game), "hears", "own") == "every"
        self._lock = threading.Lock()
        self._waiting: dict[tuple[str, int, int], bool] = {}  # table, seat, turn, in the order they were asked
        self._given_up = False  # its process could not start; the next game tries again
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._ready = self._changed = False
        # The game as text: a fresh process cannot unpickle one from somebody's file before it has read that file.
        arguments = (theirs, self.spec, spec_of(self.game), self._move_seconds, self._pinned)
        self._process = context.Process(target=_work, args=arguments, daemon=True, name=f"partner {self.spec}")
        self._process.start()
        theirs.close()
        threading.Thread(target=self._listen, args=(self._pipe,), daemon=True).start()

    def sit(self, table: str, seat: int) -> None:
        if self._given_up:
            self._given_up = False
            self._start()
        self._send(("sit", table, seat))

    def leave(self, table: str, seat: int) -> None:
        self._send(("leave", table, seat))

    def ask(self, batch: GameBatch, seats: list[tuple[LiveGame, PartnerSeat]]) -> None:
        """Sends views; the answers come through `answer`."""
        import numpy as np

        from coplay.challenge.batches import NET_SIZES, chunks, padded
        from coplay.views.host import host_views

        for begin, count, size in chunks(len(seats), NET_SIZES):
            part = seats[begin : begin + count]
            rows = padded(np.asarray([live.dealt.row for live, _ in part], np.int32), size, 0)
            states = _chosen()(batch.states, rows)
            for seat in {partner.seat for _, partner in part}:
                which = [index for index, (_, partner) in enumerate(part) if partner.seat == seat]
                for index, view in zip(which, host_views(self.game, states, seat, np.asarray(which)), strict=True):
                    live, partner = part[index]
                    partner.unasked = False
                    mine = bool(live.course.to_move[seat])
                    with self._lock:
                        self._waiting[live.dealt.id, seat, live.course.turn] = mine
                    self._send(("act" if mine else "watch", live.dealt.id, seat, live.course.turn, view))

    def warm_up(self, states: Any, tables: int) -> None:
        """Compiles how its views are made. It may be called in any thread: it changes nothing."""
        del tables
        warm_up_views(self.game, states)

    def _send(self, message: tuple[Any, ...]) -> None:
        with contextlib.suppress(OSError):  # a dead process is noticed by `_listen`
            self._pipe.send(message)

    def _listen(self, pipe: Connection) -> None:
        """Runs in a thread: passes answers on; when the process dies, the move it was at is the one that failed."""
        while True:
            try:
                heard = pipe.recv()
            except (EOFError, OSError):
                break
            if heard in (READY, CHANGED):
                self._ready, self._changed = heard == READY, heard == CHANGED
                continue
            table, seat, turn, action, problem = heard
            with self._lock:
                mine = self._waiting.pop((table, seat, turn), False)
            if problem:
                self._answer(table, seat, turn, PartnerFailed(problem))
            elif mine:
                self._answer(table, seat, turn, action)
        if pipe is self._pipe and not pipe.closed:
            self._process.join(1)  # so that nothing is left of it
            self._revive()

    def _revive(self) -> None:
        """Begins again after its process has ended. One that could not even start waits for the next game."""
        with self._lock:
            waiting, self._waiting = list(self._waiting), {}
        started = self._ready
        if started:
            self._start()
        else:
            self._given_up = True
        absent = CHANGED if self._changed else "its process did not start"
        for number, (table, seat, turn) in enumerate(waiting):
            fault = absent if not started else "its process ended" if number == 0 else ""
            self._answer(table, seat, turn, PartnerFailed(fault))  # "": not its fault; the engine loads it again

    def close(self) -> None:
        self._pipe.close()
        self._process.terminate()


def warm_up_views(game: Game, states: Any) -> None:
    """Compiles the views that plain agents are sent."""
    import numpy as np

    from coplay.challenge.batches import NET_SIZES
    from coplay.views.host import host_views

    for size in NET_SIZES:
        (view,) = host_views(game, _chosen()(states, np.zeros(size, np.int32)), 0, np.zeros(1, np.int32))
        view.legal  # noqa: B018 - fetched, as when it is sent


@cache
def _chosen() -> Callable[[Any, Any], Any]:
    """Some rows of the stack, in one call; made when it is needed, because a fresh process imports this module."""
    import equinox as eqx

    from coplay.serve.engine.game_batch import gather

    return eqx.filter_jit(gather)


def _work(pipe: Connection, spec: str, game_spec: str, move_seconds: float, pinned: dict[str, str] | None) -> None:
    """The process: one agent object per seat of each table."""
    import copy
    import signal

    from coplay.rollouts.time_limit import TookTooLong, time_limit

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which closes the pipe
    _limit_memory()
    game = make(game_spec)
    model = agent(spec, game)
    if pinned is not None and contents(spec) != pinned:
        pipe.send(CHANGED)
        return
    pipe.send(READY)
    seats: dict[tuple[str, int], Any] = {}
    while True:
        try:
            kind, table, seat, *rest = pipe.recv()
        except (EOFError, OSError):
            return
        if kind == "leave":
            seats.pop((table, seat), None)
            continue
        problem, action, turn = "", -1, rest[0] if rest else -1
        try:
            with time_limit(move_seconds):
                if kind == "sit":
                    seats[table, seat] = copy.deepcopy(model)
                    seats[table, seat].reset(seat, game.players)
                elif kind == "act":
                    action = int(seats[table, seat].act(rest[1]))
                else:
                    seats[table, seat].watch(rest[1])
        except (Exception, SystemExit, TookTooLong) as error:  # an agent may raise anything
            problem = _place(error)
        if problem or kind != "sit":
            pipe.send((table, seat, turn, action, problem))


def _place(error: BaseException) -> str:
    """What broke and where. Not what the agent says of it: that may hold cards which it sees and others do not."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    return " ".join([type(error).__name__, *(f"in {Path(one.filename).name}, line {one.lineno}" for one in last)])


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
