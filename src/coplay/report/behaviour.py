"""The behaviour of a pool as tables, figures and one page."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from coplay import __version__
from coplay.data.whole_file import write_whole
from coplay.games.hanabi import Hanabi
from coplay.measure.behaviour.action_table import ActionTable
from coplay.measure.behaviour.pool import Behaviour, Pool
from coplay.measure.behaviour.style import RATES
from coplay.measure.stats import Estimate
from coplay.report.behaviour_tables import diversity_rows, known, map_rows, tables
from coplay.report.charts import Mark, Point, scatter, standalone, strip
from coplay.report.csv_text import csv_text
from coplay.report.diversity import diversity_figure
from coplay.report.html import document, folded, heat_table, listing, paragraph, section, table

COMMUNICATIVENESS, INFORMATION = "communicativeness", "information per play"


def write_behaviour(folder: Path, pool: Pool, command: str, seed: int) -> None:
    """Tables, figures with their numbers, and report.html."""
    for name, rows in tables(pool).items():
        write_whole(folder / f"{name}.csv", csv_text(rows))
    for name, (chart, rows) in _figures(pool).items():
        write_whole(folder / f"figures/{name}.svg", standalone(chart))
        write_whole(folder / f"figures/{name}.csv", csv_text(rows))
    about = {"coplay": __version__, "command": command, "game": pool.game.name, "players": pool.game.players}
    about |= {"game_version": pool.game.version, "seed": seed, "diversity": pool.diversity}
    write_whole(folder / "run.json", json.dumps(about, indent=1) + "\n")
    write_whole(folder / "report.html", behaviour_page(pool, command))


def print_behaviour(pool: Pool) -> None:
    """The figures people compare, a line per member."""
    wide = max(len(member.name) for member in pool.members)
    if isinstance(pool.game, Hanabi):
        print(f"{'':<{wide}} {'games':>6} {'score':>6} {'communicative':>14} {'info per play':>14} {'H-Group':>8}")
        for member in pool.members:
            assert member.style is not None
            kept = "–" if member.adherence is None else f"{member.adherence.share.value:.1%}"
            print(
                f"{member.name:<{wide}} {len(member.episodes):>6} {member.episodes.scores.mean():>6.2f}"
                f" {_short(member.style[COMMUNICATIVENESS]):>14} {_short(member.style[INFORMATION]):>14} {kept:>8}"
            )
    else:
        for member in pool.members:
            top = np.argsort(-member.features.values)[:5]
            most = [i for i in top if member.features.values[i] > 0]
            events = ", ".join(f"{member.features.names[i]} {member.features.values[i]:.1f}" for i in most)
            print(f"{member.name:<{wide}} {member.episodes.scores.mean():>7.1f}  {events or 'nothing happened'}")
    print(f"\npopulation diversity (features scaled to 1): {pool.diversity:.3g}")
    for row in pool.curve[:-1]:
        names = ", ".join(pool.members[i].name for i in row.members)
        print(f"most diverse {row.size}: {row.diversity:.3g}  {names}")


def behaviour_page(pool: Pool, command: str) -> str:
    """The page as text."""
    game, count = pool.game, len(pool.members)
    body = [
        '<header><p class="soft small">How do they play?</p>'
        f"<h1>Behaviour of {count} agent{'s'[: count != 1]}</h1>"
        f"{paragraph(f'{game.name}, {game.players} players, each with its own copies', 'soft')}</header>",
        *_sections(pool),
        section("How it was measured", f"<pre>{escape(command)}</pre>", _method(pool)),
    ]
    return document(f"Behaviour: {game.name}", "\n".join(body))


def _sections(pool: Pool) -> Iterator[str]:
    figures = {name: chart for name, (chart, _) in _figures(pool).items()}
    if isinstance(pool.game, Hanabi):
        yield section("Communicativeness", figures["communicativeness"], paragraph(_COMMUNICATIVE, "soft small"))
        yield section("Information per play", figures["information"], paragraph(_INFORMED, "soft small"))
    if pool.map is not None:
        yield section("A map of the pool", figures["map"], *_map_words(pool))
    if pool.distance is not None:
        yield section("Who would choose differently", *_distances(pool))
    if any(member.adherence for member in pool.members):
        yield section("H-Group conventions", *_conventions(pool))
    yield section("Diversity", *_diversity(pool))
    yield section("All rates" if isinstance(pool.game, Hanabi) else "Events per game and chef", _features(pool))
    shown = [member for member in pool.members if member.actions is not None]
    if shown:
        yield section("What follows what", *(action_sections(member) for member in shown))


_COMMUNICATIVE = "Hints given, of all turns that began with a hint token. Band: 95 % interval, games drawn anew."
_INFORMED = (
    "Of the cards played: half a point for knowing the colour and half for the rank, from hints alone. Low values with "
    "few misplays mean conventions: the card was known by other means."
)


def _figures(pool: Pool) -> dict[str, tuple[str, list[list[Any]]]]:
    found: dict[str, tuple[str, list[list[Any]]]] = {}
    if isinstance(pool.game, Hanabi):
        for name, rate in (("communicativeness", COMMUNICATIVENESS), ("information", INFORMATION)):
            rows = [["agent", rate, "low", "high"]]
            rows += [[mark.label, mark.value, mark.low, mark.high] for mark in _marks(pool, rate)]
            found[name] = (strip(_marks(pool, rate), 0, 1, ("rate", "occasions"), ".2f"), rows)
    if pool.map is not None:
        points = [Point(m.name, float(x), float(y)) for m, (x, y) in zip(pool.members, pool.map.places, strict=True)]
        shares = [f"{share:.0%}" for share in pool.map.explained]
        axes = (f"first axis, {shares[0]} of the variance", f"second axis, {shares[1]}")
        found["map"] = (scatter(points, axes), map_rows(pool))
    if sum(row.diversity > 0 for row in pool.curve) > 1:
        found["diversity"] = (diversity_figure(pool.curve), diversity_rows(pool))
    return found


def _marks(pool: Pool, rate: str) -> list[Mark]:
    marks = []
    for member in pool.members:
        assert member.style is not None
        one = member.style[rate]
        if not math.isnan(one.value):
            marks.append(Mark(member.name, one.value, known(one.low), known(one.high), f"{one.n:,}"))
    return sorted(marks, key=lambda mark: -mark.value) or [Mark("nobody", 0.0, None, None, "0")]


def _map_words(pool: Pool) -> Iterator[str]:
    assert pool.map is not None
    names = pool.members[0].features.names
    rows = []
    for number, axis in enumerate(pool.map.axes):
        top = np.argsort(-np.abs(axis))[:4]
        rows.append([f"axis {number + 1}", ", ".join(f"{names[i]} ({axis[i]:+.2f})" for i in top)])
    words = "Agents near each other behave alike. The axes are the two directions in which the features differ most."
    yield paragraph(words, "soft small")
    yield listing(rows)


def _distances(pool: Pool) -> Iterator[str]:
    assert pool.distance is not None
    names = [member.name for member in pool.members]
    rows = [(names[i], [float(value) * 100 for value in line]) for i, line in enumerate(pool.distance)]
    yield heat_table("would have chosen otherwise than", names, rows)
    words = (
        "Per cent of the decisions in the column's games at which the row, shown the same game, would have made "
        "another move. On the diagonal: how often an agent that draws its moves differs from itself."
    )
    yield paragraph(words, "soft small")


def _conventions(pool: Pool) -> Iterator[str]:
    members = [member for member in pool.members if member.adherence is not None]
    marks = []
    for member in members:
        assert member.adherence is not None
        one = member.adherence.share
        marks.append(Mark(member.name, one.value, known(one.low), known(one.high), f"{member.adherence.moves:,} moves"))
    yield strip(sorted(marks, key=lambda mark: -mark.value), 0, 1, ("share", ""), ".2f")
    yield paragraph("Share of moves that break no principle of the conventions, levels 1 to 5.", "soft small")
    kinds = list(dict.fromkeys(name for member in members for name in _broken(member)))
    rows = [
        (
            member.name,
            [100 * _broken(member).get(kind, 0) / max(_moves(member), 1) for kind in kinds],
        )
        for member in members
    ]
    yield folded("Principles broken, per 100 moves", heat_table("", kinds, rows, ".1f"))
    for member in members:
        assert member.adherence is not None
        labels = [[label, f"{count:,}"] for label, count in member.adherence.labels.items()]
        yield folded(f"Labels: {member.name}", table(["label", "moves"], labels))


def _broken(member: Behaviour) -> dict[str, int]:
    return {} if member.adherence is None else member.adherence.violations


def _moves(member: Behaviour) -> int:
    return 0 if member.adherence is None else member.adherence.moves


def _diversity(pool: Pool) -> Iterator[str]:
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


def _features(pool: Pool) -> str:
    names = pool.members[0].features.names
    hanabi = isinstance(pool.game, Hanabi)
    scale, form = (100, ".0f") if hanabi else (1, ".1f")
    rows = [
        (name, [float(member.features.values[i]) * scale for member in pool.members]) for i, name in enumerate(names)
    ]
    happened = [row for row in rows if any(row[1])]
    shown = heat_table("", [member.name for member in pool.members], rows if hanabi else happened, form)
    if not hanabi:
        return shown + paragraph("What never happened is left out.", "soft small")
    says = [[rate.name, rate.says] for rate in RATES]
    return paragraph("Per cent.", "soft small") + shown + folded("What the rates are", listing(says))


def action_sections(member: Behaviour) -> str:
    """The tables of one agent, closed until somebody asks."""
    assert member.actions is not None
    assert member.kinds is not None
    return folded(member.name, action_heat(member.kinds), action_heat(member.actions))


def action_heat(counted: ActionTable) -> str:
    """P(next | last) in per cent, with the overall shares below."""
    rows = [
        (label, [None if math.isnan(share) else 100 * float(share) for share in line])
        for label, line in zip(counted.labels, counted.given, strict=True)
    ]
    rows.append(("any", [100 * float(share) for share in counted.overall]))
    return heat_table("last, then", counted.labels, rows)


def _method(pool: Pool) -> str:
    rows = [[member.name, f"{len(member.episodes):,} games"] for member in pool.members]
    rows += [["game", f"{pool.game.name} version {pool.game.version}"], ["coplay", __version__]]
    return listing(rows)


def _short(one: Estimate) -> str:
    return "–" if math.isnan(one.value) else f"{one.value:.3f}"
