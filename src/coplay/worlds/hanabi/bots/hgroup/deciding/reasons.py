"""Reasons for and against every legal move, as numbers with names.

A taste (tastes.py) weighs them; `studies/fit_community.py` finds the weights that predict real games best. Reasons that
only depend on the position speak for or against a kind of move: they are the `Situation`.
"""

from __future__ import annotations

from typing import NamedTuple

from coplay.worlds.hanabi.bots.hgroup.cards import COPIES, RANK_SET, single
from coplay.worlds.hanabi.bots.hgroup.deciding.choosing import Move, best_play, chance, choose, first_called, sure_plays
from coplay.worlds.hanabi.bots.hgroup.deciding.habits import Habits
from coplay.worlds.hanabi.bots.hgroup.deciding.outlook import outlook
from coplay.worlds.hanabi.bots.hgroup.deciding.weighing import Offers, Option, danger
from coplay.worlds.hanabi.bots.hgroup.labels import PLAYS, ClueLabel
from coplay.worlds.hanabi.bots.hgroup.table import MAX_INFO, Notebook

URGENT = 1.9  # danger that calls for help
Reasons = dict[str, float]


class Choice(NamedTuple):
    """A legal move; `sound` means that the conventions allow it."""

    move: Move
    sound: bool
    reasons: Reasons


class AllOffers(Offers):
    """Every clue of the turn, weighed at once."""

    def __init__(self, table: Notebook, habits: Habits) -> None:
        super().__init__(table, outlook(table), habits)
        self.options = self.every()
        for target in self._targets():
            self._honest[target] = [o for o in self.options if o.clue.target == target and self.liked(o)]


class Situation:
    """One turn of one player: what he knows before he compares his moves."""

    def __init__(self, table: Notebook, habits: Habits) -> None:
        me, players = table.viewer, table.players
        self.table = table
        self.next = (me + 1) % players
        self.offers = AllOffers(table, habits)
        self.rule = choose(table, habits, self.offers)  # what the conventions recommend
        self.plays, self.sure = table.known_plays(me), sure_plays(table)
        self.blind = [order for order in self.sure if table.finessed >> order & 1]
        self.trash, self.chop = table.known_trash(me), table.chop(me)
        self.threats = [danger(table, seat) for seat in range(players)]
        self.idle = not table.known_plays(self.next)
        self.gotten = table.believed((table.touched | table.finessed) & table.held & ~table.cards[me], 0)

        self._odds: dict[int, Odds] = {}

    def odds(self, note: int) -> Odds:
        """`odds` of this turn; cards that nobody clued have the same note."""
        if note not in self._odds:
            self._odds[note] = odds(self.table, note)
        return self._odds[note]

    def facts(self) -> Reasons:
        """What the position is like, whichever move is considered."""
        table, players = self.table, self.table.players
        room = pace(table)
        facts = {
            "tokens": table.info / MAX_INFO,
            "no token": table.info == 0,
            "one token": table.info == 1,
            "two tokens": table.info == 2,
            "seven tokens": table.info == 7,
            "eight tokens": table.info == 8,
            "early": table.early,
            "first round": table.turn < players,
            "pace": max(min(room, 12), -3) / 10,
            "no pace": room <= 0,
            "few cards": 0 < table.deck_left <= 2 * players,
            "last round": table.deck_left == 0,
            "has play": bool(self.sure),
            "is called": bool(self.blind),
            "has trash": bool(self.trash),
            "is locked": self.chop < 0,
            "next in danger": self.threats[self.next] >= URGENT,
            "other in danger": any(
                t >= URGENT for s, t in enumerate(self.threats) if s not in (table.viewer, self.next)
            ),
            "next is idle": self.idle,
            "last life": table.lives == 1,
        }
        return {name: float(value) for name, value in facts.items() if value}


def choices(table: Notebook, habits: Habits) -> tuple[Reasons, list[Choice]]:
    """The facts of the position, and every legal move with its reasons."""
    situation = Situation(table, habits)
    found: list[Choice] = []
    for order in table.hands[table.viewer]:
        found.append(_play(situation, order))
        if table.info < MAX_INFO:
            found.append(_discard(situation, order))
    best = sorted((option.value for option in situation.offers.options if option.honest), reverse=True)
    found += [_clue(situation, option, best) for option in situation.offers.options]
    rule = situation.rule
    for place, choice in enumerate(found):
        if choice.move == rule:
            choice.reasons["by the book"] = 1.0
            found[place] = choice._replace(sound=True)
    return situation.facts(), found


def pace(table: Notebook) -> int:
    """How many discards the team can still afford without losing a point."""
    reach = 0
    for color in range(5):
        stuck = [rank for rank in range(table.stacks[color], 5) if table.trash >> (5 * color + rank) & 1]
        reach += stuck[0] if stuck else 5
    return sum(table.stacks) + table.deck_left + table.players - reach


Odds = tuple[float, float, float]


def odds(table: Notebook, note: int) -> Odds:
    """How likely an own card with this note plays, is trash, is the last of its kind: by the copies not in sight."""
    total = plays = trash = last = 0
    while note:
        identity = note.bit_length() - 1
        bit = 1 << identity
        note ^= bit
        unseen = COPIES[identity] - table.shown[identity]
        if unseen > 0:
            total += unseen
            plays += unseen if table.playable & bit else 0
            trash += unseen if table.trash & bit else 0
            last += unseen if table.critical & bit else 0
    return (plays / total, trash / total, last / total) if total else (0.0, 0.0, 0.0)


def _play(situation: Situation, order: int) -> Choice:
    table = situation.table
    move = Move("play", order)
    if order in situation.plays:
        return Choice(move, order in situation.sure, _believed_play(situation, order))
    gotten = table.gotten(order)
    good, trash, _ = situation.odds(table.inferred[order])
    last = table.deck_left == 0
    reasons = {
        "gamble": 1.0,
        "gamble on a clued card": float(gotten),
        "gamble: chance": good,
        "gamble: chance squared": good * good,
        "gamble: chance by facts": situation.odds(table.possible[order])[0],
        "gamble: chance of a clued card": good * gotten,
        "gamble: chance of trash": trash,
        "gamble on the finesse position": float(order == table.finesse_position(table.viewer)),
        "gamble on a focus": float(table.focused >> order & 1),
        "gamble despite a play": float(bool(situation.sure)),
        "gamble in the last round": float(last),
        "gamble in the last round: chance": good * last,
        "gamble with the last life": float(table.lives == 1),
    }
    return Choice(move, last and table.lives > 1 and chance(table, order) > 0, reasons)


def _believed_play(situation: Situation, order: int) -> Reasons:
    table, plays, me = situation.table, situation.plays, situation.table.viewer
    note, clued = table.inferred[order], table.clued_on
    alone = note if note & (note - 1) == 0 else 0
    good, _, last = situation.odds(note)
    reasons = {
        "play": 1.0,
        "play: known": float(table.possible[order] & ~table.playable == 0),
        "play: called": float(table.finessed >> order & 1),
        "play: best": float(bool(situation.sure) and order == best_play(table, situation.sure)),
        "play: first called": float(bool(situation.blind) and order == first_called(table, situation.blind)),
        "play: rank": ((note & -note).bit_length() - 1) % 5 / 4,
        "play: five": float(note & ~RANK_SET[4] == 0),
        "play: newest": float(order == max(plays)),
        "play: oldest": float(order == min(plays)),
        "play: one of several": float(len(plays) > 1),
        "play: last clued": float(clued[order] == max(clued[other] for other in plays)),
        "play: waiting": min(table.turn - clued[order], 9) / 10 if clued[order] >= 0 else 0.0,
        "play: identity known": float(alone > 0),
        "play: twin elsewhere": float(bool(alone & situation.gotten)),
        "play: chance": good,
        "play: chance by facts": situation.odds(table.possible[order])[0],
        "play: last copy": last,
    }
    for seat, hand in enumerate(table.hands):
        for other in hand:
            if other != order and table.gotten(other):
                want = table.known[other] if seat != me else single(table.inferred[other])
                if want > 0 and want % 5 > 0 and note >> (want - 1) & 1:
                    whose = "own" if seat == me else "next" if seat == situation.next else "other"
                    reasons[f"play: leads to {whose} card"] = 1.0
    return reasons


def _discard(situation: Situation, order: int) -> Choice:
    table, trash, chop = situation.table, situation.trash, situation.chop
    hand, note = table.hands[table.viewer], table.inferred[order]
    alone = note if note & (note - 1) == 0 else 0
    twin = bool(alone & situation.gotten & ~table.trash)
    good, useless, last = situation.odds(note)
    reasons = {
        "discard: chance of trash": useless,
        "discard: chance of trash by facts": situation.odds(table.possible[order])[1],
        "discard: last copy": last,
        "discard: chance to play": good,
        "discard: twin elsewhere": float(twin),
        "discard: newest": float(order == hand[-1]),
    }
    if order in trash:
        reasons["discard: trash"] = 1.0
        reasons["discard: first trash"] = float(order == trash[0])
        reasons["discard: last trash"] = float(order == trash[-1])
        reasons["discard: trash by facts"] = float(not table.possible[order] & ~table.trash)
    elif order == chop:
        reasons["discard: chop"] = 1.0
    elif order in situation.plays:
        reasons["discard: play"] = 1.0
    elif table.gotten(order):
        reasons["discard: clued"] = 1.0
    elif table.moved >> order & 1:
        reasons["discard: chop-moved"] = 1.0
    else:
        reasons["discard: off chop"] = 1.0
        reasons["discard: places off chop"] = float(hand.index(order) - hand.index(chop)) if chop >= 0 else 0.0
    return Choice(Move("discard", order), order in trash or order == chop or twin, reasons)


def _clue(situation: Situation, option: Option, best: list[float]) -> Choice:
    table, clue, meaning, label = situation.table, option.clue, option.meaning, option.meaning.label
    after, follower = option.table, situation.next
    face, fresh = table.face[meaning.focus], meaning.notice.fresh
    promised = after.inferred[meaning.focus]
    before = table.known_plays(clue.target)
    now = sum([1 for order in after.known_plays(clue.target) if order not in before])
    wakes = situation.idle and bool(after.known_plays(follower))
    reasons = {
        f"clue: {label}": 1.0,
        "clue: honest": float(option.honest),
        "clue: leads to a mistake": float(
            option.ahead.wrong >= 0 and option.ahead.wrong != situation.offers.base.wrong
        ),
        "clue: cards gained": float(option.gain),
        "clue: gains a card": float(option.gain > 0),
        "clue: gains two": float(option.gain > 1),
        "clue: honest cards gained": float(option.gain * option.honest),
        "clue: danger taken": option.saved,
        "clue: takes danger": float(option.saved > 0),
        "clue: bad touches": float(option.bad),
        "clue: value": option.value,
        "clue: new cards": float(len(fresh)),
        "clue: useful new cards": float(sum([1 for order in fresh if not table.trash & table.face[order]])),
        "clue: cards": float(len(clue.touched)),
        "clue: nothing new": float(not fresh),
        "clue: cards that learn": float(
            sum([1 for order in clue.touched if after.possible[order] != table.possible[order]])
        ),
        "clue: plays now": float(now),
        "clue: to the next": float(clue.target == follower),
        "clue: wakes the next": float(wakes and clue.target == follower),
        "clue: next has a play": float(wakes),
        "clue: danger to the next": situation.threats[follower] - danger(after, follower),
        "clue: focus plays": float(bool(face & table.playable)),
        "clue: focus is trash": float(bool(face & table.trash)),
        "clue: focus is the last": float(bool(face & table.critical)),
        "clue: focus on chop": float(meaning.focus == meaning.notice.chop),
        "clue: focus rank": table.known[meaning.focus] % 5 / 4,
        "clue: focus is known": float(promised & (promised - 1) == 0),
    }
    if clue.is_rank:
        reasons["clue: rank"] = 1.0
        reasons[f"clue: rank {clue.value + 1}"] = 1.0
        reasons[f"clue: rank, {label}"] = 1.0
        reasons["clue: rank, several new"] = float(len(fresh) > 1)
    else:
        reasons["clue: color, several new"] = float(len(fresh) > 1)
    if option.honest:
        reasons["clue: honest value"] = option.value
        reasons["clue: best"] = float(option.value == best[0])
        reasons["clue: second best"] = float(len(best) > 1 and option.value == best[1])
        reasons["clue: below the best"] = best[0] - option.value
    _add_surprises(situation, option, reasons)
    return Choice(Move("clue", clue=clue), situation.offers.liked(option), reasons)


def _add_surprises(situation: Situation, option: Option, reasons: Reasons) -> None:
    """Prompts and finesses on the way to the focus, and what looks like a bluff."""
    table, clue, meaning = situation.table, option.clue, option.meaning
    if meaning.label in PLAYS and meaning.truth is not None:
        links = meaning.truth.links
        reasons["clue: cards before the focus"] = float(len(links))
        reasons["clue: self-finesse"] = float(any(k.seat == clue.target and k.kind == "finesse" for k in links))
        reasons["clue: surprises the next"] = float(any(k.seat == situation.next and k.kind != "known" for k in links))
    if meaning.label is ClueLabel.UNEXPLAINED and clue.target != situation.next:
        position = table.finesse_position(situation.next)
        if position >= 0 and table.face[position] & table.playable:
            reasons["clue: bluff"] = 1.0
            reasons["clue: bluff on a live card"] = float(
                not table.face[meaning.focus] & (table.trash | table.playable)
            )
