"""The partners at the tables: policies in one batch per partner, plain agents in processes of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from coplay.agents.spec import agent
from coplay.challenge.hall import Bench, Hall
from coplay.challenge.live import Live, PartnerSeat
from coplay.challenge.workers import PlainPartner
from coplay.play.team import is_policy

Failed = Callable[[Live, str], None]


class Partners:
    """Makes partners once per game and asks them in batches."""

    def __init__(self, answer: Callable[[str, int, int, int | Exception], None], move_seconds: float = 30.0) -> None:
        self._answer, self._move_seconds = answer, move_seconds
        self._made: dict[tuple[int, str], Bench | PlainPartner] = {}

    def partner(self, hall: Hall, spec: str) -> Bench | PlainPartner:
        """The partner that `spec` names, at the tables of one game."""
        made = self._made.get((id(hall), spec))
        if made is None:
            player = agent(spec, hall.game)
            if is_policy(player):
                made = hall.bench(spec, player)
            else:
                made = PlainPartner(spec, hall.game, self._answer, self._move_seconds)
            self._made[id(hall), spec] = made
        return made

    def seat(self, hall: Hall, spec: str, table: str, seat: int) -> PartnerSeat:
        """One partner in one seat of one table."""
        made = self.partner(hall, spec)
        if isinstance(made, Bench):
            return PartnerSeat(seat, spec, made, made.sit(), made.listens)
        made.sit(table, seat)
        return PartnerSeat(seat, spec, made, -1, made.listens)

    def leave(self, live: Live) -> None:
        for partner in live.partners:
            if isinstance(partner.player, Bench):
                partner.player.leave(partner.row)
            else:
                partner.player.leave(live.id, partner.seat)

    def ask(self, hall: Hall, tables: list[Live], failed: Failed) -> None:
        """Asks every partner who is on turn or listens, at tables that have just come to a new state.

        Policies answer at once, into `chosen` of their tables. Plain agents answer later, through the queue that
        `answer` feeds.
        """
        asked: dict[int, tuple[Bench | PlainPartner, list[tuple[Live, PartnerSeat]]]] = {}
        for live in tables:
            for partner in live.partners:
                if partner.listens or live.to_move[partner.seat]:
                    asked.setdefault(id(partner.player), (partner.player, []))[1].append((live, partner))
        for player, seats in asked.values():
            if isinstance(player, Bench):
                self._decide(hall, player, seats, failed)
            else:
                player.ask(hall, seats)

    def _decide(self, hall: Hall, bench: Bench, seats: list[tuple[Live, PartnerSeat]], failed: Failed) -> None:
        asked = [(live.row, partner.seat, partner.row, live.turn, partner.fresh) for live, partner in seats]
        keys = np.stack([live.key for live, _ in seats])
        try:
            actions = bench.decide(hall.states, asked, keys).tolist()
        except Exception as error:  # a partner may raise anything; its games are played again, never scored
            for live, partner in seats:
                failed(live, f"seat {partner.seat}: {type(error).__name__}")
            return
        for (live, partner), action in zip(seats, actions, strict=True):
            partner.fresh = False
            if live.to_move[partner.seat]:
                live.chosen[partner.seat] = action

    def close(self) -> None:
        for made in self._made.values():
            if isinstance(made, PlainPartner):
                made.close()


def pool_hash(specs: Any) -> str:
    """Names a set of partners: their specs and, for those from files, the files' contents."""
    import hashlib
    from pathlib import Path

    from coplay.pool.pool import entry

    digest = hashlib.sha256()
    for spec in sorted(specs):
        digest.update(spec.encode() + b"\0")
        prefix, _, place = spec.partition("?")[0].partition(":")
        if prefix == "pool":
            digest.update(entry(place).sha256.encode())
        elif place and Path(place).is_file():
            digest.update(hashlib.sha256(Path(place).read_bytes()).digest())
    return digest.hexdigest()
