"""The page that compares evaluations: the differences with intervals first, then all means."""

from __future__ import annotations

from html import escape

from coplay.measure.evaluated.compare import ALL, Comparison
from coplay.report.charts import Mark, strip
from coplay.report.html import counted, document, interval, listing, paragraph, section, table


def comparison_page(result: Comparison) -> str:
    """The page as text."""
    first, run = result.names[0], result.runs[0]
    total = result.lines[0]
    body = [
        '<header><p class="soft small">Same deals, same partners, game by game</p>'
        f"<h1>{escape(' or '.join(result.names))}?</h1>"
        + paragraph(f"{run.game}, {run.players} players, seed {run.seed}", "soft")
        + "</header>"
    ]
    for number, other in enumerate(result.names[1:]):
        apart = total.differences[number]
        sure = apart.low > 0 or apart.high < 0
        verdict = (
            f"{other if apart.value > 0 else first} scores more with the partners both met."
            if sure
            else "With the partners both met the difference is not certain."
        )
        body.append(
            section(
                f"{other} against {first}",
                f'<div class="big">{apart.value:+.2f} <small>points per game</small></div>',
                paragraph(f"95\u00a0% interval {interval(apart)}"),
                paragraph(verdict),
                _chart(result, number),
                paragraph(
                    f"Blue: {other} certainly scores more; red: less; grey: not certain. Band: 95\u00a0% interval.",
                    "soft small",
                ),
            )
        )
    head = ["partner", *result.names, *(f"{name} − {first}" for name in result.names[1:]), "pairs"]
    rows = [
        [
            line.partner,
            *(f"{mean:.2f}" for mean in line.means),
            *(one.short("+.2f") for one in line.differences),
            f"{line.pairs:,}",
        ]
        for line in result.lines
    ]
    body.append(section("All means", table(head, rows)))
    settings = [
        [f"run {number + 1}", f"{run.agent}, {counted(run.games, 'game')} per team"]
        for number, run in enumerate(result.runs)
    ]
    settings.append(["coplay", run.coplay])
    if result.left_out:
        settings.append(["left out", f"{', '.join(result.left_out)}: not every run met them"])
    note = (
        "A pair is two games on one deal with one partner in one seating. Deals are drawn anew for the intervals; for "
        f"“{ALL}” partners too."
    )
    body.append(section("How it was measured", listing(settings), paragraph(note, "soft small")))
    return document(" or ".join(result.names), "\n".join(body))


def _chart(result: Comparison, number: int) -> str:
    marks = []
    for line in result.lines:
        one = line.differences[number]
        kind = "own" if line.partner == ALL else "bad" if one.high < 0 else "" if one.low > 0 else "unsure"
        marks.append(Mark.of(line.partner, one, f"{line.means[0]:.1f}", kind))
    return strip(marks, 0, 0, ("diff.", "first"), "+.2f")
