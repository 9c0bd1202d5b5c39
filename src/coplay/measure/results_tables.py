"""The four sections of docs/results.md, each made from runs that are kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from coplay import __version__
from coplay.agents.spec import agent as make_agent
from coplay.data.challenge import COMMUNITIES, challenge_games
from coplay.data.games import Games
from coplay.games.game import Game
from coplay.games.registry import make
from coplay.measure import MeasureError, stats
from coplay.measure.adhoc import Trial, adhoc
from coplay.measure.agent_files import file_hashes
from coplay.measure.ah2ac2 import ah2ac2, default_proxies, summarise_ah2ac2
from coplay.measure.evaluate import evaluate
from coplay.measure.evaluated_proximity import evaluated_proximity
from coplay.measure.partners import default_partners
from coplay.measure.plain import plain
from coplay.measure.predict import predict
from coplay.measure.results import Section, Table, Work, estimate, kind_of, made_by
from coplay.measure.results_published import AH2AC2, PROXIES
from coplay.measure.summary import finished
from coplay.play.team import is_policy
from coplay.pool.ceilings import ceilings
from coplay.pool.pool import entries

CHANCE = "random"
WORTH_JOINING = 5.0  # points: a team that scores less by itself has nothing to fit into


def _quiet(line: str) -> None:
    del line


def adhoc_section(work: Work) -> Section:
    """Ad-hoc teams: in place of one member of every team of the default pool."""
    tables = [_adhoc_table(work, make("hanabi", players=count)) for count in work.players]
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
    size, teams = work.size, default_partners(game)
    found: dict[str, dict[str, list[Trial]]] = {}
    for agent in work.shipped(game):
        found[agent] = {}
        for team in teams:
            if team != agent:
                place = work.folder("adhoc", game, agent, [team], trials=size.trials, sets=size.sets)
                run = adhoc(game, agent, place, [team], size.trials, size.sets, say=_quiet)
                found[agent][team] = run.complete(size.trials)[team, 10]
        work.say(f"ad-hoc, {game.players} players: {agent}")
    met = {team: rows[team] for rows in found.values() for team in rows}
    alone = {team: float(np.mean([row.team_score for row in met[team]])) for team in teams if team in met}
    joined = [team for team in alone if alone[team] >= WORTH_JOINING]
    rows = []
    for agent, by_team in found.items():
        mine = [row for team in joined if team in by_team for row in by_team[team]]
        if mine:
            rows.append(_adhoc_row(agent, mine))
    words = ", ".join(f"`{team}` {alone[team]:.2f}" for team in joined)
    left = [team for team in alone if team not in joined]
    less = (
        f" Left out, for they score less than {WORTH_JOINING:g}: {', '.join(f'`{t}`' for t in left)}." if left else ""
    )
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
    cells = [f"`{agent}`", made_by(agent), estimate(plain(mean)), f"{(scores == 0).mean():.1%}"]
    return mean.value, [*cells, f"`{best}` {means[best]:.2f}", f"`{worst}` {means[worst]:.2f}"]


def ah2ac2_section(work: Work) -> Section:
    """The AH2AC2 protocol with the pool's proxies."""
    text = [
        f"`coplay ah2ac2 CANDIDATE`: every seating and combination, {work.size.games:,} games or a few more ([how]"
        "(measures/ah2ac2.md)).",
        "**The data differ.** The paper's numbers are with its own hidden proxies, made from 101,096 (2 players) and "
        "46,525 (3 players) games of people; ours are with the proxies named above each table, made from what is "
        "public. Equal methods stand in one line; equal numbers would mean nothing.",
    ]
    tables = [_ah2ac2_table(work, make("hanabi", players=count)) for count in work.players]
    return Section("ah2ac2", "With proxies of people", text, tables)


def _ah2ac2_table(work: Work, game: Game) -> Table:
    rows, size = [], work.size
    try:
        proxies = default_proxies(game)
    except MeasureError as error:
        return Table(f"{game.players} players. Not measured: {error}", [], [])
    for agent in work.shipped(game):
        others = [proxy for proxy in proxies if proxy != agent]
        if not others:
            continue
        place = work.folder("ah2ac2", game, agent, others, games=size.games)
        one = summarise_ah2ac2(ah2ac2(game, agent, place, others, size.games, say=_quiet))["overall"]
        work.say(f"proxies, {game.players} players: {agent}")
        theirs = AH2AC2.get((kind_of(agent), game.players))
        published = "" if theirs is None else f"{theirs.name} {theirs.mean:.2f} / {theirs.median:g}"
        numbers = [estimate(one["mean"]), f"{one['median']['value']:g}", f"{one['zero']['value']:.1%}"]
        rows.append((one["mean"]["value"], [f"`{agent}`", made_by(agent), *numbers, published]))
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
    sources: list[tuple[str, Callable[[], Games]]] = []
    for count in work.players:
        for name in COMMUNITIES:
            label = f"Validation games of `{name}` (programs), {count} players"
            sources.append((label, lambda name=name, count=count: challenge_games(name, count, "val")))
    from coplay.data.kinds import read

    for file in people:
        sources.append((f"Games of people, `{getattr(file, 'name', file)}`", lambda file=file: read(file)))
    text = [
        "`coplay predict AGENT`: cross-entropy in nats per decision, and in the unit of AH2AC2, which also counts the "
        "turns on which a seat can only wait ([how](measures/prediction.md)). Networks give their own probabilities. "
        "Scripted agents name one action; the share of uniform play mixed in is fitted to the same games.",
        "**The data differ.** The paper's cross-entropies are on closed test games of people. Our clones of programs "
        "learned from other deals of these programs. Those of people (`…-human-…`) learned from most of the games of "
        "people below, so they are not judged fairly there: [the pool](pool.md) has their held-out figures.",
    ]
    return Section("prediction", "Action prediction", text, [_prediction_table(work, *source) for source in sources])


def _prediction_table(work: Work, label: str, load: Callable[[], Games]) -> Table:
    games = load()[: work.size.recorded]
    game, rows, chance = games.game, [], None
    contents = hashlib.sha256(games.decks.tobytes() + games.actions.tobytes()).hexdigest()
    for agent in work.shipped(game):
        if agent == CHANCE:
            continue  # the last line is what it is worth
        about = [__version__, contents, game.version, agent, file_hashes([agent])]
        one = work.remembered("prediction", about, lambda agent=agent: _prediction(games, agent))
        work.say(f"prediction, {label}: {agent}")
        chance = one
        theirs = AH2AC2.get((kind_of(agent), game.players))
        published = "" if theirs is None else f"{theirs.name} {theirs.cross_entropy:.2f}"
        cells = [estimate(one["cross_entropy"]), f"{one['paper']:.2f}", f"{one['accuracy']:.1%}"]
        share = f"{one['smoothing']:.2f}" if one["smoothing"] else ""
        rows.append((one["cross_entropy"]["value"], [f"`{agent}`", made_by(agent), *cells, share, published]))
    lines = [row for _, row in sorted(rows, key=lambda one: one[0])]
    if chance is not None:
        uniform = [f"{chance['uniform']:.2f}", f"{chance['paper_uniform']:.2f}", f"{chance['uniform_accuracy']:.1%}"]
        lines.append(["any legal action", "", *uniform, "", ""])
    head = ["agent", "made by", "per decision [95 %]", "unit of AH2AC2", "accuracy", "uniform share"]
    return Table(f"{label}: {len(games):,} games.", [*head, "published, other games: unit of AH2AC2"], lines)


def _prediction(games: Games, agent: str) -> dict[str, Any]:
    found = predict(games, agent, None if kind_of(agent) else "fit")
    result = found.result
    return {
        "cross_entropy": plain(result.cross_entropy),
        "paper": result.paper_cross_entropy.value,
        "accuracy": 0.0 if result.accuracy is None else result.accuracy.value,
        "smoothing": found.smoothing,
        "uniform": result.uniform,
        "paper_uniform": result.paper_uniform,
        "uniform_accuracy": result.uniform_accuracy,
    }


def proximity_section(work: Work) -> Section:
    """Best-response proximity where best responses were measured."""
    layouts = sorted({one.layout for one in entries().values() if one.game == "overcooked"})
    games: list[Game] = [make("hanabi", players=count) for count in work.players]
    games += [make("overcooked", layout=layout) for layout in layouts]
    text = [
        f"`coplay evaluate AGENT` with every partner whose best response was measured, {work.size.games:,} games per "
        f"seating, {work.size.episodes:,} in kitchens ([how](measures/proximity.md)): inter-quartile mean of the share "
        "of the best response's score.",
        "**The data differ.** ZSC-Eval, which defines the measure, has partners of its own, so its figures are not set "
        "beside ours.",
    ]
    tables = [table for game in games if (table := _proximity_table(work, game)) is not None]
    if not tables:
        text.append("No best response has been measured yet, so there is no table.")
    return Section("proximity", "Best-response proximity", text, tables)


def _proximity_table(work: Work, game: Game) -> Table | None:
    known = ceilings(game)
    if not known:
        return None
    rows, kitchen = [], hasattr(game, "layout")
    games = work.size.episodes if kitchen else work.size.games
    for agent in work.shipped(game):
        partners = [partner for partner in known if partner != agent]
        if not partners or (kitchen and not is_policy(make_agent(agent, game))):  # plain agents are slow cooks
            continue
        place = work.folder("proximity", game, agent, partners, games=games)
        run, teams = finished(evaluate(game, agent, place, partners, games, say=_quiet))
        work.say(f"proximity, {_name(game)}: {agent}")
        one = evaluated_proximity(run, {key: rows for key, rows in teams.items() if key[0] != agent})
        assert one is not None
        split = ["–" if one[kind] is None else f"{one[kind]['value']:.2f}" for kind in ("moderate", "expert")]
        beaten = ", ".join(f"`{row['partner']}`" for row in one["partners"] if row["beaten"])
        near = [estimate(one["br_prox"]), "{:.2f} to {:.2f}".format(*one["quartiles"])]
        rows.append((one["br_prox"]["value"], [f"`{agent}`", made_by(agent), *near, *split, beaten]))
    words = ", ".join(f"`{name}` {found.score:.2f} ± {found.standard_error:.2f}" for name, found in known.items())
    head = ["agent", "made by", "BR-Prox [95 %]", "middle half", "moderate", "expert", "ceilings beaten"]
    return Table(f"{_name(game)}. Ceilings: {words}.", head, [row for _, row in sorted(rows, key=lambda o: -o[0])])


def _name(game: Game) -> str:
    layout = getattr(game, "layout", "")
    return f"Overcooked, `{layout}`" if layout else f"{game.players} players"


SECTIONS: dict[str, Callable[[Work], Section]] = {
    "adhoc": adhoc_section,
    "ah2ac2": ah2ac2_section,
    "prediction": prediction_section,
    "proximity": proximity_section,
}
