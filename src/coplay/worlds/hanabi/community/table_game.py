"""One game of convention players on bare tables: no engine, no views, so that a core plays dozens of games a second."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from coplay.worlds.hanabi.bots.hgroup.agent import action_id
from coplay.worlds.hanabi.bots.hgroup.analyse import advance, clue_of, open_table
from coplay.worlds.hanabi.bots.hgroup.cards import COPIES
from coplay.worlds.hanabi.bots.hgroup.deciding.slips import choose_as_people_do
from coplay.worlds.hanabi.bots.hgroup.table import MAX_INFO, Notebook
from coplay.worlds.hanabi.community.recipe import Community, Member

CARDS = tuple(identity for identity in range(25) for _ in range(COPIES[identity]))


class CommunityGame(NamedTuple):
    """A game that was played to its end."""

    deck: list[int]  # 50 identities in deal order
    actions: list[int]
    score: int  # 0 after the third strike
    members: list[Member]


def play_number(community: Community, players: int, seed: int, number: int) -> CommunityGame:
    """The game of this number; it depends on nothing but the arguments."""
    luck = random.Random(f"{seed} {number}")
    deck = sorted(CARDS, key=lambda _: luck.random())
    return play_game(deck, community.seat(players, luck), luck)


def play_game(deck: list[int], members: Sequence[Member], luck: random.Random) -> CommunityGame:
    """Plays until the rules end the game."""
    players = len(members)
    tables = [open_table(deck, players, seat, member.level) for seat, member in enumerate(members)]
    public = tables[0]
    actions: list[int] = []
    while public.lives > 0 and public.turns_left > 0 and sum(public.stacks) < 25:
        seat = public.actor
        action = action_id(tables[seat], choose_as_people_do(tables[seat], members[seat].habits, luck))
        if not is_legal(tables[seat], deck, action):
            raise AssertionError(f"action {action} on turn {len(actions)} of deck {deck} is not legal")
        actions.append(action)
        for table in tables:
            advance(table, deck, action)
    return CommunityGame(deck, actions, sum(public.stacks) if public.lives else 0, list(members))


def is_legal(table: Notebook, deck: Sequence[int], action: int) -> bool:
    """May the seat to move do this?"""
    if action < table.hand_size:
        return table.info < MAX_INFO
    clue = clue_of(table, deck, action)
    return clue is None or (table.info > 0 and bool(clue.touched))
