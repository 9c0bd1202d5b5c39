"""Choosing a move: the clue, play or discard that the conventions recommend from one seat's table.

A clue whose reading would make somebody misplay, or that leaves a false note on its focus, is never given while
anything else is legal (weighing.py marks the honest ones).
"""

from __future__ import annotations

from typing import NamedTuple

from coplay.worlds.hanabi.bots.hgroup.cards import COPIES, RANK_SET, single
from coplay.worlds.hanabi.bots.hgroup.deciding.habits import USUAL, Habits
from coplay.worlds.hanabi.bots.hgroup.deciding.outlook import outlook
from coplay.worlds.hanabi.bots.hgroup.deciding.weighing import Offers, Option, danger
from coplay.worlds.hanabi.bots.hgroup.labels import ClueLabel
from coplay.worlds.hanabi.bots.hgroup.reading import order_of_ones
from coplay.worlds.hanabi.bots.hgroup.table import MAX_INFO, Clue, Notebook

CALLED = 1.0  # how much more danger it takes to come before a blind play than before another one
WAKES = 3  # up to this many players an idle neighbour is worth more than an own play


class Move(NamedTuple):
    """A move by card order: kind is "play", "discard" or "clue"."""

    kind: str
    order: int = -1
    clue: Clue | None = None


def choose(table: Notebook, habits: Habits = USUAL, offers: Offers | None = None) -> Move:
    """The viewer's move; he must be the one to act. Clues that were weighed already can be handed over."""
    plays = sure_plays(table)
    offers = offers or Offers(table, outlook(table), habits)
    if table.deck_left == 0:
        return last_turn(table, plays, offers)
    blind = [order for order in plays if table.finessed >> order & 1]
    bar = habits.urgent + CALLED if blind else habits.urgent
    urgent = urgent_clue(table, offers, bar) or fix_clue(table, offers)
    if urgent is not None:
        return give(urgent)
    if blind:
        return Move("play", first_called(table, blind))
    if plays:
        waking = waking_clue(table, offers) if habits.wake else None
        return give(waking) if waking is not None else Move("play", best_play(table, plays))
    clue = useful_clue(table, offers)
    if clue is not None:
        return give(clue)
    discard = pick_discard(table)
    if table.info == MAX_INFO or (discard < 0 and table.info > 0):
        return stall(table, offers)
    return Move("discard", discard if discard >= 0 else least_harm(table))


def give(option: Option) -> Move:
    """The clue as a move."""
    return Move("clue", clue=option.clue)


def best_of(options: list[Option]) -> Option | None:
    """The option of the highest value, the first of equals."""
    return max(options, key=lambda option: option.value, default=None)


def useful_clue(table: Notebook, offers: Offers) -> Option | None:
    """A clue that makes cards play, else one that lessens a danger, else (early game) a 5 stall."""
    options = offers.honest()
    best = best_of(options)
    if best is not None and best.gain > 0 and best.value > 0:
        return best
    saving = best_of([option for option in options if option.saved > 0 and option.value > 0])
    if saving is not None and table.info > 1:
        return saving
    if table.early and offers.habits.stall:
        return best_of([o for o in options if o.meaning.label is ClueLabel.FIVE_STALL and o.saved >= 0])
    return None


def waking_clue(table: Notebook, offers: Offers) -> Option | None:
    """A play clue to the next player if he has nothing to play: two players at work are better than one."""
    follower = (table.viewer + 1) % table.players
    if table.players > WAKES or table.info < 2 or table.known_plays(follower):
        return None
    return best_of(
        [o for o in offers.honest_to(follower) if o.gain > 0 and o.value > 0 and o.table.known_plays(follower)]
    )


def last_turn(table: Notebook, plays: list[int], offers: Offers) -> Move:
    """The deck is empty: everybody has one turn left, so only points made at once count."""
    if plays:
        return Move("play", best_play(table, plays))
    after = {(table.viewer + step) % table.players for step in range(1, table.turns_left)}
    helping = [o for o in offers.honest() if o.gain > 0]
    clue = best_of([o for o in helping if any(table.holder[order] in after for order in o.ahead.plays)])
    if clue is not None:
        return give(clue)
    if table.lives > 1:
        guess = max(table.hands[table.viewer], key=lambda order: chance(table, order))
        if chance(table, guess) > 0:
            return Move("play", guess)
    if table.info < MAX_INFO:
        discard = pick_discard(table)
        return Move("discard", discard if discard >= 0 else least_harm(table))
    return stall(table, offers)


def chance(table: Notebook, order: int) -> float:
    """How likely an own card is to play, over the copies the viewer does not see."""
    me = table.viewer
    note = table.inferred[order] & table.possible[order] or table.possible[order]
    total = good = 0
    while note:
        identity = note.bit_length() - 1
        note &= ~(1 << identity)
        unseen = COPIES[identity] - table.gone[identity]
        unseen -= sum(table.known[o] == identity for seat, hand in enumerate(table.hands) if seat != me for o in hand)
        total += max(unseen, 0)
        good += max(unseen, 0) if table.playable & (1 << identity) else 0
    return good / total if total else 0.0


def sure_plays(table: Notebook) -> list[int]:
    """Own cards that may be played now; with one life left only those that were promised, not merely deduced."""
    plays = table.known_plays(table.viewer)
    if table.lives > 1:
        return plays
    return [
        order
        for order in plays
        if (table.focused | table.finessed) >> order & 1 or table.possible[order] & ~table.playable == 0
    ]


def first_called(table: Notebook, blind: list[int]) -> int:
    """The card of the oldest finesse."""
    for wait in table.waits:
        for link in wait.links:
            if link.order in blind:
                return link.order
    return blind[0]


def best_play(table: Notebook, plays: list[int]) -> int:
    """Cards that lead into others' gotten cards first, then 5s, then the lowest; open 1s in their order."""
    ones = [order for order in plays if table.possible[order] & ~RANK_SET[0] == 0 and single(table.inferred[order]) < 0]
    first = order_of_ones(table, ones)[0] if ones else -1

    def rate(order: int) -> tuple[int, int]:
        note = table.inferred[order]
        lead = 0
        for seat, hand in enumerate(table.hands):
            for other in hand:
                if other != order and table.gotten(other):
                    want = table.known[other] if seat != table.viewer else single(table.inferred[other])
                    if want > 0 and want % 5 > 0 and note & (1 << (want - 1)):
                        lead = max(lead, 2 if seat != table.viewer else 1)
        five = note & ~RANK_SET[4] == 0
        lowest = (note & -note).bit_length() - 1
        return (lead * 2 + five, -(lowest % 5))

    candidates = [order for order in plays if order not in ones or order == first]
    return max(candidates, key=rate)


def urgent_clue(table: Notebook, offers: Offers, bar: float) -> Option | None:
    """The best clue that keeps the next player from throwing away something that matters."""
    seat = (table.viewer + 1) % table.players
    threat = danger(table, seat)
    if threat < bar:
        return None
    helping = [option for option in offers.honest() if danger(option.table, seat) < threat - 0.5]
    return best_of(helping)


def pick_discard(table: Notebook) -> int:
    """Known trash, then a twin somebody else holds, then the chop; -1 if locked."""
    me = table.viewer
    trash = table.known_trash(me)
    if trash:
        return trash[0]
    return table.chop(me)


def least_harm(table: Notebook) -> int:
    """The card of a locked hand that is most likely not the last of its kind."""
    hand = table.hands[table.viewer]

    def risk(order: int) -> float:
        note = table.inferred[order]
        return (note & table.critical).bit_count() / note.bit_count()

    return min(hand, key=risk)


def stall(table: Notebook, offers: Offers) -> Move:
    """The clue that does the least harm when there is nothing to say."""
    options = offers.honest() or offers.every()
    best = max(options, key=lambda option: (option.ahead.wrong < 0, option.value), default=None)
    if best is not None:
        return give(best)
    return Move("discard", least_harm(table))


def fix_clue(table: Notebook, offers: Offers) -> Option | None:
    """A clue that stops the next player from misplaying."""
    seat, base = (table.viewer + 1) % table.players, offers.base
    if base.wrong < 0 or table.holder[base.wrong] != seat or not table.plays(base.wrong, table.playable):
        return None
    helping = [option for option in offers.honest() if option.ahead.wrong < 0]
    return best_of(helping)
