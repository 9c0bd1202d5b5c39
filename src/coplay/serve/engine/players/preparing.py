"""What tables need is compiled aside, in a thread of its own, before they are laid: games that run never wait for it.

A connection whose game or partners are not ready is told how far they are, and begins when they are. Rated attempts
come first, then rehearsals, then people, then what nobody waits for yet.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from coplay.serve.engine.game_batch import GameBatch
from coplay.serve.engine.players.partners import Partners, Pinned
from coplay.serve.engine.round import Round
from coplay.serve.engine.session import Session

log = logging.getLogger("coplay.serve")


class Need(NamedTuple):
    """Something that must be compiled: a game, or a partner at its tables, for a stack of so many tables."""

    batch: GameBatch
    capacity: int
    spec: str = ""  # of a partner; "": the game itself
    pins: str = "null"  # JSON: what the partner must be made of

    @property
    def pinned(self) -> Pinned:
        return json.loads(self.pins)


def needs_of(batch: GameBatch, capacity: int, partners: Iterable[tuple[str, Pinned]]) -> list[Need]:
    """What the tables of one game need, with these partners."""
    pinned = [(spec, json.dumps(pins, sort_keys=True)) for spec, pins in partners]
    return [Need(batch, capacity), *(Need(batch, capacity, *one) for one in dict.fromkeys(pinned))]


def prepare(partners: Partners, need: Need) -> bool:
    """Compiles it; False if there is no such partner. Whoever asks again has it tried again."""
    if not need.spec:
        need.batch.warm_up(need.capacity)
        return True
    return partners.warm_up(need.batch, need.capacity, need.spec, need.pinned)


class _Waiting(NamedTuple):
    """A connection, everything that it needs, and what to do then."""

    session: Session
    needs: list[Need]
    lacking: set[Need]
    then: Callable[[Round], None]


class Preparations:
    """Used in the engine's thread; only the work itself is done aside. Without a thread it is done at once."""

    def __init__(
        self,
        work: Callable[[Need], bool],
        hand_in: Callable[[Callable[[Round], None]], None],
        rest: Callable[[], None] = lambda: None,  # nothing is left to do
    ) -> None:
        self._work, self._hand_in, self._rest = work, hand_in, rest
        self._aside: ThreadPoolExecutor | None = None
        self._ready: set[Need] = set()
        self._waiting: dict[Session, _Waiting] = {}
        self._wanted: list[Need] = []  # of larger stacks, and what nobody waits for
        self._busy = False
        self._doing: list[Need] = []
        self.on_ready: Callable[[Need], None] = lambda need: None

    def start(self) -> None:
        self._aside = ThreadPoolExecutor(1, "aside")

    def stop(self) -> None:
        if self._aside is not None:
            self._aside.submit(self._rest)
            self._aside.shutdown(wait=False)

    def have(self, needs: Iterable[Need]) -> bool:
        """Is all of it ready? Without a thread it is now."""
        lacking = [need for need in needs if need not in self._ready]
        if self._aside is None:
            for need in lacking:
                self._finished(None, need, self._try(need))
            return True
        return not lacking

    def are_ready(self, needs: Iterable[Need]) -> bool:
        return all(need in self._ready for need in needs)

    def wait(self, round: Round, session: Session, needs: list[Need], then: Callable[[Round], None]) -> None:
        """Has `then` run when all of it is ready."""
        waiting = self._waiting[session] = _Waiting(session, needs, set(needs) - self._ready, then)
        self._tell(round, waiting)
        self.next()

    def waits(self, session: Session) -> bool:
        return session in self._waiting

    def leave(self, session: Session) -> None:
        self._waiting.pop(session, None)

    def needed(self) -> list[Need]:
        """What somebody waits for, or is being made."""
        return [need for one in self._waiting.values() for need in one.needs] + self._wanted + self._doing

    def forget(self, gone: set[int]) -> None:
        """Batches with these ids are no more."""
        self._ready = {need for need in self._ready if id(need.batch) not in gone}

    def want(self, needs: Iterable[Need]) -> None:
        """To be done when nobody waits for anything else."""
        self._wanted += [need for need in needs if need not in self._ready and need not in self._wanted]
        self.next()

    def next(self) -> None:
        """Begins the next piece of work, if none is being done."""
        if self._busy or self._aside is None:
            return
        waiting = sorted(self._waiting.values(), key=lambda one: one.session.rank)
        needs = [need for one in waiting for need in one.needs if need in one.lacking] + self._wanted
        if needs:
            self._busy, self._doing = True, [needs[0]]
            self._aside.submit(self._do, needs[0])
        else:
            self._aside.submit(self._rest)

    def _do(self, need: Need) -> None:
        """In the thread of its own."""
        done = self._try(need)
        self._hand_in(lambda round: self._finished(round, need, done))

    def _try(self, need: Need) -> bool:
        try:
            return self._work(need)
        except Exception:  # it will show again, and be reported, when a game needs it
            log.exception("preparing failed", extra={"reason": need.spec or need.batch.game.name})
            return False

    def _finished(self, round: Round | None, need: Need, done: bool) -> None:
        """Whoever waited for this goes on, also where it could not be done: then its games say so."""
        self._busy, self._doing = False, []
        if done:
            self._ready.add(need)
        self._wanted = [one for one in self._wanted if one != need]
        self.on_ready(need)
        if round is None:
            return
        for one in [one for one in self._waiting.values() if need in one.lacking]:
            one.lacking.discard(need)
            if one.lacking:
                self._tell(round, one)
            else:
                del self._waiting[one.session]
                one.then(round)
        self.next()

    def _tell(self, round: Round, one: _Waiting) -> None:
        done = len(one.needs) - len(one.lacking)
        round.say(one.session, {"type": "preparing", "done": done, "of": len(one.needs)})
