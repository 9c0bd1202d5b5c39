"""A set of partners as a page: who they are, how they were chosen, what can be scored with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

import numpy as np

from coplay.files import csv_text, write_whole
from coplay.games import make
from coplay.measure.behaviour.population import pool_map
from coplay.measure.diversity import compare, curve, scaled, select
from coplay.pool.sets import Partner, PartnerSet
from coplay.report.charts import Mark, Point, scatter, standalone, strip
from coplay.report.heat import Block, heat
from coplay.report.html import document, heat_table, paragraph, section, table
from coplay.report.sections.diversity import comparison_figure, diversity_figure
from coplay.train.recipes.preferring import preferences_of

SIZES = 15  # subsets up to this size are looked for


def write_partner_set(folder: str | Path, found: PartnerSet, command: str) -> Path:
    """partners.csv, figures and report.html in the folder of the set."""
    place = Path(folder)
    write_whole(place / "partners.csv", csv_text(_rows(found)))
    charts = _charts(found)
    for name, chart in charts_of(found).items():
        write_whole(place / f"figures/{name}.svg", chart)
    write_whole(place / "report.html", _page(found, charts, command))
    return place / "report.html"


def _rows(found: PartnerSet) -> list[list[object]]:
    head = ["partner", "prefers", "level", "candidate", "self_play", "self_play_error", "best_response"]
    rows: list[list[object]] = [[*head, "best_response_error", "games", "sha256", "best_response_sha256"]]
    for one in found.partners:
        figures = [*one.self_play[:2], *one.ceiling]
        rows.append([one.file, one.wish, one.level, one.candidate, *figures, one.sha256, one.response_sha256])
    return rows


def charts_of(found: PartnerSet) -> dict[str, str]:
    """Its figures by name, each a file of its own."""
    return {name: standalone(chart) for name, chart in _charts(found).items()}


def _charts(found: PartnerSet) -> dict[str, str]:
    charts = {"ceilings": _ceilings(found)}
    if len(found.features) > 1:
        charts["map"] = _map(found, _chosen(found))
        charts["map-own"] = _map(found, _chosen_by_own_play(found))
    charts["behaviour"] = heat(_behaviour(found), [*_events(found), "score"])
    features, own = scaled(found.features), scaled(found.own_features)
    most = range(2, min(SIZES, len(features)) + 1)
    rows = curve(features, most)
    if sum(row.diversity > 0 for row in rows) > 1:
        charts["diversity"] = diversity_figure(rows)
    compared = compare(own, features, most)
    if any(row.by_partners > 0 and row.by_best_responses > 0 for row in compared):
        charts["selection"] = comparison_figure(compared)
    return charts


def _ceilings(found: PartnerSet) -> str:
    """What is scored with each partner: by its best response, and by its own copies."""
    order = sorted(found.partners, key=lambda one: -one.ceiling[0])
    marks = [Mark(_short(one), one.ceiling[0], *_bounds(one.ceiling), f"{one.self_play[0]:.0f}") for one in order]
    top = max(max(one.ceiling[0], one.self_play[0]) for one in found.partners)
    return strip(marks, 0, max(top, 1), ("best response", "its copies"), ".0f")


def _bounds(figure: tuple[float, float, int]) -> tuple[float, float]:
    return figure[0] - 1.96 * figure[1], figure[0] + 1.96 * figure[1]


def name(one: Partner) -> str:
    """In words: what it prefers, and how good it is at it."""
    return one.wish if one.level == "final" else f"{one.wish} (half-trained)"


def passed_in(found: PartnerSet) -> str:
    """The partners with whom somebody does better than their best response, and who that is; empty: none."""
    said = []
    for one in (one for one in found.partners if one.marked):
        own = one.best_known is None or one.self_play[0] >= one.best_known[0]
        mean, who = (one.self_play[0], "its own copies") if own else (one.best_known[0], one.known_by)  # pyright: ignore[reportOptionalSubscript]
        said.append(f"{_short(one)} by {who} ({mean:.1f} against {one.ceiling[0]:.1f})")
    return "; ".join(said)


def _short(one: Partner) -> str:
    """For charts, where words do not fit: its file, and how good it is."""
    return Path(one.file).stem + ("" if one.level == "final" else ", half")


def _chosen(found: PartnerSet) -> dict[int, str]:
    """The candidates that were chosen, and what they are called."""
    return {one.candidate: Path(one.file).stem for one in found.partners if one.level == "final"}


def _chosen_by_own_play(found: PartnerSet) -> dict[int, str]:
    """The candidates whose own play, not that of their responses, spans the largest volume (P-Div)."""
    rows = select(scaled(found.own_features), len(found.chosen))
    names = _chosen(found)
    return {
        found.candidates[row]: names.get(found.candidates[row], f"candidate {found.candidates[row]}") for row in rows
    }


def _events(found: PartnerSet) -> list[str]:
    """What features count, before the score."""
    game = make(found.game)
    liked = preferences_of(game)
    return [liked.events(game)[number] for number in liked.described_by(game)]


def _shares(found: PartnerSet, features: tuple[tuple[float, ...], ...]) -> np.ndarray:
    """float [candidates, events and the score]: over both seats, in shares of the highest of any candidate."""
    per_seat = np.asarray(features).reshape(len(features), -1, len(_events(found)) + 1).mean(1)
    top = np.abs(per_seat).max(0)
    return per_seat / np.where(top > 0, top, 1)


def _behaviour(found: PartnerSet) -> list[Block]:
    """How candidates play themselves: those that were chosen, and those that their own play would have chosen."""
    shares = _shares(found, found.own_features)
    ways = (("chosen by BR-Div", _chosen(found)), ("chosen by P-Div", _chosen_by_own_play(found)))
    return [
        (title, [(name, shares[found.candidates.index(number)].tolist()) for number, name in sorted(chosen.items())])
        for title, chosen in ways
    ]


def _map(found: PartnerSet, chosen: Mapping[int, str]) -> str:
    """All candidates by how their responses play; the chosen ones are marked."""
    placed = pool_map(found.features)
    points = [
        Point(chosen.get(number, ""), float(x), float(y), "own" if number in chosen else "")
        for number, (x, y) in zip(found.candidates, placed.places, strict=True)
    ]
    shares = [f"{share:.0%}" for share in placed.explained]
    return scatter(points, (f"first axis, {shares[0]} of the variance", f"second axis, {shares[1]}"))


def _page(found: PartnerSet, charts: dict[str, str], command: str) -> str:
    count = len(found.partners)
    body = [
        '<header><p class="soft small">Who are the partners?</p>'
        f"<h1>{count} partners that prefer different things</h1>{paragraph(found.game, 'soft')}</header>",
        *_sections(found, charts),
        section("How it was made", f"<pre>{escape(command)}</pre>", _method(found)),
    ]
    return document(f"Partners: {found.game}", "\n".join(body))


def _sections(found: PartnerSet, charts: dict[str, str]) -> Iterator[str]:
    words = "The dot is what its best response scores with each partner, the column what its own copies score."
    if passed := passed_in(found):
        words += f" Passed, so no ceiling: {passed}."
    yield section("What can be scored with them", charts["ceilings"], paragraph(words, "soft small"))
    if "map" in charts:
        words = (
            "Every dot is a candidate, placed by what its best response does; named ones were chosen, and the table "
        )
        words += "below says what each prefers."
        yield section("A map of the candidates", charts["map"], paragraph(words, "soft small"))
        words = "The same map with those that would have been chosen by how they play themselves (P-Div)."
        yield section("Chosen by their own play", charts["map-own"], paragraph(words, "soft small"))
    yield section("What their best responses do", _heat(found))
    words = "Events of the candidates' own play, in shares of the highest of any candidate: those that were chosen by "
    words += "their best responses, and those that their own play would have chosen."
    yield section("What the partners do", charts["behaviour"], paragraph(words, "soft small"))
    if "selection" in charts:
        words = "Partners chosen for how different their best responses play span more than partners chosen for how "
        words += "different they play themselves."
        yield section("Chosen by their best responses", charts["selection"], paragraph(words, "soft small"))
    if "diversity" in charts:
        words = "The largest volume that any subset of this size spans: where it falls, further partners repeat others."
        yield section("How many different ones there are", charts["diversity"], paragraph(words, "soft small"))
    yield section("The partners", _table(found))


def _heat(found: PartnerSet) -> str:
    """Events per episode of the best response of every chosen candidate, over both seats, in shares of the highest."""
    wishes = {one.candidate: one.wish for one in found.partners}
    rows = [
        (wishes[number], [float(value) for value in row])
        for number, row in zip(found.candidates, _shares(found, found.features), strict=True)
        if number in wishes
    ]
    return heat_table("partner", [*_events(found), "score"], rows, ".2f")


def _table(found: PartnerSet) -> str:
    return table(*table_of(found), words=3)


def table_of(found: PartnerSet) -> tuple[list[str], list[list[str]]]:
    """Head and rows: who prefers what, and what is scored with whom."""
    rows = [
        [
            Path(one.file).stem,
            one.wish,
            one.level,
            f"{one.self_play[0]:.1f}",
            f"{one.ceiling[0]:.1f} ± {1.96 * one.ceiling[1]:.1f}",
        ]
        for one in found.partners
    ]
    return ["partner", "prefers", "level", "its copies", "best response"], rows


def _method(found: PartnerSet) -> str:
    tried, able = max(found.candidates) + 1, len(found.candidates)
    words = (
        f"Pairs of learners, one of each paid for events it prefers: of at least {tried} pairs {able} ever scored. "
        f"{len(found.chosen)} were chosen so that what their best responses do spans the largest volume "
        f"(BR-Div {found.br_div:.3g}). Each is here as it was at the end and as it was when it scored half as much. "
        "Ceilings are means of the best response over all seats."
    )
    return paragraph(words, "soft small")
