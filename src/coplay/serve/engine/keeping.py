"""How many kinds of tables are held ready: those where somebody sits or may be expected to, and the ones left last.

A kind is a game with its settings. What is compiled for one takes tens of megabytes, and people can choose among
hundreds. One that was let go is loaded again from the disk when somebody comes.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from coplay.serve.engine.game_batch import GameBatch
from coplay.serve.engine.programs import let_go

if TYPE_CHECKING:
    from coplay.serve.engine.engine import Engine

KINDS = 12  # that are held though nobody sits there


class Keeping:
    """Used in the engine's thread."""

    def __init__(self, engine: Engine, kinds: int = KINDS) -> None:
        self._engine, self.kinds = engine, kinds
        self._used: dict[int, float] = {}  # when somebody sat there last, by batch

    def sweep(self) -> int:
        """Lets go of the kinds that nobody has used for longest; returns how many."""
        tables, used = self._engine.tables, self._in_use()
        batches, now = tables.batches(), time.monotonic()
        for batch in batches:
            if id(batch) in used or id(batch) not in self._used:
                self._used[id(batch)] = now
        idle = sorted((one for one in batches if id(one) not in used), key=lambda one: self._used[id(one)])
        old = idle[: max(0, len(idle) - self.kinds)]
        if old:
            self._let_go(old)
        return len(old)

    def _in_use(self) -> set[int]:
        """Somebody sits there, waits for it, or is expected."""
        engine = self._engine
        found = {id(live.dealt.batch) for live in engine.tables.live.values()}
        found |= {id(need.batch) for need in engine.preparations.needed()}
        for session in engine.sessions.values():
            found |= {id(batch) for batch in engine.tables.terms(session.attempt).batches.values()}
        return found | {id(need.batch) for need in engine.expected}

    def _let_go(self, batches: list[GameBatch]) -> None:
        engine, gone = self._engine, {id(batch) for batch in batches}
        engine.tables.drop(gone)
        engine.preparations.forget(gone)
        engine.partners.forget(gone)
        for one in gone:
            del self._used[one]
        let_go([batch.game for batch in batches])
        engine.metrics.add("kinds_let_go", len(batches))
