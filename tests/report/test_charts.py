"""Charts: round ticks, zero by itself, shares that add up."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coplay.report.charts import Mark, histogram, nice_ticks, score_bins, standalone, strip
from coplay.report.html import shortened


@given(st.floats(-1e4, 1e4), st.floats(1e-3, 1e4), st.integers(3, 8))
@example(-1e-05, 1.001, 4)
def test_ticks_cover_the_range(low: float, span: float, about: int):
    ticks = nice_ticks(low, low + span, about)
    assert ticks[0] <= low + 1e-6 * span + 1e-6
    assert ticks[-1] >= low + span - 1e-6 * span - 1e-6
    assert 2 <= len(ticks) <= about + 2


@given(st.lists(st.just(0.0) | st.floats(0.01, 5000), min_size=1, max_size=50), st.sampled_from([None, 25.0]))
def test_shares_add_up_and_zero_stands_alone(scores: list[float], best: float | None):
    bins = score_bins(scores, [0.0], best)
    assert sum(bin.share for bin in bins) == pytest.approx(1)
    assert bins[0].share == scores.count(0) / len(scores)
    assert bins[0].own == 1


@given(
    st.lists(
        st.integers(-40, 40).map(float) | st.integers(-50_000, 50_000).map(lambda n: n / 10), min_size=1, max_size=50
    )
)
def test_scores_below_zero_have_bars_of_their_own(scores: list[float]):
    bins = score_bins(scores, [], None)
    assert sum(bin.share for bin in bins) == pytest.approx(1)
    [zero] = [bin for bin in bins if bin.low == bin.high]
    assert zero.share == scores.count(0) / len(scores)
    below = sum(bin.share for bin in bins[: bins.index(zero)])
    assert below == pytest.approx(sum(score < 0 for score in scores) / len(scores))
    assert [bin.high for bin in bins] == sorted(bin.high for bin in bins)


def test_fractions_have_narrow_bars():
    bins = score_bins([0.0, 0.9, 1.0], [0.9], None)
    assert [(bin.low, bin.high) for bin in bins if bin.own] == [(0.85, 0.9)]
    assert len(bins) == 21


def test_a_strip_reaches_as_far_as_its_marks():
    drawn = strip([Mark("x", -21.8, -24, -18)], 0, 0, ("", ""))
    words = [node.text for node in ElementTree.fromstring(drawn).iter("text")]
    assert "-30" in words
    assert 'cx="36' not in drawn  # the dot does not stick to the left end


def test_hanabi_has_a_bar_per_point():
    assert len(score_bins([0, 25], [25], 25.0)) == 26


def test_charts_are_svg_with_escaped_words():
    marks = [Mark('<b>"&', 3.0, 2.0, 4.0, "5 %"), Mark("no interval", 0.0, None, None)]
    drawn = strip(marks, 0, 25, ("mean", "at <zero>"))
    words = [node.text for node in ElementTree.fromstring(drawn).iter("text")]
    assert {'<b>"&', "at <zero>", "5 %", "3.0"} <= set(words)
    ElementTree.fromstring(standalone(histogram(score_bins([0, 0, 3], [3], 5.0))))


def test_long_names_keep_their_end_and_show_whole():
    drawn = strip([Mark("run:out/ippo/agent-7.safetensors", 1, 0, 2)], 0, 25, ("", ""))
    assert "run:out/ippo/agent-7.safetensors</title>" in drawn
    assert ">ippo/agent-7<" in drawn
    for name in ("pool:hanabi-2p-ippo-1", "pool:cramped_room-ippo-1"):
        assert ">ippo-1<" in strip([Mark(name, 1, 0, 2)], 0, 25, ("", ""))


@pytest.mark.parametrize(
    ("label", "short"),
    [
        ("smartbot", "smartbot"),
        ("file:mine/folks.py:First", "folks.py:First"),
        ("file:folks.py:Last", "folks.py:Last"),
        ("file:folks.py:Dice?bias=0.5", "Dice?bias=0.5"),
        ("file:a/b.py:Net?at=c/d.pt", "b.py:Net?at=c/d.pt"),
        ("run:out/ippo/agent-7.safetensors", "ippo/agent-7"),
        ("pool:hanabi-3p-human-bc", "human-bc"),
        ("a name of twenty-four letters", "…enty-four letters"),
    ],
)
def test_a_short_label_keeps_what_tells_it_apart(label: str, short: str):
    assert shortened(label, 18) == short


def test_wide_numbers_stand_apart_on_a_phone():
    def below(low: float, high: float) -> list[str]:
        drawn = strip([Mark("x", 0, None, None)], low, high, ("", ""))
        return [
            node.text or "" for node in ElementTree.fromstring(drawn).iter("text") if node.get("class") == "soft middle"
        ]

    assert below(0, 25) == ["0", "5", "10", "15", "20", "25"]
    assert below(-20, 10) == ["-20", "-10", "0", "10"]
    assert len(below(0, 250)) == 4
