"""Choosing a move: the clue, play or discard that the conventions recommend from one seat's table.

Every clue is tried on a copy of the table with the same reader the partners use; a clue whose reading would make
somebody misplay, or that leaves a false note on its focus, is never given while anything else is legal.
"""

from __future__ import annotations

from typing import NamedTuple

from coplay.agents.hanabi.hgroup.connect import connect
from coplay.agents.hanabi.hgroup.labels import PLAYS, SAVES, STALLS, ClueLabel
from coplay.agents.hanabi.hgroup.outlook import Outlook, outlook
from coplay.agents.hanabi.hgroup.reading import Meaning, order_of_ones
from coplay.agents.hanabi.hgroup.table import COPIES, MAX_INFO, RANK_SET, Clue, Table, single
from coplay.agents.hanabi.hgroup.update import hear_clue


W = {"wake_info": 1, "wake_players": 5, "bad": 0.8, "early": 1.0, "save": 0.5, "kept": 0.1, "fresh": 0.1, "cost": 0.5, "retouch": 0.0, "other": 0.4, "bar": 1.9, "spare": 1, "twin": 1.0, "five": 0}


class Move(NamedTuple):
    """A move by card order: kind is "play", "discard" or "clue"."""

    kind: str
    order: int = -1
    clue: Clue | None = None


class Option(NamedTuple):
    """A clue that could be given and what it would do."""

    clue: Clue
    meaning: Meaning
    table: Table  # after the clue
    ahead: Outlook
    gain: int  # cards that will play because of it
    saved: float  # worth of cards kept from the discard pile
    bad: float  # touched cards that are trash or twins
    value: float
    honest: bool  # nobody would misread it


def choose(table: Table) -> Move:
    """The viewer's move; he must be the one to act."""
    me = table.viewer
    plays = sure_plays(table)
    base = outlook(table)
    tried = weigh_all(table, base) if table.info > 0 else []
    options = [option for option in tried if option.honest]
    blind = [order for order in plays if table.finessed[order]]
    urgent = urgent_clue(table, options, 2.9 if blind else W['bar'])
    if urgent is not None:
        return Move("clue", clue=urgent.clue)
    fix = fix_clue(table, base, options)
    if fix is not None:
        return Move("clue", clue=fix.clue)
    if blind:
        return Move("play", first_called(table, blind))
    best = max(options, key=lambda option: option.value, default=None)
    if plays:
        follower = (me + 1) % table.players
        waking = [o for o in options if o.gain > 0 and o.clue.target == follower and o.value > 0]
        if waking and table.info > W['wake_info'] and table.players <= W['wake_players'] and not table.known_plays(follower):
            waking = [o for o in waking if o.table.known_plays(follower)]
            if waking:
                return Move("clue", clue=max(waking, key=lambda option: option.value).clue)
        return Move("play", best_play(table, plays))
    if best is not None and best.gain > 0 and best.value > 0:
        return Move("clue", clue=best.clue)
    saving = [option for option in options if option.saved > 0 and option.value > 0]
    if saving and table.info > W['spare']:
        return Move("clue", clue=max(saving, key=lambda option: option.value).clue)
    if table.early:
        stalls = [o for o in options if o.meaning.label is ClueLabel.FIVE_STALL and o.saved >= 0]
        if stalls:
            return Move("clue", clue=stalls[0].clue)
    if table.info == MAX_INFO:
        return stall(table, tried)
    discard = pick_discard(table)
    if discard < 0:
        if table.info > 0:
            return stall(table, tried)
        return Move("discard", least_harm(table))
    return Move("discard", discard)


def sure_plays(table: Table) -> list[int]:
    """Own cards that may be played now; with one life left only those that were promised, not merely deduced."""
    plays = table.known_plays(table.viewer)
    if table.lives > 1:
        return plays
    return [
        order
        for order in plays
        if table.focused[order] or table.finessed[order] or table.possible[order] & ~table.playable == 0
    ]


def first_called(table: Table, blind: list[int]) -> int:
    """The card of the oldest finesse."""
    for wait in table.waits:
        for link in wait.links:
            if link.order in blind:
                return link.order
    return blind[0]


def best_play(table: Table, plays: list[int]) -> int:
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


def clues(table: Table) -> list[Clue]:
    """Every legal clue of the viewer."""
    me = table.viewer
    found: list[Clue] = []
    for step in range(1, table.players):
        target = (me + step) % table.players
        hand = table.hands[target]
        for is_rank in (False, True):
            groups: dict[int, list[int]] = {}
            for order in hand:
                seen = table.known[order]
                groups.setdefault(seen % 5 if is_rank else seen // 5, []).append(order)
            for value in sorted(groups):
                found.append(Clue(me, target, is_rank, value, tuple(groups[value])))
    return found


def weigh_all(table: Table, base: Outlook) -> list[Option]:
    """All clues with their worth; those that would mislead are marked."""
    threats = [danger(table, seat) for seat in range(table.players)]
    return [weigh(table, clue, base, threats) for clue in clues(table)]


def weigh(table: Table, clue: Clue, base: Outlook, threats: list[float]) -> Option:
    """What the clue would do."""
    twin = table.copy()
    meaning = hear_clue(twin, clue, table.viewer)
    label = meaning.label
    ahead = outlook(twin)
    bad = bad_touches(table, meaning)
    gain = len(ahead.plays) - len(base.plays)
    saved = risk(table, threats) - risk(table, [danger(twin, seat) for seat in range(table.players)])
    kept = worth_saved(table, meaning, ahead)
    fresh = sum(1 for order in meaning.notice.fresh if not table.trash & (1 << table.known[order]))
    value = gain + W['save'] * saved + W['kept'] * kept + W['fresh'] * (fresh - bad) - W['bad'] * bad - W['cost'] - (0 if meaning.notice.fresh else W['retouch'])
    if label in STALLS:
        value -= 1
    if not clue.is_rank:
        value += 0.02
    honest = not misleads(table, twin, meaning) and (ahead.wrong < 0 or ahead.wrong == base.wrong)
    return Option(clue, meaning, twin, ahead, gain, saved, bad, value, honest)


def misleads(table: Table, twin: Table, meaning: Meaning) -> bool:
    """Would somebody believe something false about the focus or the cards before it?"""
    label, focus = meaning.label, meaning.focus
    if label is ClueLabel.UNEXPLAINED or (label is ClueLabel.FIX and meaning.notice.fresh):
        return True
    if label in PLAYS or label in SAVES:
        if not twin.inferred[focus] & (1 << table.known[focus]):
            return True
        if meaning.truth is not None and not agreed(table, twin, meaning):
            return True
    return False


def agreed(table: Table, twin: Table, meaning: Meaning) -> bool:
    """Will every other player find the same cards to play first, and nobody play a wrong one?"""
    truth = meaning.truth
    if truth is None or truth.save:
        return True
    inside = [link for link in truth.links if link.kind == "finesse" and link.seat == meaning.clue.target]
    if any(link.identity // 5 != truth.identity // 5 for link in inside):
        return False  # he would stop at the first surprise
    if any(twin.inferred[link.order] & ~table.playable for link in inside[:1]):
        return False  # he would not know yet whether to play it
    if not any(link.kind != "known" for link in truth.links):
        if not truth.links:
            return True
    for seat in range(table.players):
        if seat in (table.viewer, meaning.clue.target):
            continue
        links = connect(table_before(twin, meaning), meaning.clue, meaning.focus, truth.identity, seat, meaning.notice.fresh)
        if links is None:
            return False
        for link in links:
            if link.seat == seat and link.kind != "known" and table.known[link.order] != link.identity:
                return False
        mine = [link.order for link in truth.links if link.seat == seat and link.kind != "known"]
        theirs = [link.order for link in links if link.seat == seat and link.kind != "known"]
        if mine and theirs[:1] != mine[:1]:
            return False
    return True


def table_before(twin: Table, meaning: Meaning) -> Table:
    """The table with the clue's facts but without the expectations it raised."""
    bare = twin.copy()
    if meaning.truth is not None:
        for link in meaning.truth.links:
            if link.kind == "finesse":
                bare.finessed[link.order] = False
                bare.inferred[link.order] = bare.possible[link.order]
            elif link.kind == "prompt":
                bare.inferred[link.order] = bare.possible[link.order]
    return bare


def bad_touches(table: Table, meaning: Meaning) -> float:
    """New cards that are trash, or twins of gotten cards."""
    bad = 0.0
    taken = table.elsewhere(-1, -1)
    for wait in table.waits:
        for link in wait.links:
            taken |= 1 << link.identity
    for order in meaning.notice.fresh:
        bit = 1 << table.known[order]
        if bit & (table.trash | taken):
            bad += meaning.label is not ClueLabel.TRASH_CHOP_MOVE
        else:
            bad += own_twin(table, bit)
        taken |= bit
    if meaning.truth is not None:
        for link in meaning.truth.links:
            if link.kind == "finesse":
                bad += own_twin(table, 1 << link.identity)
    return bad


def own_twin(table: Table, bit: int) -> float:
    """How likely the viewer himself holds the card among those he was clued."""
    chance = 0.0
    for order in table.hands[table.viewer]:
        note = table.inferred[order]
        if note & bit and table.gotten(order):
            chance = max(chance, W['twin'] / note.bit_count())
    return chance


def danger(table: Table, seat: int) -> float:
    """How bad it would be if the seat discarded its chop on its next turn; 0 if it has something better to do."""
    if table.known_plays(seat) or table.known_trash(seat):
        return 0.0
    chop = table.chop(seat)
    return worth(table, chop) * (W['early'] if table.early and table.info > 2 else 1.0) if chop >= 0 else 0.0


def worth(table: Table, order: int) -> float:
    """What the loss of this card would cost."""
    identity = table.known[order]
    if identity < 0:
        return 0.0
    bit = 1 << identity
    if table.trash & bit:
        return 0.0
    copies = sum(table.known[other] == identity for hand in table.hands for other in hand)
    if table.critical & bit:
        return 3.0 if identity % 5 == 4 else 4.0 - 0.2 * (identity % 5)
    if copies > 1:
        return 0.0
    if identity % 5 == 1:
        return 2.0
    if table.playable & bit:
        return 1.5
    return 0.0


def risk(table: Table, threats: list[float]) -> float:
    """The danger of all seats together; the next one moves before anybody can help."""
    me = table.viewer
    return sum(
        threat * (1.0 if (seat - me) % table.players == 1 else W['other']) for seat, threat in enumerate(threats) if seat != me
    )


def worth_saved(table: Table, meaning: Meaning, ahead: Outlook) -> float:
    """The worth of cards that can no longer be discarded by mistake."""
    total = 0.0
    for order in (*meaning.notice.fresh, *meaning.moved):
        if order not in ahead.plays:
            total += worth(table, order)
    return total


def urgent_clue(table: Table, options: list[Option], bar: float) -> Option | None:
    """The best clue that keeps the next player from throwing away something that matters."""
    seat = (table.viewer + 1) % table.players
    threat = danger(table, seat)
    if threat < bar or not options:
        return None
    helping = [option for option in options if danger(option.table, seat) < threat - 0.5]
    return max(helping, key=lambda option: option.value, default=None)


def pick_discard(table: Table) -> int:
    """Known trash, then a twin somebody else holds, then the chop; -1 if locked."""
    me = table.viewer
    trash = table.known_trash(me)
    if trash:
        return trash[0]
    return table.chop(me)


def least_harm(table: Table) -> int:
    """The card of a locked hand that is most likely not the last of its kind."""
    hand = table.hands[table.viewer]

    def risk(order: int) -> float:
        note = table.inferred[order]
        return (note & table.critical).bit_count() / note.bit_count()

    return min(hand, key=risk)


def stall(table: Table, tried: list[Option]) -> Move:
    """The clue that does the least harm when there is nothing to say."""
    best = max(tried, key=lambda option: (option.honest, option.ahead.wrong < 0, option.value), default=None)
    if best is not None:
        return Move("clue", clue=best.clue)
    return Move("discard", least_harm(table))


def fix_clue(table: Table, base: Outlook, options: list[Option]) -> Option | None:
    """A clue that stops the next player from misplaying."""
    seat = (table.viewer + 1) % table.players
    if base.wrong < 0 or table.holder[base.wrong] != seat or not table.plays(base.wrong, table.playable):
        return None
    helping = [option for option in options if option.ahead.wrong < 0]
    return max(helping, key=lambda option: option.value, default=None)
