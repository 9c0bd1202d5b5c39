"""The behaviour of a pool as tables, figures and one page."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from coplay.faces import Rate
from coplay.files import csv_text, write_whole
from coplay.measure.behaviour.pool import MemberBehaviour, PoolBehaviour
from coplay.measure.behaviour.population import face_of
from coplay.measure.stats import Estimate
from coplay.report.charts import Mark, Point, scatter, standalone, strip
from coplay.report.html import document, folded, heat_table, listing, paragraph, section, table
from coplay.report.sections.behaviour import shown_table
from coplay.report.sections.behaviour_tables import diversity_rows, file_name, map_rows, tables
from coplay.report.sections.diversity import diversity_figure
from coplay.report.sections.made import made_command, made_rows

MOST = 5  # rates of an agent on the screen, where none is named first


def write_behaviour(pool: PoolBehaviour) -> None:
    """Tables, figures with their numbers, summary.json and report.html, in the folder of the games."""
    folder = pool.folder
    for name, rows in tables(pool).items():
        write_whole(folder / f"{name}.csv", csv_text(rows))
    for name, (chart, rows) in _figures(pool).items():
        write_whole(folder / f"figures/{name}.svg", standalone(chart))
        write_whole(folder / f"figures/{name}.csv", csv_text(rows))
    pool.to_json(folder / "summary.json")
    write_whole(folder / "report.html", behaviour_page(pool))


def print_behaviour(pool: PoolBehaviour) -> None:
    """The figures people compare, a line per member."""
    wide = max(len(member.name) for member in pool.members)
    pictured = _pictured(pool)
    readers = dict.fromkeys(member.conventions.name for member in pool.members if member.conventions)
    head = [f"{name:>{len(name)}}" for name in (*(rate.name for rate in pictured), *readers)]
    if head:
        print("  ".join([f"{'':<{wide}} {'games':>6} {'score':>6}", *head]))
    for member in pool.members:
        cells = [f"{_short(member.rates[rate.name]):>{len(rate.name)}}" for rate in pictured]
        cells += [f"{_kept(member):>{len(name)}}" for name in readers]
        begin = f"{member.name:<{wide}} {len(member.episodes):>6} {member.episodes.scores.mean():>6.2f}"
        print("  ".join([begin, *(cells or [_most(member)])]))
    print(f"\npopulation diversity (features scaled to 1): {pool.diversity:.3g}")
    for row in pool.curve[:-1]:
        names = ", ".join(pool.members[i].name for i in row.members)
        print(f"most diverse {row.size}: {row.diversity:.3g}  {names}")


def _pictured(pool: PoolBehaviour) -> list[Rate]:
    """The rates that are worth a picture of their own."""
    return [rate for rate in face_of(pool.game).rates(pool.game) if rate.about]


def _kept(member: MemberBehaviour) -> str:
    return "–" if member.conventions is None else f"{member.conventions.share.value:.1%}"


def _most(member: MemberBehaviour) -> str:
    """What it does most."""
    names, values = member.features
    most = [number for number in np.argsort(-values)[:MOST] if values[number] > 0]
    return ", ".join(f"{names[number]} {values[number]:.1f}" for number in most) or "nothing happened"


def behaviour_page(pool: PoolBehaviour) -> str:
    """The page as text."""
    game, count = pool.game, len(pool.members)
    body = [
        '<header><p class="soft small">How do they play?</p>'
        f"<h1>MemberBehaviour of {count} agent{'s'[: count != 1]}</h1>"
        f"{paragraph(f'{game.name}, {game.players} players, each with its own copies', 'soft')}</header>",
        *_sections(pool),
        section("How it was measured", made_command(pool.run), _method(pool)),
    ]
    return document(f"Behaviour: {game.name}", "\n".join(body))


def _sections(pool: PoolBehaviour) -> Iterator[str]:
    figures = {name: chart for name, (chart, _) in _figures(pool).items()}
    for rate in _pictured(pool):
        yield section(rate.name.capitalize(), figures[file_name(rate.name)], paragraph(rate.about, "soft small"))
    if pool.map is not None:
        yield section("A map of the pool", figures["map"], *_map_words(pool))
    if pool.distance is not None:
        yield section("Who would choose differently", *_distances(pool))
    for name in dict.fromkeys(member.conventions.name for member in pool.members if member.conventions):
        yield section(f"{name} conventions", *_conventions(pool))
    yield section("Diversity", *_diversity(pool))
    yield section("All rates", _features(pool))
    shown = [member for member in pool.members if member.tables]
    if shown:
        tables = [
            folded(member.name, *(shown_table(one._replace(folded=False)) for one in member.tables)) for member in shown
        ]
        yield section("Tables", *tables)


def _figures(pool: PoolBehaviour) -> dict[str, tuple[str, list[list[Any]]]]:
    found: dict[str, tuple[str, list[list[Any]]]] = {}
    for rate in _pictured(pool):
        marks = _marks(pool, rate.name)
        rows = [["agent", rate.name, "low", "high"], *([mark.label, mark.value, mark.low, mark.high] for mark in marks)]
        found[file_name(rate.name)] = (strip(marks, 0, 1, ("rate", "occasions"), ".2f"), rows)
    if pool.map is not None:
        points = [Point(m.name, float(x), float(y)) for m, (x, y) in zip(pool.members, pool.map.places, strict=True)]
        shares = [f"{share:.0%}" for share in pool.map.explained]
        axes = (f"first axis, {shares[0]} of the variance", f"second axis, {shares[1]}")
        found["map"] = (scatter(points, axes), map_rows(pool))
    if sum(row.diversity > 0 for row in pool.curve) > 1:
        found["diversity"] = (diversity_figure(pool.curve), diversity_rows(pool))
    return found


def _marks(pool: PoolBehaviour, rate: str) -> list[Mark]:
    marks = []
    for member in pool.members:
        one = member.rates[rate]
        if not math.isnan(one.value):
            marks.append(Mark.of(member.name, one, f"{one.n:,}"))
    return sorted(marks, key=lambda mark: -mark.value) or [Mark("nobody", 0.0, None, None, "0")]


def _map_words(pool: PoolBehaviour) -> Iterator[str]:
    assert pool.map is not None
    names = pool.members[0].features.names
    rows = []
    for number, axis in enumerate(pool.map.axes):
        top = np.argsort(-np.abs(axis))[:4]
        rows.append([f"axis {number + 1}", ", ".join(f"{names[i]} ({axis[i]:+.2f})" for i in top)])
    words = "Agents near each other behave alike. The axes are the two directions in which the features differ most."
    yield paragraph(words, "soft small")
    yield listing(rows)


def _distances(pool: PoolBehaviour) -> Iterator[str]:
    assert pool.distance is not None
    names = [member.name for member in pool.members]
    rows = [(names[i], [float(value) * 100 for value in line]) for i, line in enumerate(pool.distance)]
    yield heat_table("would have chosen otherwise than", names, rows)
    words = (
        "Per cent of the decisions in the column's games at which the row, shown the same game, would have made "
        "another move. On the diagonal: how often an agent that draws its moves differs from itself."
    )
    yield paragraph(words, "soft small")


def _conventions(pool: PoolBehaviour) -> Iterator[str]:
    read = [(member.name, member.conventions) for member in pool.members if member.conventions is not None]
    marks = [Mark.of(name, one.share, f"{one.moves:,} moves") for name, one in read]
    yield strip(sorted(marks, key=lambda mark: -mark.value), 0, 1, ("share", ""), ".2f")
    yield paragraph(read[0][1].says, "soft small")
    kinds = list(dict.fromkeys(kind for _, one in read for kind in one.violations))
    rows = [(name, [100 * one.violations.get(kind, 0) / max(one.moves, 1) for kind in kinds]) for name, one in read]
    yield folded("Principles broken, per 100 moves", heat_table("", kinds, rows, ".1f"))
    for name, one in read:
        labels = [[label, f"{count:,}"] for label, count in one.labels.items()]
        yield folded(f"Labels: {name}", table(["label", "moves"], labels))


def _diversity(pool: PoolBehaviour) -> Iterator[str]:
    figures = _figures(pool)
    if "diversity" in figures:
        yield figures["diversity"][0]
    rows = [
        [str(row.size), f"{row.diversity:.3g}", ", ".join(pool.members[i].name for i in row.members)]
        for row in pool.curve
    ]
    yield table(["members", "det K", "the most diverse subset"], rows)
    words = (
        "det K of the members' features, every feature divided by its largest value in this pool: the squared volume "
        "they span. Where it falls steeply, further members repeat others."
    )
    yield paragraph(words, "soft small")


def _features(pool: PoolBehaviour) -> str:
    face = face_of(pool.game)
    rates = face.rates(pool.game)
    shares = all(rate.share for rate in rates)
    scale, form = (100, ".0f") if shares else (1, ".1f")
    values = [member.features.values for member in pool.members]
    rows = [(rate.name, [float(line[i]) * scale for line in values]) for i, rate in enumerate(rates)]
    kept = [row for row, rate in zip(rows, rates, strict=True) if rate.share or any(row[1])]
    words = "Per cent." if shares else face.legend
    if len(kept) < len(rows):
        words += " What never happened is left out."
    says = [[rate.name, rate.says] for rate in rates]
    shown = heat_table("", [member.name for member in pool.members], kept, form)
    return paragraph(words, "soft small") + shown + folded("What the rates are", listing(says))


def _method(pool: PoolBehaviour) -> str:
    rows = [[member.name, f"{len(member.episodes):,} games"] for member in pool.members]
    return listing([*rows, *made_rows(pool.run)])


def _short(one: Estimate) -> str:
    return "–" if math.isnan(one.value) else f"{one.value:.3f}"
