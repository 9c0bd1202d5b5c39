"""Recorded games read from the outside: what every move meant, and which principles it broke.

The reader sees all hands (a table without a viewer); each clue is labelled as its giver means it, each play and discard
by what its holder had been told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from coplay.worlds.hanabi.bots.hgroup.labels import PLAYS, SAVES, ClueLabel, DiscardLabel, PlayLabel, Violation
from coplay.worlds.hanabi.bots.hgroup.reading import Meaning
from coplay.worlds.hanabi.bots.hgroup.table import Clue, Notebook
from coplay.worlds.hanabi.bots.hgroup.update import deal, hear_clue, see_discard, see_play


class MoveReading(NamedTuple):
    """One move of a game in the words of the conventions."""

    seat: int
    kind: str  # "play", "discard" or "clue"
    label: ClueLabel | PlayLabel | DiscardLabel
    violations: tuple[Violation, ...]
    meaning: Meaning | None  # of a clue
    promised_save: bool  # a clue whose receiver must also think of a save


def read_game(deck: Sequence[int], actions: Sequence[int], players: int, level: int = 5) -> list[MoveReading]:
    """What every move of a recorded game meant.

    `deck`: 50 identities (colour * 5 + rank) in deal order; `actions`: the acting seats' action ids, seat 0 first; ids
    below 0 end the game.
    """
    table = open_table(deck, players, -1, level)
    readings: list[MoveReading] = []
    for action in actions:
        if action < 0:
            break
        readings.append(_read(table, deck, int(action)))
    return readings


def open_table(deck: Sequence[int], players: int, viewer: int, level: int = 5) -> Notebook:
    """The start of a game on this deck as the viewer sees it (-1: sees everything)."""
    table = Notebook(players, viewer, level)
    size = table.hand_size
    deal(
        table,
        [[-1 if seat == viewer else int(deck[seat * size + slot]) for slot in range(size)] for seat in range(players)],
    )
    return table


def advance(table: Notebook, deck: Sequence[int], action: int) -> Meaning | None:
    """Enters the action of the seat to move; the meaning of a clue, else None."""
    seat, size = table.actor, table.hand_size
    clue = clue_of(table, deck, action)
    if clue is not None:
        return hear_clue(table, clue)
    order = table.hands[seat][action % size]
    drawn = None
    if table.deck_left:
        drawn = -1 if table.viewer == seat else int(deck[table.next_order])
    see = see_discard if action < size else see_play
    see(table, seat, order, int(deck[order]), drawn)
    return None


def clue_of(table: Notebook, deck: Sequence[int], action: int) -> Clue | None:
    """The clue an action id stands for, None for plays and discards."""
    seat, others = table.actor, table.players - 1
    number = action - 2 * table.hand_size
    if number < 0:
        return None
    is_rank = number >= 5 * others
    step, value = divmod(number - 5 * others * is_rank, 5)
    target = (seat + 1 + step) % table.players
    touched = tuple(
        order for order in table.hands[target] if (deck[order] % 5 if is_rank else deck[order] // 5) == value
    )
    return Clue(seat, target, is_rank, value, touched)


def _read(table: Notebook, deck: Sequence[int], action: int) -> MoveReading:
    seat, size = table.actor, table.hand_size
    missed = _missed_save(table, seat)
    skipped = bool(table.known_plays(seat))
    clue = clue_of(table, deck, action)
    if clue is not None:
        before = table.copy()
        meaning = advance(table, deck, action)
        assert meaning is not None
        broken = _clue_violations(before, table, meaning)
        if missed and _missed_save(table, seat):
            broken.append(Violation.MISSED_SAVE)
        both = meaning.label in PLAYS and any(candidate.save for candidate in meaning.candidates)
        retouch = not meaning.notice.fresh and not before.moved >> meaning.focus & 1
        plain = meaning.label in (ClueLabel.PLAY, ClueLabel.DELAYED)
        label = ClueLabel.TEMPO if retouch and plain else meaning.label
        return MoveReading(seat, "clue", label, tuple(broken), meaning, both)
    order = table.hands[seat][action % size]
    broken = [Violation.MISSED_SAVE] if missed and table.info > 0 else []
    if action < size:
        label = _discard_label(table, seat, order, int(deck[order]))
        broken += _discard_violations(table, label, skipped)
        kind = "discard"
    else:
        label = _play_label(table, order)
        if label is PlayLabel.GAMBLE and table.deck_left:
            broken.append(Violation.GAMBLE)
        kind = "play"
    advance(table, deck, action)
    return MoveReading(seat, kind, label, tuple(broken), None, False)


def _play_label(table: Notebook, order: int) -> PlayLabel:
    if table.finessed >> order & 1:
        return PlayLabel.FINESSED
    if table.possible[order] & ~table.playable == 0:
        return PlayLabel.KNOWN
    if any(link.order == order and link.kind == "prompt" for wait in table.waits for link in wait.links):
        return PlayLabel.PROMPTED
    return PlayLabel.PROMISED if table.plays(order, table.playable) else PlayLabel.GAMBLE


def _discard_label(table: Notebook, seat: int, order: int, identity: int) -> DiscardLabel:
    if order in table.known_trash(seat):
        useful = not table.trash & (1 << identity)
        return DiscardLabel.SARCASTIC if useful and table.touched >> order & 1 else DiscardLabel.KNOWN_TRASH
    if order == table.chop(seat):
        return DiscardLabel.CHOP
    return DiscardLabel.GOTTEN if table.gotten(order) else DiscardLabel.OTHER


def _discard_violations(table: Notebook, label: DiscardLabel, skipped: bool) -> list[Violation]:
    broken: list[Violation] = []
    if skipped:
        broken.append(Violation.SKIPPED_PLAY)
    if label in (DiscardLabel.GOTTEN, DiscardLabel.OTHER):
        broken.append(Violation.NON_CHOP)
    if label is DiscardLabel.CHOP and table.early and table.info > 0 and _five_to_stall(table):
        broken.append(Violation.EARLY)
    return broken


def _five_to_stall(table: Notebook) -> bool:
    """Is there an untouched 5 in another hand that could be clued instead of discarding?"""
    seat = table.actor
    return any(
        table.known[order] % 5 == 4 and not table.touched >> order & 1
        for other, hand in enumerate(table.hands)
        if other != seat
        for order in hand
    )


def _clue_violations(before: Notebook, after: Notebook, meaning: Meaning) -> list[Violation]:
    label, notice = meaning.label, meaning.notice
    broken: list[Violation] = []
    taken = before.elsewhere(meaning.clue.giver, -1)
    exempt = label in (ClueLabel.FIX, ClueLabel.TRASH_CHOP_MOVE, ClueLabel.LOCKED_SAVE)
    for order in notice.fresh:
        bit = 1 << before.known[order]
        if bit & (before.trash | taken) and not exempt and Violation.GOOD_TOUCH not in broken:
            broken.append(Violation.GOOD_TOUCH)
        taken |= bit
    if notice.severity == 0 and not notice.fresh and not meaning.moved and label is not ClueLabel.FIX:
        broken.append(Violation.MINIMUM_VALUE)
    if label is ClueLabel.UNEXPLAINED and notice.fresh:
        broken.append(Violation.WRONG_SAVE if meaning.focus == notice.chop else Violation.UNPLAYABLE)
    elif label in PLAYS or label in SAVES:
        promised = after.inferred[meaning.focus] & (1 << after.known[meaning.focus])
        if not promised:
            broken.append(Violation.UNPLAYABLE)
    return broken


def _missed_save(table: Notebook, seat: int) -> bool:
    """Would the next player, with nothing else to do, now discard a card that has to be saved?"""
    follower = (seat + 1) % table.players
    chop = table.chop(follower)
    if chop < 0 or table.known_plays(follower) or table.known_trash(follower):
        return False
    identity = table.known[chop]
    bit = 1 << identity
    if table.trash & bit:
        return False
    if table.critical & bit:
        return True
    copies = sum(table.known[order] == identity for hand in table.hands for order in hand)
    return copies == 1 and (identity % 5 == 1 or bool(table.playable & bit))
