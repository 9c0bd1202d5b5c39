"""Small tables and whole games for the tests of the H-Group conventions, without the engine."""

from __future__ import annotations

import random
from typing import NamedTuple

from coplay.worlds.hanabi.bots.hgroup.agent import action_id
from coplay.worlds.hanabi.bots.hgroup.analyse import advance, open_table
from coplay.worlds.hanabi.bots.hgroup.cards import COPIES, RANK_SET
from coplay.worlds.hanabi.bots.hgroup.deciding.choosing import choose
from coplay.worlds.hanabi.bots.hgroup.reading import Meaning
from coplay.worlds.hanabi.bots.hgroup.table import Clue, Notebook
from coplay.worlds.hanabi.bots.hgroup.update import deal, hear_clue

COLORS = "rygbp"


def card(name: str) -> int:
    """The identity of a card such as "r1"."""
    return COLORS.index(name[0]) * 5 + int(name[1]) - 1


def names(identities: int) -> set[str]:
    """The members of a set of identities."""
    return {f"{COLORS[i // 5]}{i % 5 + 1}" for i in range(25) if identities >> i & 1}


def seat(
    *hands: str, viewer: int = -1, stacks: str = "", gone: str = "", early: bool = False, info: int = 6
) -> Notebook:
    """A table with these hands, oldest card first, after `stacks` were played and `gone` discarded."""
    table = Notebook(len(hands), viewer)
    shown = [[-1 if place == viewer else card(name) for name in hand.split()] for place, hand in enumerate(hands)]
    for name in stacks.split():
        identity = card(name)
        table.gone[identity] += 1
        table.stacks[identity // 5] += 1
        table.played |= 1 << identity
    for name in gone.split():
        table.gone[card(name)] += 1
    table.measure()
    deal(table, shown)
    table.early, table.info, table.turn = early, info, 1
    return table


def clue(table: Notebook, giver: int, target: int, what: str, hand: str = "") -> Meaning:
    """Gives a clue: "red" by its first letter, or a rank; `hand` says what the viewer himself holds."""
    cards = [card(name) for name in hand.split()] if hand else [table.known[order] for order in table.hands[target]]
    is_rank = what.isdigit()
    value = int(what) - 1 if is_rank else COLORS.index(what)
    members = RANK_SET[value] if is_rank else 31 << (5 * value)
    touched = tuple(
        order for order, identity in zip(table.hands[target], cards, strict=True) if members >> identity & 1
    )
    return hear_clue(table, Clue(giver, target, is_rank, value, touched))


def shuffled(seed: int) -> list[int]:
    """A deck that depends on the seed alone."""
    deck = [identity for identity in range(25) for _ in range(COPIES[identity])]
    random.Random(seed).shuffle(deck)
    return deck


class Result(NamedTuple):
    """A finished game."""

    score: int  # 0 after the third strike
    strikes: int
    actions: list[int]


def legal(table: Notebook, deck: list[int], action: int) -> bool:
    """Is the action allowed to the seat to move?"""
    size = table.hand_size
    if action < 2 * size:
        return action % size < len(table.hands[table.actor]) and (action >= size or table.info < 8)
    others = table.players - 1
    is_rank, rest = divmod(action - 2 * size, 5 * others)
    target = (table.actor + 1 + rest // 5) % table.players
    return table.info > 0 and any(
        (deck[order] % 5 if is_rank else deck[order] // 5) == rest % 5 for order in table.hands[target]
    )


def play(deck: list[int], players: int, strangeness: float = 0.0, levels: tuple[int, ...] = (5,)) -> Result:
    """One game of the convention player with copies of itself, who with probability `strangeness` move at random."""
    chance = random.Random(repr(deck))
    tables = [open_table(deck, players, place, levels[place % len(levels)]) for place in range(players)]
    judge = open_table(deck, players, -1)
    actions: list[int] = []
    while judge.lives > 0 and judge.turns_left > 0 and sum(judge.stacks) < 25:
        mine = tables[judge.actor]
        action = action_id(mine, choose(mine))
        assert legal(judge, deck, action), f"action {action} in turn {judge.turn}"
        if chance.random() < strangeness:
            numbers = range(2 * judge.hand_size + 10 * (players - 1))
            action = chance.choice([number for number in numbers if legal(judge, deck, number)])
        for table in (*tables, judge):
            advance(table, deck, action)
        actions.append(action)
        check_beliefs(tables, deck)
    score = sum(judge.stacks) if judge.lives else 0
    return Result(score, 3 - judge.lives, actions)


def check_beliefs(tables: list[Notebook], deck: list[int]) -> None:
    """No card is without a belief, and nobody rules out by facts what a card is."""
    for table in tables:
        for hand in table.hands:
            for order in hand:
                assert table.inferred[order]
                assert table.possible[order] >> deck[order] & 1
