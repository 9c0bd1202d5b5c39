"""The page of the sets, and what other agents score with them."""

from __future__ import annotations

from pathlib import Path

from studies.zsc.meet import Met, read_met, write_met
from studies.zsc.sets import _agents

RING = Met("coordination_ring", "stay", 0.0, 12.5, 10.0, 15.0, 0.25, 0.2, 0.3, 30)
ROOM = Met("counter_circuit", "stay", 0.0, 1.0, 0.5, 1.5, 0.02, 0.01, 0.03, 20)


def test_kitchens_that_were_not_played_again_keep_their_lines(tmp_path: Path):
    file = tmp_path / "sets.csv"
    assert read_met(file) == []
    write_met(file, [RING, ROOM])
    again = RING._replace(mean=13.0)
    write_met(file, [again])
    assert read_met(file) == [ROOM, again]


def test_the_page_has_a_line_for_each():
    assert _agents([]) == []
    (text,) = _agents([RING])
    assert "| coordination_ring | `stay` | 0 | 12 [10, 15] | 0.25 [0.20, 0.30] |" in text
