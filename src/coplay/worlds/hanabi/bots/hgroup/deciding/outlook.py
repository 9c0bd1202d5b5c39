"""Looking ahead by the notes alone: which cards will play if everybody just follows what he believes."""

from __future__ import annotations

from typing import NamedTuple

from coplay.worlds.hanabi.bots.hgroup.cards import ALL, RANK_SET
from coplay.worlds.hanabi.bots.hgroup.table import Notebook

NOT_ONES = ALL & ~RANK_SET[0]


class Outlook(NamedTuple):
    """`plays`: orders that play, in the order found; `wrong`: a card that its holder would misplay, -1 if none."""

    plays: tuple[int, ...]
    playable: int  # what plays next once all of them are on the stacks
    wrong: int


def outlook(table: Notebook) -> Outlook:
    """Plays out all cards whose holders believe them playable, ignoring whose turn it is."""
    playable = table.playable
    blocked = ~playable
    face, possible, inferred = table.face, table.possible, table.inferred
    gotten = table.touched | table.finessed
    pending = [order for hand in table.hands for order in hand if gotten >> order & 1 or not possible[order] & blocked]
    wrong = -1
    for order in pending:  # what could be misplayed at once, before anything else happens
        if not inferred[order] & blocked and face[order] and not playable & face[order]:
            wrong = order
            pending.remove(order)
            break
    plays: list[int] = []
    done = 0
    progress = True
    while progress:
        progress = False
        later: list[int] = []
        for order in pending:
            note = inferred[order] & ~done or inferred[order]
            if note & ~playable:
                note = _told(table, order, playable, plays)
                if not note:
                    later.append(order)
                    continue
            bit = face[order] or (note if note & (note - 1) == 0 else 0)
            if bit:
                if not playable & bit:
                    wrong = order if wrong < 0 else wrong
                    continue
                playable = playable & ~bit | (bit << 1 & NOT_ONES)
                done |= bit
            plays.append(order)
            progress = True
        pending = later
    return Outlook(tuple(plays), playable, wrong)


def _told(table: Notebook, order: int, playable: int, plays: list[int]) -> int:
    """What the card is by a certain story whose other cards have played, as a set; empty if it does not play yet."""
    story = None
    for wait in table.waits:
        if wait.certain and wait.focus == order:
            story = wait
    if story is None or not playable & (1 << story.identity):
        return 0
    for link in story.links:
        if table.holder[link.order] >= 0 and link.order not in plays:
            return 0
    return 1 << story.identity
