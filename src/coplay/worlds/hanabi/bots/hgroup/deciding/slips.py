"""Slips: now and then a player does something else than the conventions recommend, and not just anything."""

from __future__ import annotations

import random

from coplay.worlds.hanabi.bots.hgroup.deciding.choosing import Move, chance, choose, give, pick_discard
from coplay.worlds.hanabi.bots.hgroup.deciding.habits import Habits
from coplay.worlds.hanabi.bots.hgroup.deciding.outlook import outlook
from coplay.worlds.hanabi.bots.hgroup.deciding.tastes import choose_by_taste
from coplay.worlds.hanabi.bots.hgroup.deciding.weighing import Offers
from coplay.worlds.hanabi.bots.hgroup.table import MAX_INFO, Notebook

TEMPTING = 0.5  # how likely a card must be to play before somebody plays it without having been told to


def choose_as_people_do(table: Notebook, habits: Habits, luck: random.Random) -> Move:
    """The move he means to make, or (with probability `habits.slip`) another one that could pass for it."""
    meant = choose_by_taste(table, habits, luck) if habits.taste else choose(table, habits)
    if not habits.slip or luck.random() >= habits.slip:
        return meant
    others = [move for move in tempting_moves(table, habits) if move != meant]
    return luck.choice(others) if others else meant


def tempting_moves(table: Notebook, habits: Habits) -> list[Move]:
    """The best two clues, the next discard and the card most likely to play; never a gamble with the last life."""
    clues = sorted(Offers(table, outlook(table), habits).honest(), key=lambda option: -option.value)
    moves = [give(option) for option in clues[:2]]
    discard = pick_discard(table)
    if discard >= 0 and table.info < MAX_INFO:
        moves.append(Move("discard", discard))
    likely = max(table.hands[table.viewer], key=lambda order: chance(table, order))
    if table.lives > 1 and chance(table, likely) > TEMPTING:
        moves.append(Move("play", likely))
    return moves
