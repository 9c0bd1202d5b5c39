"""Tables for papers: intervals stand behind their values, and nothing in a name can break LaTeX."""

from __future__ import annotations

from coplay.measure.study.table_text import latex, markdown

ROWS = [
    {"agent": "pool:a_b & 5%", "games": 10, "mean": -1.234, "low": -2.0, "high": 0.5, "zero": None},
    {"agent": "hanabi-2p", "games": 1, "mean": 3.0, "low": float("nan"), "high": float("nan"), "zero": 0.25},
]


def test_latex():
    lines = latex(ROWS, "where it\ncomes from").splitlines()
    assert lines[:4] == ["% where it", "% comes from", r"\begin{tabular}{lrrr}", r"\toprule"]
    assert lines[4] == r"agent & games & mean (95 \%) & zero \\"
    assert lines[6] == r"pool:a\_b \& 5\% & 10 & $-$1.23 [$-$2.00, 0.50] & -- \\"
    assert lines[7] == r"hanabi-2p & 1 & 3.00 & 0.25 \\"


def test_markdown():
    lines = markdown([{"a|b": "x"}, {"a|b": "y"}], "about").splitlines()
    assert lines == [r"| a\|b |", "| --- |", "| x |", "| y |", "", "about"]
    assert markdown(ROWS).splitlines()[1:3] == [
        "| --- | --: | --: | --: |",
        "| pool:a_b & 5% | 10 | -1.23 [-2.00, 0.50] | – |",
    ]
