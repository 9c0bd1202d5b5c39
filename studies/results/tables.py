"""The five sections of docs/results.md, each made from runs that are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from coplay.game import Game
from coplay.measure import MeasureError, stats
from coplay.measure.adhoc import Trial
from coplay.measure.ah2ac2 import default_proxies
from coplay.measure.robustness.unit_test import PAPER
from coplay.pool.ceilings import Ceiling, ceilings
from studies.results import runs
from studies.results.published import AH2AC2, KNOTT, KNOTT_CLONE, PROXIES
from studies.results.runs import Recorded
from studies.results.work import Section, Table, Work, as_estimate, kind_of, made_by


def adhoc_section(work: Work) -> Section:
    """Ad-hoc teams: in place of one member of every team of the default pool."""
    tables = [_adhoc_table(work, game) for game in runs.hanabi(work)]
    text = [
        f"`coplay adhoc AGENT`: {work.size.trials:,} trials per team, {work.size.sets} sets of ten games ([how]"
        "(measures/adhoc.md)). The mean is over all teams, with an interval that draws teams and sets. None of these "
        "agents learns from the games; `examples/mimic.py` does.",
        "The Hanabi challenge defines the protocol but prints no number that can be set beside these: its crosstables "
        "show its own learning agents, which are not published, and say that teams of different ones score little more "
        "than zero.",
    ]
    return Section("adhoc", "Ad-hoc teams", text, tables)


def _adhoc_table(work: Work, game: Game) -> Table:
    found: dict[str, list[Trial]] = {}
    pairs = runs.strangers(work, game)
    for agent, team in pairs:
        found.setdefault(agent, []).extend(runs.trials(work, game, agent, team))
    alone = {team: runs.alone(work, game, team) for team in dict.fromkeys(team for _, team in pairs)}
    joined = [team for team in alone if alone[team] >= runs.WORTH_JOINING]
    rows = [_adhoc_row(agent, mine) for agent, mine in found.items() if mine]
    words = ", ".join(f"`{team}` {alone[team]:.2f}" for team in joined)
    left = [team for team in alone if team not in joined]
    named = ", ".join(f"`{team}`" for team in left)
    less = f" Left out, because they score less than {runs.WORTH_JOINING:g} by themselves: {named}." if left else ""
    caption = f"{game.players} players. Hold-out teams and what they score by themselves: {words or 'none'}.{less}"
    head = ["agent", "made by", "mean [95 %]", "at zero", "best with", "worst with"]
    return Table(caption, head, [row for _, row in sorted(rows, key=lambda one: -one[0])])


def _adhoc_row(agent: str, rows: Sequence[Trial]) -> tuple[float, list[str]]:
    scores = np.array([row.score for row in rows])
    clusters = ([row.partner for row in rows], [row.set for row in rows])
    mean = stats.bootstrap(scores, np.mean, clusters, resamples=1000)
    teams = sorted({row.partner for row in rows})
    means = {team: float(np.mean([row.score for row in rows if row.partner == team])) for team in teams}
    best, worst = max(teams, key=lambda team: means[team]), min(teams, key=lambda team: means[team])
    cells = [f"`{agent}`", made_by(agent), mean.short(), f"{(scores == 0).mean():.1%}"]
    return mean.value, [*cells, f"`{best}` {means[best]:.2f}", f"`{worst}` {means[worst]:.2f}"]


def ah2ac2_section(work: Work) -> Section:
    """The AH2AC2 protocol with the pool's proxies."""
    text = [
        f"`coplay ah2ac2 CANDIDATE`: every seating and combination, {work.size.games:,} games or a few more ([how]"
        "(measures/ah2ac2.md)).",
        "**The data differ.** The paper's numbers are with its own hidden proxies, made from 101,096 (2 players) and "
        "46,525 (3 players) games of people; ours are with the proxies named above each table, made from what is "
        "public. Equal methods stand in one line; equal numbers would mean nothing.",
        "**Not all are strangers.** The published methods learned from 1,000 games of people. `…-hgroup-bc` and "
        "`…-hgroup-hdr` learned from 20,300 games of the program that the proxy stands for; the proxy was made from "
        "`…-hgroup-bc`, and `…-br-bc` was trained with that clone.",
    ]
    tables = [_ah2ac2_table(work, game) for game in runs.hanabi(work)]
    return Section("ah2ac2", "With proxies of people", text, tables)


def _ah2ac2_table(work: Work, game: Game) -> Table:
    rows = []
    try:
        proxies = default_proxies(game)
    except MeasureError as error:
        return Table(f"{game.players} players. Not measured: {error}", [], [])
    for agent, others in runs.candidates(work, game).items():
        one = runs.with_proxies(work, game, agent, others)
        theirs = AH2AC2.get((kind_of(agent), game.players))
        published = "" if theirs is None else f"{theirs.name} {theirs.mean:.2f} / {theirs.median:g}"
        numbers = [one.mean.short(), f"{one.median.value:g}", f"{one.zero.value:.1%}"]
        rows.append((one.mean.value, [f"`{agent}`", made_by(agent), *numbers, published]))
    best = PROXIES.get(game.players)
    ceiling = (
        "" if best is None else f" Published for the paper's proxies themselves: {best.mean:.2f} / {best.median:g}."
    )
    named = ", ".join(f"`{proxy}`" for proxy in proxies)
    caption = f"{game.players} players. Proxies: {named}; a proxy meets the others.{ceiling}"
    head = ["candidate", "made by", "mean [95 %]", "median", "at zero", "published, other proxies: mean / median"]
    return Table(caption, head, [row for _, row in sorted(rows, key=lambda one: -one[0])])


def prediction_section(work: Work, people: Sequence[Any] = ()) -> Section:
    """Action prediction on the challenge's validation games, and on games of people where files are given."""
    text = [
        "`coplay predict AGENT`: cross-entropy in nats per decision, and in the unit of AH2AC2, which also counts the "
        "turns on which a seat can only wait ([how](measures/prediction.md)). Networks give their own probabilities. "
        "Scripted agents name one action; the share of uniform play mixed in is fitted to the same games.",
        "**The data differ.** The paper's cross-entropies are on closed test games of people. The published methods "
        "learned from 1,000 games, `…-hgroup-bc` from 20,300. Our clones of programs "
        "learned from other deals of these programs. Those of people (`…-human-…`) learned from most of the games of "
        "people below, so they are not judged fairly there: [the pool](pool.md) has their held-out figures.",
    ]
    tables = [_prediction_table(work, recorded) for recorded in runs.recordings(work, people)]
    return Section("prediction", "Action prediction", text, tables)


def _prediction_table(work: Work, recorded: Recorded) -> Table:
    games = recorded.games(work.size.recorded)
    game, rows, chance = games.game, [], None
    for agent in runs.predictors(work, game):
        one = chance = runs.foresight(work, recorded, agent)
        theirs = AH2AC2.get((kind_of(agent), game.players))
        published = "" if theirs is None else f"{theirs.name} {theirs.cross_entropy:.2f}"
        cells = [as_estimate(one["cross_entropy"]).short(), f"{one['paper']:.2f}", f"{one['accuracy']:.1%}"]
        share = f"{one['smoothing']:.2f}" if one["smoothing"] else ""
        rows.append((one["cross_entropy"]["value"], [f"`{agent}`", made_by(agent), *cells, share, published]))
    lines = [row for _, row in sorted(rows, key=lambda one: one[0])]
    if chance is not None:
        uniform = [f"{chance['uniform']:.2f}", f"{chance['paper_uniform']:.2f}", f"{chance['uniform_accuracy']:.1%}"]
        lines.append(["any legal action", "", *uniform, "", ""])
    head = ["agent", "made by", "per decision [95 %]", "unit of AH2AC2", "accuracy", "uniform share"]
    return Table(f"{recorded.label}: {len(games):,} games.", [*head, "published, other games: unit of AH2AC2"], lines)


def proximity_section(work: Work) -> Section:
    """Best-response proximity with every partner whose ceiling is known."""
    text = [
        f"`coplay evaluate AGENT`, {work.size.each:,} games with every partner in every seat, "
        f"{work.size.episodes:,} in kitchens ([how](measures/proximity.md)): inter-quartile mean of the share of the "
        "most that is known to be possible with each partner. That is the highest of three: a trained best response, "
        "the partner's own copies, the best of the agents in the table; the caption says whose it is. Where it is not "
        "a best response, what is possible may be more, and the share less.",
        "**The data differ.** ZSC-Eval, which defines the measure, has partners and best responses of its own, so its "
        "figures are not set beside ours.",
    ]
    tables = [_proximity_table(work, game) for game in runs.proximity_games(work)]
    return Section("proximity", "Best-response proximity", text, [table for table in tables if table.rows])


def _proximity_table(work: Work, game: Game) -> Table:
    rows = []
    known = ceilings(game, runs.met(work, game))
    for agent in work.shipped(game):
        if not known.keys() - {agent}:
            continue
        one = runs.proximity_with(work, game, agent, known)
        split = ["–" if part is None else f"{part.value:.2f}" for part in (one.moderate, one.expert)]
        near = [one.br_prox.short(), "{:.2f} to {:.2f}".format(*one.quartiles)]
        rows.append((one.br_prox.value, [f"`{agent}`", made_by(agent), *near, *split]))
    words = ", ".join(f"`{name}` {found.score:.2f} ({_holder(found)})" for name, found in known.items())
    head = ["agent", "made by", "BR-Prox [95 %]", "middle half", "moderate", "expert"]
    return Table(f"{_name(game)}. Ceilings: {words}.", head, [row for _, row in sorted(rows, key=lambda o: -o[0])])


def _holder(ceiling: Ceiling) -> str:
    return f"`{ceiling.known_by}`" if ceiling.held_by == ceiling.known_by else ceiling.held_by


def _name(game: Game) -> str:
    layout = getattr(game, "layout", "")
    return f"Overcooked, `{layout}`" if layout else f"{game.players} players"


def robustness_section(work: Work) -> Section:
    """The unit tests of collaboration."""
    text = [
        f"`coplay robustness AGENT`: the share of tests passed, {work.size.rollouts} games from every start ([how]"
        "(measures/robustness.md)).",
        "The tests in kitchens are those of Knott et al.; their figures are means over the four kitchens of the first "
        "table about kitchens, so only its lines can be set beside theirs. The tests of Hanabi are our own.",
    ]
    tables = [_robustness_table(work, games) for games in runs.test_places(work)]
    return Section("robustness", "Unit tests", text, tables)


def _robustness_table(work: Work, games: Sequence[Game]) -> Table:
    rows = []
    for agent in runs.tested(work, games):
        one = runs.passed_tests(work, games, agent)
        theirs = KNOTT.get(agent) if len(games) > 1 else None
        published = [] if len(games) == 1 else ["" if theirs is None else _shares(theirs)]
        cells = [as_estimate(one[name]).short() if name in one else "–" for name in PAPER]
        mean = float(np.mean([one[name]["value"] for name in one]))
        rows.append((mean, [f"`{agent}`", made_by(agent), *cells, *published]))
    head = ["agent", "made by", *(f"{name} tests [95 %]" for name in PAPER)]
    if len(games) == 1:
        return Table(f"{_name(games[0])}.", head, [row for _, row in sorted(rows, key=lambda o: -o[0])])
    where = ", ".join(f"`{getattr(game, 'layout', '')}`" for game in games)
    caption = f"Overcooked, mean over {where}. Published for behaviour cloning: {_shares(KNOTT_CLONE)}."
    return Table(caption, [*head, "published"], [row for _, row in sorted(rows, key=lambda o: -o[0])])


def _shares(shares: Sequence[float]) -> str:
    return " / ".join(f"{share:.2f}" for share in shares)


SECTIONS: dict[str, Callable[..., Section]] = {
    "adhoc": adhoc_section,
    "ah2ac2": ah2ac2_section,
    "prediction": prediction_section,
    "proximity": proximity_section,
    "robustness": robustness_section,
}
