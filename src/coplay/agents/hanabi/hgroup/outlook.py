"""Looking ahead by the notes alone: which cards will play if everybody just follows what he believes."""

from __future__ import annotations

from typing import NamedTuple

from coplay.agents.hanabi.hgroup.table import Table, single


class Outlook(NamedTuple):
    """`plays`: orders that play, in the order found; `wrong`: a card that its holder would misplay, -1 if none."""

    plays: tuple[int, ...]
    playable: int  # what plays next once all of them are on the stacks
    wrong: int


def outlook(table: Table) -> Outlook:
    """Plays out all cards whose holders believe them playable, ignoring whose turn it is."""
    playable = table.playable
    known, inferred = table.known, table.inferred
    stories = {wait.focus: wait for wait in table.waits if wait.certain}
    pending = [
        order
        for hand in table.hands
        for order in hand
        if table.touched[order] or table.finessed[order] or table.possible[order] & ~playable == 0
    ]
    wrong = -1
    for order in pending:  # what could be misplayed at once, before anything else happens
        if inferred[order] & ~playable == 0 and known[order] >= 0 and not playable & (1 << known[order]):
            wrong = order
            break
    if wrong >= 0:
        pending.remove(wrong)
    plays: list[int] = []
    done = 0
    progress = True
    while progress:
        progress = False
        for order in pending[:]:
            note = inferred[order] & ~done or inferred[order]
            if note & ~playable:
                story = stories.get(order)
                if story is None or not playable & (1 << story.identity):
                    continue
                if any(link.order not in plays and table.holder[link.order] >= 0 for link in story.links):
                    continue
                note = 1 << story.identity
            seen = known[order] if known[order] >= 0 else single(note)
            if seen >= 0:
                bit = 1 << seen
                if not playable & bit:
                    wrong = order if wrong < 0 else wrong
                    pending.remove(order)
                    continue
                playable = playable & ~bit | (bit << 1 if seen % 5 < 4 else 0)
                done |= bit
            plays.append(order)
            pending.remove(order)
            progress = True
    return Outlook(tuple(plays), playable, wrong)
