"""What moves do to the notes: clues are read and written down, plays and discards confirm or refute promises."""

from __future__ import annotations

from coplay.worlds.hanabi.bots.hgroup.cards import ALL, RANK_SET, members, single, union
from coplay.worlds.hanabi.bots.hgroup.labels import PLAYS, SAVES, ClueLabel
from coplay.worlds.hanabi.bots.hgroup.reading import (
    Candidate,
    Meaning,
    Notice,
    explain,
    interpret,
    notice,
    order_of_ones,
)
from coplay.worlds.hanabi.bots.hgroup.settle import count, settle
from coplay.worlds.hanabi.bots.hgroup.table import MAX_INFO, Clue, Link, Notebook, Wait


def deal(table: Notebook, cards: list[list[int]]) -> None:
    """The opening hands, seat by seat, -1 for cards the viewer cannot see."""
    for seat, hand in enumerate(cards):
        for identity in hand:
            table.draw(seat, identity)
    count(table)
    for seat in range(table.players):
        settle(table, seat)


def hear_clue(table: Notebook, clue: Clue) -> Meaning:
    """Enters a clue: its facts, its meaning, and what the others now expect of each other."""
    mind = table.viewer if table.viewer >= 0 else clue.giver
    before = notice(table, clue)
    enter_facts(table, clue, before)
    meaning = interpret(table, clue, before, mind, explain(table, clue, before, mind))
    enter_meaning(table, meaning)
    return meaning


def enter_facts(table: Notebook, clue: Clue, before: Notice) -> None:
    """The first half of a clue: what it says about the cards of the hand."""
    if before.chop in clue.touched:
        table.was_chop |= 1 << before.chop
    named = clue.members
    other = ALL & ~named
    touched = union(clue.touched)
    possible = table.possible
    for order in table.hands[clue.target]:
        if touched >> order & 1:
            possible[order] = possible[order] & named or named
            table.clued_on[order] = table.turn
            if table.clued_by[order] < 0:
                table.clued_by[order] = clue.giver
        else:
            possible[order] = possible[order] & other or other
    table.touched |= touched
    table.finessed &= ~touched
    settle(table, clue.target)


def enter_meaning(table: Notebook, meaning: Meaning) -> None:
    """The second half: what it promises, to whom, and that the turn passes."""
    _write(table, meaning)
    table.info -= 1
    if table.deck_left == 0:
        table.turns_left -= 1
    busy = meaning.label in SAVES or meaning.label is ClueLabel.FINESSE or bool(meaning.moved)
    _pass_turn(table, meaning.clue.giver, -1, -1, busy)


def _write(table: Notebook, meaning: Meaning) -> None:
    clue, focus = meaning.clue, meaning.focus
    target = clue.target
    if meaning.label is ClueLabel.FIX:
        for order in clue.touched:
            table.inferred[order] &= table.possible[order]
    else:
        note, truth = meaning.inferred, meaning.truth
        if truth is not None and any(link.seat == table.viewer for link in truth.links):
            note |= 1 << truth.identity  # the receiver sees the viewer's cards
        if note:
            table.inferred[focus] = note
    table.moved |= union(meaning.moved)
    if meaning.candidates and (meaning.label in PLAYS or meaning.label in SAVES):
        table.focused |= 1 << focus
    _expect(table, meaning)
    settle(table, target)


def _expect(table: Notebook, meaning: Meaning) -> None:
    """Writes down who has to play what before the focus can."""
    truth = meaning.truth
    stories = list(meaning.candidates)
    if truth is not None:
        stories = [story for story in stories if story.identity != truth.identity]
        stories.append(truth)
    for story in stories:
        links = tuple(link for link in story.links if link.kind != "known")
        if not links:
            continue
        certain = story is truth or (truth is None and len(stories) == 1)
        clue = meaning.clue
        table.waits.append(
            Wait(clue.giver, clue.target, meaning.focus, story.identity, story.links, certain, table.turn)
        )
        if certain:
            _call(table, links)
        elif truth is None and links[0].seat == clue.target:
            _call_self(table, stories)


def _call(table: Notebook, links: tuple[Link, ...]) -> None:
    """The linked cards are now expected to be what they must be."""
    for link in links:
        table.inferred[link.order] = 1 << link.identity
        if link.kind == "finesse":
            table.finessed |= 1 << link.order


def _call_self(table: Notebook, stories: list[Candidate]) -> None:
    """The receiver must find the first missing card in his own hand, whichever story is true."""
    notes: dict[int, int] = {}
    for story in stories:
        for link in story.links:
            if link.kind != "known":
                notes[link.order] = notes.get(link.order, 0) | 1 << link.identity
                if link.kind == "finesse":
                    table.finessed |= 1 << link.order
                break
    for order, note in notes.items():
        table.inferred[order] = note


def see_play(table: Notebook, seat: int, order: int, identity: int, drawn: int | None) -> bool:
    """A card is played (drawn: identity of the new card, -1 unseen, None if the deck is empty); True if it scored."""
    scored = bool(table.playable & (1 << identity))
    promised, blind = table.gotten(order), bool(table.finessed >> order & 1)
    if table.level >= 4:
        _order_chop_move(table, seat, order)
    table.remove(order, identity, scored)
    if scored:
        if identity % 5 == 4 and table.info < MAX_INFO:
            table.info += 1
    else:
        table.lives -= 1
        if promised:
            _void(table, seat, order)
    _after_card(table, seat, order, identity if scored else -1, drawn, blind)
    return scored


def _order_chop_move(table: Notebook, seat: int, order: int) -> None:
    """Playing an unknown 1 before k earlier ones moves the chop of the k-th next player."""
    ones = RANK_SET[0]
    open_ones = [
        other
        for other in table.hands[seat]
        if table.touched >> other & 1 and table.possible[other] & ~ones == 0 and single(table.inferred[other]) < 0
    ]
    if order in open_ones:
        skipped = order_of_ones(table, open_ones).index(order)
        if 0 < skipped < table.players:
            chop = table.chop((seat + skipped) % table.players)
            if chop >= 0:
                table.moved |= 1 << chop


def see_discard(table: Notebook, seat: int, order: int, identity: int, drawn: int | None) -> None:
    """A card is discarded; a touched useful card says that somebody else holds its twin."""
    chop = table.chop(seat)
    sarcastic = table.touched >> order & 1 and not table.trash & (1 << identity)
    table.remove(order, identity, False)
    table.info = min(MAX_INFO, table.info + 1)
    if order == chop:
        table.early = False
    if sarcastic and table.level >= 3:
        _transfer(table, seat, identity)
    _after_card(table, seat, order, -1, drawn)


def _after_card(table: Notebook, seat: int, order: int, scored: int, drawn: int | None, blind: bool = False) -> None:
    if drawn is not None:
        table.draw(seat, drawn)
    else:
        table.turns_left -= 1
    count(table)
    _pass_turn(table, seat, order, scored, blind)
    for other in range(table.players):
        settle(table, other)


def _void(table: Notebook, seat: int, failed: int) -> None:
    """A promise failed: notes that came with the same clue are void, and so are stories that needed the card."""
    if table.touched >> failed & 1:
        for order in table.hands[seat]:
            if table.touched >> order & 1 and table.clued_on[order] == table.clued_on[failed]:
                table.inferred[order] = table.possible[order]
    broken = [wait for wait in table.waits if any(link.order == failed for link in wait.links)]
    for wait in broken:
        for link in wait.links:
            if link.kind == "finesse" and table.holder[link.order] >= 0:
                table.finessed &= ~(1 << link.order)
                table.inferred[link.order] = table.possible[link.order]
        if table.holder[wait.focus] >= 0 and wait.target == table.viewer:
            table.inferred[wait.focus] = table.possible[wait.focus]
    table.waits = [wait for wait in table.waits if wait not in broken]


def _transfer(table: Notebook, seat: int, identity: int) -> None:
    """A sarcastic discard: the holder of the other touched copy now knows it, if only one of his cards can be it."""
    bit = 1 << identity
    for other in range(table.players):
        if other == seat:
            continue
        fitting = [order for order in table.hands[other] if table.touched >> order & 1 and table.inferred[order] & bit]
        if len(fitting) == 1 and table.known[fitting[0]] in (identity, -1):
            table.inferred[fitting[0]] = bit
            return


def _pass_turn(table: Notebook, seat: int, order: int, scored: int, busy: bool) -> None:
    """Every expectation is compared with what the seat just did; `busy` moves may come before a promised play."""
    if table.waits:
        keep: list[Wait] = []
        for wait in table.waits:
            after = _follow(table, wait, seat, order, scored, busy)
            if after is not None:
                keep.append(after)
        table.waits = keep
    forgotten = table.finessed & table.held
    if forgotten:
        for wait in table.waits:
            for link in wait.links:
                forgotten &= ~(1 << link.order)
        for other in members(forgotten):
            table.inferred[other] = table.possible[other]
        table.finessed &= ~forgotten
    table.turn += 1
    table.actor = (seat + 1) % table.players


def _follow(table: Notebook, wait: Wait, seat: int, order: int, scored: int, busy: bool) -> Wait | None:
    if table.holder[wait.focus] < 0:
        return None
    links = wait.links
    if links and scored >= 0 and links[0].order == order:
        link = links[0]
        if link.identity == scored:
            _demonstrate(table, wait, link)
            return wait._replace(links=links[1:]) if len(links) > 1 else None
        newer = -1 << (order + 1)
        deeper = table.finesse_position(seat, newer) if link.kind == "finesse" and table.level >= 5 else -1
        if deeper < 0 or not wait.certain:
            return None
        below = link._replace(order=deeper)
        _call(table, (below,))
        return wait._replace(links=(below, *links[1:]))
    while links and table.played & (1 << links[0].identity):
        links = links[1:]
    if not links:
        return None
    link = links[0]
    if link.kind == "finesse" and table.touched >> link.order & 1:
        link = link._replace(kind="known")  # somebody clued it since
        links = (link, *links[1:])
    due = link.seat == seat and wait.turn < table.turn and link.kind != "known"
    if due and table.playable & (1 << link.identity) and not busy and table.viewer != seat:
        _refute(table, wait)
        return None
    return wait._replace(links=links) if links is not wait.links else wait


def _demonstrate(table: Notebook, wait: Wait, link: Link) -> None:
    """A surprising play shows which story about the focus is true."""
    if link.kind == "known":
        return
    bits = 0
    for other in table.waits:
        if other.focus == wait.focus and any(
            one.order == link.order and one.identity == link.identity for one in other.links
        ):
            bits |= 1 << other.identity
    if bits & table.possible[wait.focus]:
        table.inferred[wait.focus] = bits & table.possible[wait.focus]


def _refute(table: Notebook, wait: Wait) -> None:
    """The player who had to play did not: the story is false."""
    rest = table.inferred[wait.focus] & ~(1 << wait.identity)
    if rest:
        table.inferred[wait.focus] = rest
    if wait.certain:
        for link in wait.links:
            if table.holder[link.order] >= 0 and link.kind == "finesse":
                table.finessed &= ~(1 << link.order)
                table.inferred[link.order] = table.possible[link.order]
