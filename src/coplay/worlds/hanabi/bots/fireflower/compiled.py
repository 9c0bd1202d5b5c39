"""The four doors into the compiled player.

Only these functions are cached on disk. Their cache key contains a digest of the whole package, because numba by itself
looks at the file of the cached function only and would keep running an old version of what it calls.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from numba import njit

from coplay.worlds.hanabi.bots.fireflower.moves import do_discard, do_hint, do_play
from coplay.worlds.hanabi.bots.fireflower.search import choose
from coplay.worlds.hanabi.bots.fireflower.table import appraise, look, start

_SOURCES = sorted(Path(__file__).parent.glob("*.py"))
DIGEST = hashlib.sha256(b"".join(source.read_bytes() for source in _SOURCES)).hexdigest()


def _doors(digest):
    @njit(cache=True)
    def begin(tables, players, size, me, turn, faces):
        """Sets up the table after the deal; seat `turn` moves first, `faces` are the dealt cards, -1 for one's own."""
        assert digest
        s = tables[0]
        start(s, players, size, me, turn)
        for card in range(players * size):
            s.faces[card] = faces[card]
        appraise(s)
        look(s, -1)

    @njit(cache=True)
    def hear(tables, memory, receiver, touched, is_rank, value):
        """The player to move gave a hint naming the set of positions `touched`."""
        assert digest
        do_hint(tables[0], memory[0], receiver, touched, is_rank, value)

    @njit(cache=True)
    def see(tables, memory, is_play, position, identity, drawn):
        """The player to move played or discarded a card and drew another."""
        assert digest
        if is_play:
            do_play(tables[0], memory[0], position, identity, drawn)
        else:
            do_discard(tables[0], memory[0], position, identity, drawn)

    @njit(cache=True)
    def decide(tables, memory, report):
        """Number of the best row of `report` and how many there are; see `search.choose`."""
        assert digest
        return choose(tables, memory[0], report)

    return begin, hear, see, decide


begin, hear, see, decide = _doors(DIGEST)
