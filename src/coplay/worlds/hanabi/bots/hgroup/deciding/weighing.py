"""What a clue is worth: every clue is tried on a copy of the table with the same reader the partners use.

The weights were set by hand; the few compared on 80 to 100 paired deals made no difference beyond noise.
"""

from __future__ import annotations

from typing import NamedTuple

from coplay.worlds.hanabi.bots.hgroup.connect import Connections
from coplay.worlds.hanabi.bots.hgroup.deciding.habits import USUAL, Habits
from coplay.worlds.hanabi.bots.hgroup.deciding.outlook import Outlook, outlook
from coplay.worlds.hanabi.bots.hgroup.labels import PLAYS, SAVES, STALLS, ClueLabel
from coplay.worlds.hanabi.bots.hgroup.reading import Meaning, Setting, explain, hopeless, interpret, notice, setting
from coplay.worlds.hanabi.bots.hgroup.table import Clue, Notebook
from coplay.worlds.hanabi.bots.hgroup.update import enter_facts, enter_meaning

# In cards that will play, as are the costs among the habits:
KEPT = 0.1  # per unit of worth that can no longer be discarded by mistake
FRESH = 0.1  # per useful new card
LATER = 0.4  # danger to seats that somebody else can still help


class Option(NamedTuple):
    """A clue that could be given and what it would do."""

    clue: Clue
    meaning: Meaning
    table: Notebook  # after the clue
    ahead: Outlook
    gain: int  # cards that will play because of it
    saved: float  # worth of cards kept from the discard pile
    bad: float  # touched cards that are trash or twins
    value: float
    honest: bool  # nobody would misread it


def clues(table: Notebook, target: int) -> list[Clue]:
    """Every legal clue of the viewer to one seat."""
    found: list[Clue] = []
    for is_rank in (False, True):
        groups: dict[int, list[int]] = {}
        for order in table.hands[target]:
            seen = table.known[order]
            groups.setdefault(seen % 5 if is_rank else seen // 5, []).append(order)
        for value in sorted(groups):
            found.append(Clue(table.viewer, target, is_rank, value, tuple(groups[value])))
    return found


class Offers:
    """The clues of one turn, each weighed when it is first asked for."""

    def __init__(self, table: Notebook, base: Outlook, habits: Habits = USUAL) -> None:
        self.table, self.base, self.habits = table, base, habits
        self._scene: Comparison | None = None
        self._honest: dict[int, list[Option]] = {}  # by receiver

    def every(self) -> list[Option]:
        """All clues; those that would mislead are marked."""
        return [option for target in self._targets() for option in self._weigh(target, False)]

    def honest(self) -> list[Option]:
        """The clues that mislead nobody."""
        return [option for target in self._targets() for option in self.honest_to(target)]

    def honest_to(self, target: int) -> list[Option]:
        """Those that one seat receives."""
        if target not in self._honest:
            self._honest[target] = [option for option in self._weigh(target, True) if self.liked(option)]
        return self._honest[target]

    def liked(self, option: Option) -> bool:
        """Would the giver give it?"""
        return option.honest and (self.habits.finesse or option.meaning.label is not ClueLabel.FINESSE)

    def _targets(self) -> list[int]:
        table = self.table
        return [(table.viewer + step) % table.players for step in range(1, table.players)] if table.info > 0 else []

    def _weigh(self, target: int, honest: bool) -> list[Option]:
        if self._scene is None:
            self._scene = scene(self.table, self.base, self.habits)
        common = setting(self.table, self.table.viewer, target)
        options = [weigh(self._scene, clue, common, honest) for clue in clues(self.table, target)]
        return [option for option in options if option is not None]


class Comparison(NamedTuple):
    """What all clues of one turn are compared with."""

    table: Notebook
    base: Outlook
    threats: list[float]
    risk: float
    taken: int  # identities that are gotten, or will be by what is expected
    habits: Habits


def scene(table: Notebook, base: Outlook, habits: Habits) -> Comparison:
    """The table before the clue."""
    threats = [danger(table, seat) for seat in range(table.players)]
    taken = table.elsewhere(-1, -1)
    for wait in table.waits:
        for link in wait.links:
            taken |= 1 << link.identity
    return Comparison(table, base, threats, risk(table, threats), taken, habits)


def weigh(scene: Comparison, clue: Clue, common: Setting, honest_only: bool) -> Option | None:
    """What the clue would do; None (only if `honest_only`) for one whose reading alone shows that it misleads."""
    table, base, threats, habits = scene.table, scene.base, scene.threats, scene.habits
    twin = table.trial()
    before = notice(twin, clue, common)
    enter_facts(twin, clue, before)
    truth = explain(twin, clue, before, table.viewer)
    if honest_only and truth is None and hopeless(twin, clue, before):
        return None
    meaning = interpret(twin, clue, before, table.viewer, truth)
    enter_meaning(twin, meaning)
    honest = not misleads(table, twin, meaning)
    if honest_only and not honest:
        return None
    ahead = outlook(twin)
    bad = bad_touches(scene, meaning)
    gain = len(ahead.plays) - len(base.plays)
    busy = {clue.target, *(link.seat for link in (meaning.truth.links if meaning.truth else ()))}
    after = [danger(twin, seat) if seat in busy else threat for seat, threat in enumerate(threats)]
    saved = scene.risk - risk(table, after)
    kept = worth_saved(table, meaning, ahead)
    fresh = sum([1 for order in meaning.notice.fresh if not table.trash & table.face[order]])
    value = gain + habits.save * saved + KEPT * kept + FRESH * (fresh - bad) - habits.bad * bad - habits.token
    if meaning.label in STALLS:
        value -= 1
    if not clue.is_rank:
        value += habits.color
    honest = honest and (ahead.wrong < 0 or ahead.wrong == base.wrong)
    return Option(clue, meaning, twin, ahead, gain, saved, bad, value, honest)


def misleads(table: Notebook, twin: Notebook, meaning: Meaning) -> bool:
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


def agreed(table: Notebook, twin: Notebook, meaning: Meaning) -> bool:
    """Will every other player find the same cards to play first, and nobody play a wrong one?"""
    truth = meaning.truth
    if truth is None or truth.save:
        return True
    inside = [link for link in truth.links if link.kind == "finesse" and link.seat == meaning.clue.target]
    if any(link.identity // 5 != truth.identity // 5 for link in inside):
        return False  # he would stop at the first surprise
    if any(twin.inferred[link.order] & ~table.playable for link in inside[:1]):
        return False  # he would not know yet whether to play it
    if not truth.links:
        return True
    bare = _without_calls(twin, meaning)
    for seat in range(table.players):
        if seat in (table.viewer, meaning.clue.target):
            continue
        links = Connections(bare, meaning.clue, meaning.focus, seat, meaning.notice.fresh).lead_to(truth.identity)
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


def _without_calls(twin: Notebook, meaning: Meaning) -> Notebook:
    """The table with the clue's facts but without the expectations it raised."""
    bare = twin.trial()
    if meaning.truth is not None:
        for link in meaning.truth.links:
            if link.kind == "finesse":
                bare.finessed &= ~(1 << link.order)
                bare.inferred[link.order] = bare.possible[link.order]
            elif link.kind == "prompt":
                bare.inferred[link.order] = bare.possible[link.order]
    return bare


def bad_touches(scene: Comparison, meaning: Meaning) -> float:
    """New cards that are trash, or twins of gotten cards."""
    bad = 0.0
    table, taken = scene.table, scene.taken
    for order in meaning.notice.fresh:
        bit = table.face[order]
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


def own_twin(table: Notebook, bit: int) -> float:
    """How likely the viewer himself holds the card among those he was clued."""
    chance = 0.0
    for order in table.hands[table.viewer]:
        note = table.inferred[order]
        if note & bit and table.gotten(order):
            chance = max(chance, 1 / note.bit_count())
    return chance


def danger(table: Notebook, seat: int) -> float:
    """How bad it would be if the seat discarded its chop on its next turn; 0 if it has something better to do."""
    chop = table.chop(seat)
    loss = worth(table, chop) if chop >= 0 else 0.0
    return 0.0 if not loss or table.known_plays(seat) or table.known_trash(seat) else loss


def worth(table: Notebook, order: int) -> float:
    """What the loss of this card would cost."""
    bit = table.face[order]
    if not bit or table.trash & bit:
        return 0.0
    rank = table.known[order] % 5
    if table.critical & bit:
        return 3.0 if rank == 4 else 4.0 - 0.2 * rank
    if table.twins & bit:
        return 0.0
    if rank == 1:
        return 2.0
    return 1.5 if table.playable & bit else 0.0


def risk(table: Notebook, threats: list[float]) -> float:
    """The danger of all seats together; the next one moves before anybody can help."""
    me = table.viewer
    return sum(
        threat * (1.0 if (seat - me) % table.players == 1 else LATER)
        for seat, threat in enumerate(threats)
        if seat != me
    )


def worth_saved(table: Notebook, meaning: Meaning, ahead: Outlook) -> float:
    """The worth of cards that can no longer be discarded by mistake."""
    total = 0.0
    for order in (*meaning.notice.fresh, *meaning.moved):
        if order not in ahead.plays:
            total += worth(table, order)
    return total
