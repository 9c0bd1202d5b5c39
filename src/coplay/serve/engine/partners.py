"""The partners at the tables: policies in one batch per partner, plain agents in processes of their own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from coplay.agents.spec import agent
from coplay.rollouts.team import is_policy
from coplay.serve.engine.game_batch import GameBatch, PolicyBatch
from coplay.serve.engine.live_game import LiveGame, PartnerSeat
from coplay.serve.engine.workers import PlainPartner

Failed = Callable[[LiveGame, str], None]


class Partners:
    """Makes partners once per game and asks them in batches."""

    def __init__(self, answer: Callable[[str, int, int, int | Exception], None], move_seconds: float = 30.0) -> None:
        self._answer, self._move_seconds = answer, move_seconds
        self._made: dict[tuple[int, str], PolicyBatch | PlainPartner] = {}

    def partner(self, batch: GameBatch, spec: str) -> PolicyBatch | PlainPartner:
        """The partner that `spec` names, at the tables of one game."""
        made = self._made.get((id(batch), spec))
        if made is None:
            player = agent(spec, batch.game)
            if is_policy(player):
                made = batch.policy_batch(spec, player)
            else:
                made = PlainPartner(spec, batch.game, self._answer, self._move_seconds)
            self._made[id(batch), spec] = made
        return made

    def seat(self, batch: GameBatch, spec: str, table: str, seat: int) -> PartnerSeat:
        """One partner in one seat of one table."""
        made = self.partner(batch, spec)
        if isinstance(made, PolicyBatch):
            return PartnerSeat(seat, spec, made, made.sit(), made.listens)
        made.sit(table, seat)
        return PartnerSeat(seat, spec, made, -1, made.listens)

    def leave(self, live: LiveGame) -> None:
        for partner in live.partners:
            if isinstance(partner.player, PolicyBatch):
                partner.player.leave(partner.row)
            else:
                partner.player.leave(live.id, partner.seat)

    def ask(self, batch: GameBatch, tables: list[LiveGame], failed: Failed) -> None:
        """Asks every partner who is on turn or listens, at tables that have just come to a new state.

        Policies answer at once, into `chosen` of their tables. Plain agents answer later, through the queue that
        `answer` feeds.
        """
        asked: dict[int, tuple[PolicyBatch | PlainPartner, list[tuple[LiveGame, PartnerSeat]]]] = {}
        for live in tables:
            for partner in live.partners:
                if partner.listens or live.to_move[partner.seat]:
                    asked.setdefault(id(partner.player), (partner.player, []))[1].append((live, partner))
        for player, seats in asked.values():
            if isinstance(player, PolicyBatch):
                self._decide(batch, player, seats, failed)
            else:
                player.ask(batch, seats)

    def _decide(
        self, batch: GameBatch, policies: PolicyBatch, seats: list[tuple[LiveGame, PartnerSeat]], failed: Failed
    ) -> None:
        asked = [(live.row, partner.seat, partner.row, live.turn, partner.unasked) for live, partner in seats]
        keys = np.stack([live.key for live, _ in seats])
        try:
            actions = policies.decide(batch.states, asked, keys).tolist()
        except Exception as error:  # a partner may raise anything; its games are played again, never scored
            for live, partner in seats:
                failed(live, f"seat {partner.seat}: {type(error).__name__}")
            return
        for (live, partner), action in zip(seats, actions, strict=True):
            partner.unasked = False
            if live.to_move[partner.seat]:
                live.chosen[partner.seat] = action

    def close(self) -> None:
        for made in self._made.values():
            if isinstance(made, PlainPartner):
                made.close()
