"""A process of low priority that compiles first, into the cache on the disk; this one then only loads what is there.

XLA compiles without Python's lock, but it takes every core it gets. On a machine with few, running games would feel it;
a process that steps back for everybody else lets them go on. It lives while there is work, and where it cannot be had
nothing is lost but that: whatever is not in the cache is compiled here.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from coplay.games import make, spec_of

if TYPE_CHECKING:
    from coplay.serve.engine.players.preparing import Need

NICE = 15  # of 19


class Compiler:
    """Used by one thread at a time."""

    def __init__(self) -> None:
        self._pipe: Any = None  # a connection, and the process at its other end, once there was something to do
        self._process: Any = None

    def compile(self, need: Need) -> None:
        """Returns when it is in the cache, or cannot be."""
        try:
            pipe = self._pipe or self._start()
            pipe.send((spec_of(need.batch.game), need.capacity, need.spec))
            pipe.recv()
        except (EOFError, OSError):  # it has died
            self.rest()

    def rest(self) -> None:
        """There is nothing more to do for now."""
        if self._pipe is not None:
            self._pipe.close()
            self._process.terminate()
            self._process.join(5)
            self._pipe = self._process = None

    def stop(self) -> None:
        """For good, from any thread; whoever waits for it goes on."""
        if self._process is not None:
            self._process.terminate()

    def _start(self) -> Any:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs,), daemon=True, name="compiler")
        self._process.start()
        theirs.close()
        return self._pipe


def useful() -> bool:
    """Is there a cache that processes share, and a processor that they share too?"""
    import jax

    return bool(jax.config.jax_compilation_cache_dir) and jax.default_backend() == "cpu"  # pyright: ignore[reportAttributeAccessIssue]


def _work(pipe: Connection) -> None:
    """The process."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this
    if hasattr(os, "nice"):
        os.nice(NICE)
    from coplay.serve.engine.game_batch import GameBatch

    batches: dict[tuple[str, int], GameBatch] = {}
    with contextlib.suppress(EOFError, OSError):  # the server has gone
        while True:
            game, capacity, spec = pipe.recv()
            with contextlib.suppress(Exception, SystemExit):  # the server tries itself, and says what is wrong
                key = game, capacity
                batch = batches.get(key) or batches.setdefault(key, GameBatch(make(game), capacity))
                _compile(batch, capacity, spec)
            pipe.send(None)


def _compile(batch: Any, capacity: int, spec: str) -> None:
    from coplay.agents.spec import agent
    from coplay.rollouts.team import is_policy
    from coplay.serve.engine.players.policy_batch import PolicyBatch
    from coplay.serve.engine.players.workers import warm_up_views

    if not spec:
        batch.warm_up(capacity)
        return
    player, states = agent(spec, batch.game), batch.states_for(capacity)
    if is_policy(player):
        PolicyBatch(batch.game, player, batch.capacity).warm_up(states, capacity)
    else:
        warm_up_views(batch.game, states)
