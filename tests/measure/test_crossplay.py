"""Cross-play: pairs on the same deals, however many processes play them."""

from __future__ import annotations

import numpy as np
import pytest

from coplay.games import make
from coplay.measure import MeasureError
from coplay.measure.crossplay import crossplay


def test_two_processes_find_what_one_finds():
    game = make("hanabi-very-small")
    alone = crossplay(game, ["random", "iggi"], games=6, seed=3)
    shared = crossplay(game, ["random", "iggi"], games=6, seed=3, on=2)
    np.testing.assert_array_equal(alone.scores, shared.scores)
    assert shared.names == ("random", "iggi")


def test_several_jobs_need_names():
    from coplay.agents.spec import agent

    game = make("hanabi-very-small")
    with pytest.raises(MeasureError, match="by their specs"):
        crossplay(game, [agent("random", game)], games=2, on=2)
