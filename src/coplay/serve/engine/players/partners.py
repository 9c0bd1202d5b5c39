"""The partners at the tables: policies in one batch per partner, plain agents in processes of their own."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np

from coplay.agents.contents import contents
from coplay.agents.spec import agent
from coplay.player import AgentError
from coplay.rollouts.team import is_policy
from coplay.serve.engine.game_batch import GameBatch
from coplay.serve.engine.live_game import LiveGame, PartnerSeat
from coplay.serve.engine.players.policy_batch import PolicyBatch
from coplay.serve.engine.players.workers import CHANGED, PlainPartner

Failed = Callable[[LiveGame, str], None]


class BrokenPartner:
    """A partner that cannot be made: its games are voided, and the host is told why."""

    listens = True

    def __init__(self, reason: str) -> None:
        self.reason = reason


Pinned = dict[str, str] | None  # what a partner must be made of, see challenge/pins.py
Made = PolicyBatch | PlainPartner


class Partners:
    """Makes partners once per game and asks them in batches."""

    def __init__(self, answer: Callable[[str, int, int, int | Exception], None], move_seconds: float = 30.0) -> None:
        self._answer, self._move_seconds = answer, move_seconds
        self._made: dict[tuple[int, str, str], Made | BrokenPartner] = {}  # batch, spec, pins

    def partner(self, batch: GameBatch, spec: str, pinned: Pinned = None) -> Made | BrokenPartner:
        """The partner that `spec` names, at the tables of one game. Where it is `pinned` it is made of that and of
        nothing else, also when another challenge has pinned its files at another time."""
        key = id(batch), spec, json.dumps(pinned, sort_keys=True)
        if key not in self._made:
            self._made[key] = self._try(batch, spec, pinned)
        return self._made[key]

    def warm_up(self, batch: GameBatch, capacity: int, spec: str, pinned: Pinned = None) -> bool:
        """Makes and compiles a partner for a stack of so many tables, in any thread; one that could not be made is
        tried again. False if it cannot be."""
        made = self.partner(batch, spec, pinned)
        if isinstance(made, BrokenPartner):
            made = self._made[id(batch), spec, json.dumps(pinned, sort_keys=True)] = self._try(batch, spec, pinned)
        if isinstance(made, BrokenPartner):
            return False
        made.warm_up(batch.states_for(capacity), capacity)
        return True

    def of(self, batch: GameBatch) -> list[tuple[str, Pinned]]:
        """The partners that have been made for the tables of one game."""
        return [(spec, json.loads(pins)) for where, spec, pins in list(self._made) if where == id(batch)]

    def forget(self, gone: set[int]) -> None:
        """The batches with these ids are no more."""
        for key in [key for key in list(self._made) if key[0] in gone]:
            made = self._made.pop(key)
            if isinstance(made, PlainPartner):
                made.close()

    def _try(self, batch: GameBatch, spec: str, pinned: Pinned) -> Made | BrokenPartner:
        try:
            return self._make(batch, spec, pinned)
        except (Exception, SystemExit) as error:  # a partner's constructor may raise anything
            return BrokenPartner(f"it cannot be made: {error}")

    def _make(self, batch: GameBatch, spec: str, pinned: Pinned) -> Made:
        player = agent(spec, batch.game)
        if pinned is not None and contents(spec) != pinned:
            raise AgentError(CHANGED)
        if is_policy(player):
            return PolicyBatch(batch.game, player, batch.capacity)
        return PlainPartner(spec, batch.game, self._answer, self._move_seconds, pinned)

    def seat(self, batch: GameBatch, spec: str, table: str, seat: int, pinned: Pinned = None) -> PartnerSeat:
        """One partner in one seat of one table."""
        made = self.partner(batch, spec, pinned)
        if isinstance(made, PolicyBatch):
            return PartnerSeat(seat, spec, made, made.sit(), made.listens)
        if isinstance(made, PlainPartner):
            made.sit(table, seat)
        return PartnerSeat(seat, spec, made, -1, made.listens)

    def leave(self, live: LiveGame) -> None:
        for partner in live.dealt.partners:
            if isinstance(partner.player, PolicyBatch):
                partner.player.leave(partner.row)
            elif isinstance(partner.player, PlainPartner):
                partner.player.leave(live.dealt.id, partner.seat)

    def ask(self, batch: GameBatch, tables: list[LiveGame], failed: Failed) -> None:
        """Asks every partner who is on turn or listens, at tables that have just come to a new state.

        Policies answer at once, into `chosen` of their tables. Plain agents answer later, through the queue that
        `answer` feeds.
        """
        asked: dict[int, tuple[Made | BrokenPartner, list[tuple[LiveGame, PartnerSeat]]]] = {}
        for live in tables:
            for partner in live.dealt.partners:
                if partner.listens or live.course.to_move[partner.seat]:
                    asked.setdefault(id(partner.player), (partner.player, []))[1].append((live, partner))
        for player, seats in asked.values():
            if isinstance(player, PolicyBatch):
                self._decide(batch, player, seats, failed)
            elif isinstance(player, PlainPartner):
                player.ask(batch, seats)
            else:
                for live, partner in seats:
                    for session in live.sessions:
                        session.unready = not session.watches
                    failed(live, f"seat {partner.seat}: {player.reason}")

    def _decide(
        self, batch: GameBatch, policies: PolicyBatch, seats: list[tuple[LiveGame, PartnerSeat]], failed: Failed
    ) -> None:
        asked = [
            (live.dealt.row, partner.seat, partner.row, live.course.turn, partner.unasked) for live, partner in seats
        ]
        keys = np.stack([live.dealt.key for live, _ in seats])
        try:
            actions = policies.decide(batch.states, asked, keys).tolist()
        except Exception as error:  # a partner may raise anything; its games are played again, never scored
            for live, partner in seats:
                failed(live, f"seat {partner.seat}: {type(error).__name__}")
            return
        for (live, partner), action in zip(seats, actions, strict=True):
            partner.unasked = False
            if live.course.to_move[partner.seat]:
                live.decided(partner, action)

    def close(self) -> None:
        for made in list(self._made.values()):
            if isinstance(made, PlainPartner):
                made.close()
