"""What happens in one round of the engine, collected until it is written and answered."""

from __future__ import annotations

from typing import Any, NamedTuple

from coplay.challenge.log import pack
from coplay.rollouts.episode import forfeited_score
from coplay.serve.engine.game_clock import GameClock
from coplay.serve.engine.live_game import LiveGame
from coplay.serve.engine.metrics import Metrics
from coplay.serve.engine.session import Session
from coplay.serve.store.journal import Entry
from coplay.sides import sign_of


class SeatView(NamedTuple):
    """What one seat sees of one table, for one of its sessions."""

    session: Session
    live: LiveGame
    seat: int
    turn: int
    mine: bool  # is it its turn?
    vector: Any
    legal: Any
    words: Any


class Round:
    """Tables that move, and what their sessions will be told."""

    def __init__(self, clock: GameClock, metrics: Metrics) -> None:
        self.clock, self.metrics = clock, metrics
        self.moving: dict[LiveGame, None] = {}  # every action of their turn is known
        self.touched: dict[LiveGame, None] = {}  # to be written
        self.ready: list[SeatView] = []
        self.histories: list[tuple[Session, LiveGame]] = []
        self.messages: dict[Session, list[dict[str, Any]]] = {}
        self.ended: set[str] = set()  # attempts that may be complete

    def say(self, session: Session | None, message: dict[str, Any]) -> None:
        if session is not None and not session.closed:
            self.messages.setdefault(session, []).append(message)

    def forfeit(self, live: LiveGame, reason: str) -> None:
        """The entrant broke a rule; the game counts, and scores 0 or less."""
        self.end(live, "forfeit", reason)

    def void(self, live: LiveGame, reason: str) -> None:
        """We broke; the game does not count and is played again."""
        self.end(live, "void", reason)

    def end(self, live: LiveGame, status: str, reason: str = "") -> None:
        if live.status == "active":
            live.end(status, reason)
            self.moving.pop(live, None)
            self.touched[live] = None
            self.metrics.add(f"games_{status}")

    def over(self, live: LiveGame) -> None:
        """A game has ended and that is written; its session is told. Scores of rated games stay hidden."""
        hidden = live.dealt.terms.kind == "eval"
        for session in live.sessions:
            session.drained = session.drained and (live.status != "void" or session.single)
            own = (live.seats_of(session) or (0,))[0]
            score = live.course.position.score * sign_of(live.dealt.batch.game, own)
            score = score if live.status == "done" else forfeited_score(score)
            self.say(session, over(live.dealt.number, live.status, live.reason, None if hidden else score))
        self.ended.add(live.dealt.terms.attempt)

    def forget(self) -> None:
        """Nothing more is written, and nothing that was to be said is said: everybody is sent away to come again."""
        for held in (self.moving, self.touched, self.ready, self.histories, self.messages):
            held.clear()

    def drop(self, live: LiveGame) -> None:
        """Somebody else has this table: nothing of it is written or answered."""
        self.touched.pop(live, None)
        self.ready = [entry for entry in self.ready if entry.live is not live]

    def entries(self) -> tuple[list[Entry], set[str]]:
        """What is to be written, and which attempts have moved."""
        now, shared = self.clock.here(), self.clock.shared()
        entries, spent = [], set()
        for live in self.touched:
            waits = live.awaits_entrant
            if waits and live.asked is None:
                live.asked = now
            moves = [(turn, pack(live.course.log[turn])) for turn in range(live.course.saved_turn, live.course.turn)]
            asked = shared - (now - live.asked) if waits and live.asked is not None else None
            if live.party is not None:
                live.party.waits({seat for seat in live.dealt.seats if live.course.waits_for(seat)}, now)
            if moves:
                spent.add(live.dealt.terms.attempt)
            entries.append(
                Entry(
                    id=live.dealt.id,
                    holder=live.holder,
                    saved_turn=live.course.saved_turn,
                    turn=live.course.turn,
                    status=live.status,
                    bank=live.bank,
                    asked=asked,
                    offences=live.offences,
                    reason=live.reason,
                    moves=moves,
                )
            )
        return entries, spent


def over(game: int, how: str, reason: str, score: float | None) -> dict[str, Any]:
    """A game has ended; `score` is None where it stays hidden."""
    message: dict[str, Any] = {"type": "over", "game": [game], "how": [how], "reason": [reason]}
    return message if score is None else message | {"score": [score]}
