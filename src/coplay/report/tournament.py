"""A tournament as tables, figures and one page: who works well with others, skill taken out."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator
from html import escape
from typing import Any

from coplay.data.whole_file import write_whole
from coplay.measure.stats import Estimate
from coplay.measure.tournament import TournamentFolder
from coplay.measure.tournament_results import METHOD, Standing, TournamentResult
from coplay.report.charts import Mark, Point, scatter, standalone, strip
from coplay.report.csv_text import csv_text
from coplay.report.html import document, folded, heat_table, interval, listing, paragraph, section, table
from coplay.report.tournament_tables import agent_rows, known, match_rows, pair_rows, summary, teams


def write_tournament(folder: TournamentFolder, result: TournamentResult) -> None:
    """agents.csv, matches.csv, rel-skill.csv, pairs.csv, summary.json, figures/ and report.html."""
    agents = result.run["agents"]
    tables = {
        "agents": agent_rows(result),
        "matches": match_rows(result),
        "rel-skill": [["agent", *agents], *([name, *map(float, result.rel_skill[i])] for i, name in enumerate(agents))],
        "pairs": pair_rows(result),
    }
    for name, rows in tables.items():
        write_whole(folder / f"{name}.csv", csv_text(rows))
    figures = {"teamwork": _teamwork_chart(result), "skill-and-teamwork": _map(result)}
    for name, chart in figures.items():
        write_whole(folder / f"figures/{name}.svg", standalone(chart))
        write_whole(folder / f"figures/{name}.csv", csv_text(agent_rows(result)))
    write_whole(folder / "summary.json", json.dumps(summary(result), indent=1) + "\n")
    write_whole(folder / "report.html", tournament_page(result, *figures.values()))


def print_tournament(result: TournamentResult) -> None:
    """The table on the terminal, best teamwork first."""
    run = result.run
    print(f"{_game_name(run)}, {_amount(result)}\n")
    wide = max(len(line.agent) for line in result.standings)
    norm = f"{'normTeamwork':>14}" if result.reference else ""
    print(f"{'agent':<{wide}} {'teamworkAGD':>24} {'skillAGD':>10} {'dropinAGD':>10} {'copies':>8} {'mixed':>8}{norm}")
    for line in result.standings:
        last = "" if line.normalised is None else f"{line.normalised:>+14.2f}"
        print(
            f"{line.agent:<{wide}} {_signed(line.teamwork):>24} {line.skill.value:>+10.2f} {line.dropin.value:>+10.2f}"
            f" {line.copies.value:>8.2f} {line.mean_score:>8.2f}{last}"
        )
    for words in result.warnings:
        print(f"Note: {words}")
    if result.forfeits:
        print(f"{result.forfeits} games were forfeited and count as 0; games.csv says why.")


def tournament_page(result: TournamentResult, chart: str, picture: str) -> str:
    """The page as text."""
    run = result.run
    what = f"{_game_name(run)} · {len(run['agents'])} agents · {_amount(result)}"
    body = [
        '<header><p class="soft small">Who works well with partners it has never met, whatever its skill?</p>'
        f"<h1>Drop-in tournament</h1>{paragraph(what, 'soft')}</header>",
        section("Teamwork apart from skill", _verdict(result), chart, paragraph(_legend(result), "soft small")),
        section(
            "Skill and teamwork",
            picture,
            paragraph(
                "Right: more points than others in a team of its own copies. Up: more points for its mixed teams than "
                "that skill explains. Dashed: zero.",
                "soft small",
            ),
        ),
        section("All numbers", _numbers(result)),
        *_pairs(result),
        section("Matches", *_matches(result)),
        section("How it was measured", _method(result)),
    ]
    return document(f"Tournament: {_game_name(run)}", "\n".join(body))


_LEGEND = (
    "Dot: teamworkAGD, the points per deal that mixed teams gain by this agent beyond what its skill explains; band: "
    "95 % interval; skill: skillAGD. Blue: certainly above zero; red: below; grey: not certain."
)


def _legend(result: TournamentResult) -> str:
    return _LEGEND + (" In the order of normTeamworkAGD, see all numbers." if result.reference else "")


def _verdict(result: TournamentResult) -> str:
    above = [line.agent for line in result.standings if line.teamwork.low > 0]
    below = [line.agent for line in result.standings if line.teamwork.high < 0]
    words = []
    if above:
        words.append(f"Certainly better team players than their skill: {', '.join(above)}.")
    if below:
        words.append(f"Certainly worse: {', '.join(below)}.")
    if not words:
        words.append("No agent's teamwork is certainly above or below what its skill explains; play more deals.")
    by_mean = max(result.standings, key=lambda line: line.mean_score)
    if by_mean.agent != result.standings[0].agent:
        words.append(f"A plain average of scores in mixed teams would put {by_mean.agent} first.")
    notes = list(result.warnings)
    if result.forfeits:
        notes.append(f"{result.forfeits} games were forfeited and count as 0; games.csv says why.")
    return paragraph(" ".join(words)) + "".join(paragraph(note, "bad small") for note in notes)


def _teamwork_chart(result: TournamentResult) -> str:
    marks = []
    for line in result.standings:
        one = line.teamwork
        kind = "bad" if one.high < 0 else "" if one.low > 0 else "unsure"
        marks.append(Mark(line.agent, one.value, known(one.low), known(one.high), f"{line.skill.value:+.2f}", kind))
    ends = [end for mark in marks for end in (mark.value, mark.low, mark.high) if end is not None]
    return strip(marks, min(0.0, *ends), max(0.0, *ends), ("teamwork", "skill"), "+.2f")


def _map(result: TournamentResult) -> str:
    points = [Point(line.agent, line.skill.value, line.teamwork.value) for line in result.standings]
    return scatter(points, ("skillAGD", "teamworkAGD"), zero=True)


def _numbers(result: TournamentResult) -> str:
    head = ["agent", "copies", "mixed teams", "matches", "skillAGD", "dropinAGD", "95 %", "teamworkAGD", "95 %"]
    if result.reference:
        head += ["normOffset", "normTeamworkAGD"]
    rows = [_number_row(line) for line in result.standings]
    return table(head, rows)


def _number_row(line: Standing) -> list[str]:
    last = [] if line.normalised is None else [f"{line.offset:+.3f}", f"{line.normalised:+.3f}"]
    return [
        line.agent,
        f"{line.copies.value:.2f}",
        f"{line.mean_score:.2f}",
        str(line.matches),
        f"{line.skill.value:+.3f}",
        f"{line.dropin.value:+.3f}",
        interval(known(line.dropin.low), known(line.dropin.high)),
        f"{line.teamwork.value:+.3f}",
        interval(known(line.teamwork.low), known(line.teamwork.high)),
        *last,
    ]


def _pairs(result: TournamentResult) -> Iterator[str]:
    """What two agents add by sitting together; nothing where the design cannot tell that from strength."""
    agents, players = result.run["agents"], result.run["players"]
    if players == 1 or len(agents) <= 2 * players:
        return
    together = result.model.teammates
    rows = [
        (name, [None if i == j else float(together[i, j]) for j in range(len(agents))]) for i, name in enumerate(agents)
    ]
    words = (
        "Points per deal that a pair adds to its team beyond what each adds alone, from the linear model; blue adds, "
        "red takes away. Read large values only: the model has more coefficients than a small tournament has matches."
    )
    yield section("Who works with whom", heat_table("", agents, rows, "+.1f"), paragraph(words, "soft small"))


def _matches(result: TournamentResult) -> Iterator[str]:
    means = [
        (float(scores.mean()), [result.run["agents"][agent] for agent in team])
        for one in result.matches
        for team, scores in ((one.team_a, one.scores_a), (one.team_b, one.scores_b))
    ]
    means.sort(key=lambda pair: -pair[0])
    few = min(5, len(means) // 2)
    yield table(
        ["best and worst teams, in seat order", "mean score"],
        [[", ".join(team), f"{mean:.2f}"] for mean, team in [*means[:few], *means[-few:]]],
    )
    rows = [[str(cell) for cell in row] for row in _shown_matches(result)]
    yield folded(f"All {len(rows)} matches", table(["team a", "team b", "a − b", "standard error"], rows))


def _shown_matches(result: TournamentResult) -> Iterator[list[str]]:
    for one in result.matches:
        error = one.standard_error
        yield [*teams(result, one), f"{one.difference:+.2f}", "–" if math.isnan(error) else f"{error:.2f}"]


def _method(result: TournamentResult) -> str:
    run = result.run
    rows = [
        ["matches", f"{len(result.matches)}{', every possible one' if result.complete else ' by Algorithm 1'}"],
        ["deals per match", f"{run['games']:,}"],
        ["games with copies", f"{run['games'] * run['rounds']:,} per agent"],
        ["seed", f"{run['seed']}"],
        ["game", f"{run['game']} version {run['game_version']}"],
        ["coplay", run["coplay"]],
        ["reference", ", ".join(result.reference) or "none, so nothing is normalised"],
    ]
    rows += [[spec, digest[:23] + "…"] for spec, digest in run["files"].items()]
    return f"<pre>{escape(command(result))}</pre>" + listing(rows) + paragraph(METHOD, "soft small")


def command(result: TournamentResult) -> str:
    """What was typed, as far as the settings tell."""
    run = result.run
    words = ["coplay", "tournament", *run["agents"], "--game", run["game"], "--players", str(run["players"])]
    if "layout" in run["game_settings"]:
        words += ["--layout", str(run["game_settings"]["layout"])]
    words += ["--games", str(run["games"]), "--matches", str(run["matches"]), "--seed", str(run["seed"])]
    if result.reference:
        words += ["--reference", ",".join(result.reference)]
    return shlex.join(words)


def _amount(result: TournamentResult) -> str:
    matches, deals = len(result.matches), result.run["games"]
    return f"{matches:,} match{'es' if matches != 1 else ''} of {deals:,} deal{'s'[: deals != 1]}"


def _game_name(run: dict[str, Any]) -> str:
    kitchen = f" ({run['game_settings']['layout']})" if "layout" in run["game_settings"] else ""
    return f"{run['game']}{kitchen}, teams of {run['players']}"


def _signed(one: Estimate) -> str:
    if math.isnan(one.low):
        return f"{one.value:+.2f}"
    return f"{one.value:+.2f} [{one.low:+.2f}, {one.high:+.2f}]"
