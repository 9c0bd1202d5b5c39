"""FireFlower: conventions, beliefs about cards, a search two moves deep and a careful evaluation.

The player and its conventions are by David Wu (github.com/lightvector/fireflower, Scala); they are described in our own
words and all code here is ours. In short:

- A hint on the card that would be discarded next protects it if it may be the last of its kind; otherwise hints ask to
  play the touched cards, newest first (`hints`), and a hint past a player may ask that player for the missing card
  (`finesses`).
- Playing, bombing and discarding tell something too: to discard a card one was asked to play says "you have it"
  (`moves`).
- Everybody keeps track of what everybody believes (`table`, `beliefs`, `tidying`), guesses the next player's answer to
  each own action (`search`) and judges the outcome by the hints, turns, discards and hand space that are left
  (`evaluate`, `hint_budget`, `knowledge`).
- As long as 25 points are possible the search treats their loss as the end of the game; afterwards it plays for what
  can still be had.

With strangers: beliefs are only labels on cards, and the possibilities of a card come from what is seen and told alone,
so no partner can make them empty. Hypothetical cases that leave a card without any possibility are dropped from the
search; if nothing remains, or the memory of beliefs is full (it never was), the player goes on with what the rules
alone tell it. An action is checked against the legal ones before it is returned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from coplay.game import Game
from coplay.player import Agent
from coplay.worlds.hanabi.bots.fireflower.beliefs import MEMORY
from coplay.worlds.hanabi.bots.fireflower.compiled import begin, decide, hear, see
from coplay.worlds.hanabi.bots.fireflower.search import DISCARD_CARD, HINT_COLOR, HINT_RANK, PLAY_CARD
from coplay.worlds.hanabi.bots.fireflower.table import TABLE
from coplay.worlds.hanabi.bots.standard_game import require_standard_game

PLAYED, DISCARDED, COLOR_TOLD, RANK_TOLD = 1, 2, 3, 4  # kinds of a view's last move


class FireFlower(Agent):
    """One seat of one game; it must see every move, so `watch` is called on the turns of the others."""

    name = "fireflower"
    hears = "every"

    def __init__(self, game: Game) -> None:
        require_standard_game(self.name, game, 2, 5)
        self.reset(0, 2)

    def warm_up(self) -> None:
        """Compiles the player, which takes a minute where numba has not kept it: two moves of a made-up game."""
        tables = np.zeros(3, TABLE).view(np.recarray)
        memory = np.zeros(1, MEMORY).view(np.recarray)
        begin(tables, 2, 5, 0, 0, np.array([-1] * 5 + [0, 5, 10, 15, 20]))
        decide(tables, memory, np.zeros((64, 4)))
        see(tables, memory, 0, 4, 1, -1)
        hear(tables, memory, 0, 1, 0, 0)

    def reset(self, seat: int, players: int) -> None:
        self.seat, self.players = seat, players
        self.tables: np.ndarray | None = None

    def watch(self, view: Any) -> None:
        if self.tables is None:
            self._sit_down(view)
        else:
            self._notice(view)

    def act(self, view: Any) -> int:
        self.watch(view)
        report = np.zeros((64, 4))
        best, tried = decide(self.tables, self.memory, report)
        order = np.argsort(-report[:tried, 3], kind="stable")
        for row in [best, *order]:
            action = self._action_id(*report[row, :3].astype(int).tolist())
            if view.legal[action]:
                return action
        return int(np.flatnonzero(view.legal)[0])

    def _sit_down(self, view: Any) -> None:
        """Takes in the deal; cards are numbered in the order they were dealt."""
        size = view.game.hand_size
        faces = np.full(self.players * size, -1)
        for step in range(1, self.players):
            first = (self.seat + step) % self.players * size
            faces[first : first + size] = [_identity(card) for card in view.cards[step]]
        self.tables = np.zeros(3, TABLE).view(np.recarray)
        self.memory = np.zeros(1, MEMORY).view(np.recarray)
        turn = (self.seat + int(view.to_move)) % self.players
        begin(self.tables, self.players, size, self.seat, turn, faces)

    def _notice(self, view: Any) -> None:
        """Follows the move that the view shows."""
        assert self.tables is not None
        move = view.last_move
        kind = int(move["kind"])
        if kind in (PLAYED, DISCARDED):
            step = int(move["actor"])
            held = int(self.tables[0].held[(self.seat + step) % self.players])
            newest = int(view.held[step].sum()) - 1
            drawn = -1 if step == 0 else _identity(int(view.cards[step, newest]))
            position = held - 1 - int(move["slot"])
            see(self.tables, self.memory, int(kind == PLAYED), position, _identity(int(move["card"])), drawn)
        elif kind in (COLOR_TOLD, RANK_TOLD):
            step = int(move["target"])
            newest = int(view.held[step].sum()) - 1
            touched = sum(1 << (newest - int(slot)) for slot in np.flatnonzero(move["touched"]))
            receiver = (self.seat + step) % self.players
            hear(self.tables, self.memory, receiver, touched, int(kind == RANK_TOLD), int(move["value"]))

    def _action_id(self, kind: int, what: int, value: int) -> int:
        assert self.tables is not None
        hand = int(self.tables[0].full)
        slot = int(self.tables[0].held[self.seat]) - 1 - what
        hint = 2 * hand + ((what - self.seat) % self.players - 1) * 5 + value
        ids = {
            DISCARD_CARD: slot,
            PLAY_CARD: hand + slot,
            HINT_COLOR: hint,
            HINT_RANK: hint + (self.players - 1) * 5,
        }
        return ids[kind]


def _identity(card: int) -> int:
    """A view's identity (colour * 5 + rank) in this package's numbering (rank * 5 + colour); -1 stays."""
    return card % 5 * 5 + card // 5 if card >= 0 else -1
