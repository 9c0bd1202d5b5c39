"""The H-Group convention player as a plain agent: it hears every move, keeps a table and chooses by the conventions.

It plays levels 1 to 5 of the H-Group conventions (a public, human-made system: chop and focus, saves, play clues,
prompts, finesses, fixes, chop moves, layered finesses), restated in our own words. Sitting with strangers it meets
moves that no convention explains; then a note falls back to what good touch allows, next to what the clues and counted
cards alone allow (table.py), and a move that would not be legal is replaced by the first legal discard, clue or play.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from coplay.game import Game
from coplay.player import Agent, AgentError
from coplay.worlds.hanabi.bots.hgroup.deciding.choosing import Move
from coplay.worlds.hanabi.bots.hgroup.deciding.habits import Habits
from coplay.worlds.hanabi.bots.hgroup.deciding.slips import choose_as_people_do
from coplay.worlds.hanabi.bots.hgroup.deciding.tastes import known_taste
from coplay.worlds.hanabi.bots.hgroup.table import Clue, Notebook
from coplay.worlds.hanabi.bots.hgroup.update import deal, hear_clue, see_discard, see_play
from coplay.worlds.hanabi.bots.standard_game import require_standard_game

PLAY, DISCARD, COLOR_HINT, RANK_HINT = 1, 2, 3, 4  # `view.last_move["kind"]`


class HGroup(Agent):
    """Plays like a member of the H-Group who has learned the conventions up to `level` (1 to 5)."""

    name = "hgroup"
    hears = "every"

    def __init__(
        self,
        game: Game,
        level: int = 5,
        finesse: bool = True,
        stall: bool = True,
        wake: bool = True,
        token: float = 0.5,
        save: float = 0.5,
        bad: float = 1.2,
        color: float = 0.02,
        urgent: float = 1.9,
        slip: float = 0.0,
        taste: str = "",
        nerve: float = 1.0,
        care: float = 2.0,
        book: float = 0.0,
        fear: float = 0.0,
        seed: int = 0,
    ) -> None:
        require_standard_game("hgroup", game, 2, 5)
        if not 1 <= level <= 5:
            raise AgentError(f"hgroup knows the conventions of levels 1 to 5, not {level}; write hgroup?level=5.")
        if not 0 <= slip <= 1:
            raise AgentError(f"slip={slip} is the share of moves that slip; write a number from 0 to 1.")
        self.level, self.seed = level, seed
        if nerve <= 0:
            raise AgentError(f"nerve={nerve} must be above 0; the smaller, the surer.")
        chosen = taste and known_taste(taste)
        self.habits = Habits(
            finesse, stall, wake, token, save, bad, color, urgent, slip, chosen, nerve, care, book, fear
        )
        self.reset(0, game.players)

    def reset(self, seat: int, players: int) -> None:
        """A new game begins."""
        self.table = Notebook(players, seat, self.level)
        self.luck = random.Random()

    def watch(self, view: Any) -> None:
        """Enters the move that was just made."""
        table = self.table
        if table.next_order == 0:
            _sit_down(table, view)
            # The cards he sees tell one game from another, so the same game has the same slips again.
            self.luck.seed(f"{self.seed} {table.viewer} {table.known}")
        elif int(view.last_move["kind"]) > 0:
            _enter(table, view)

    def act(self, view: Any) -> int:
        """The id of the move the conventions recommend; always a legal one."""
        self.watch(view)
        action = action_id(self.table, choose_as_people_do(self.table, self.habits, self.luck))
        legal = np.asarray(view.legal)
        return action if legal[action] else int(np.flatnonzero(legal)[0])


def action_id(table: Notebook, move: Move) -> int:
    """The move as the game numbers it: discards, plays, colour hints by seat, rank hints by seat."""
    seat, size = table.viewer, table.hand_size
    if move.clue is None:
        return table.hands[seat].index(move.order) + (size if move.kind == "play" else 0)
    offset = (move.clue.target - seat) % table.players - 1
    return 2 * size + 5 * (offset + (table.players - 1) * move.clue.is_rank) + move.clue.value


def _sit_down(table: Notebook, view: Any) -> None:
    cards = np.asarray(view.cards)
    deal(table, [cards[(seat - table.viewer) % table.players].tolist() for seat in range(table.players)])
    table.actor = (table.viewer + int(view.to_move)) % table.players


def _enter(table: Notebook, view: Any) -> None:
    """The last move of the view, with seats made absolute and slots made cards."""
    move = view.last_move
    kind, relative = int(move["kind"]), int(move["actor"])
    seat = (table.viewer + relative) % table.players
    if kind in (COLOR_HINT, RANK_HINT):
        target = (table.viewer + int(move["target"])) % table.players
        touched = tuple(order for order, hit in zip(table.hands[target], move["touched"], strict=False) if hit)
        hear_clue(table, Clue(seat, target, kind == RANK_HINT, int(move["value"]), touched))
        return
    order = table.hands[seat][int(move["slot"])]
    drawn = None
    if table.deck_left > 0:
        drawn = -1 if relative == 0 else int(view.cards[relative][len(table.hands[seat]) - 1])
    see = see_play if kind == PLAY else see_discard
    see(table, seat, order, int(move["card"]), drawn)
