"""A tournament as tables, figures and one page: who works well with others, skill taken out."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from html import escape

from coplay.files import csv_text, write_whole
from coplay.games import spec_of
from coplay.measure.dropin.plan import TournamentRun
from coplay.measure.dropin.results import Standing, Tournament
from coplay.report.charts import Mark, Point, scatter, standalone, strip
from coplay.report.html import document, folded, forfeited, heat_table, interval, listing, paragraph, section, table
from coplay.report.sections.made import made_rows
from coplay.report.sections.match_to_watch import match_to_watch
from coplay.report.sections.tournament_copies import champion, copies_against_copies, duel_rows
from coplay.report.sections.tournament_tables import agent_rows, match_rows, pair_rows, teams

MOST_IN_A_TABLE = 60  # agents


def write_tournament(result: Tournament) -> None:
    """Tables (agents, matches, rel-skill, pairs, of two sides copies), summary.json, figures/ and report.html."""
    agents, folder = result.run.agents, result.folder
    tables = {
        "agents": agent_rows(result),
        "matches": match_rows(result),
        "rel-skill": [["agent", *agents], *([name, *map(float, result.rel_skill[i])] for i, name in enumerate(agents))],
        "pairs": pair_rows(result),
    }
    if result.duels:
        tables["copies"] = duel_rows(result)
    for name, rows in tables.items():
        write_whole(folder / f"{name}.csv", csv_text(rows))
    figures = {"teamwork": _teamwork_chart(result), "skill-and-teamwork": _map(result)}
    for name, chart in figures.items():
        write_whole(folder / f"figures/{name}.svg", standalone(chart))
        write_whole(folder / f"figures/{name}.csv", csv_text(agent_rows(result)))
    result.to_json(folder / "summary.json")
    write_whole(folder / "report.html", tournament_page(result, *figures.values()))


def print_tournament(result: Tournament) -> None:
    """The table on the terminal, best teamwork first."""
    run = result.run
    print(f"{_game_name(run)}, {_amount(result)}\n")
    wide = max(len(line.agent) for line in result.standings)
    norm = f"{'normTeamwork':>14}" if result.reference else ""
    print(f"{'agent':<{wide}} {'teamworkAGD':>24} {'skillAGD':>10} {'dropinAGD':>10} {'copies':>8} {'mixed':>8}{norm}")
    for line in result.standings:
        last = "" if line.normalised is None else f"{line.normalised:>+14.2f}"
        print(
            f"{line.agent:<{wide}} {line.teamwork.short('+.2f'):>24} {line.skill.value:>+10.2f}"
            f" {line.dropin.value:>+10.2f} {line.copies.value:>8.2f} {line.mean_score:>8.2f}{last}"
        )
    print(
        "\nIn points per deal (AGD: average goal difference). teamworkAGD: what its mixed teams win beyond what skill "
        "\ntells. skillAGD: what skill alone would win. dropinAGD: what they do win. copies, mixed: mean "
        f"{'scores' if run.sides == 1 else 'leads'}."
    )
    if champion(result):
        print(champion(result))
    for words in result.notes:
        print(f"Note: {words}")
    if result.forfeits:
        print(forfeited(result.forfeits))


def tournament_page(result: Tournament, chart: str, picture: str) -> str:
    """The page as text."""
    run = result.run
    what = f"{_game_name(run)} · {len(run.agents)} agents · {_amount(result)}"
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
        *copies_against_copies(result),
        *_pairs(result),
        section("Matches", *_matches(result)),
        *match_to_watch(result),
        section("How it was measured", _method(result)),
    ]
    return document(f"Tournament: {_game_name(run)}", "\n".join(body))


_LEGEND = (
    "Dot: teamworkAGD, the points per deal that mixed teams gain by this agent beyond what its skill explains; band: "
    "95 % interval; skill: skillAGD. Blue: certainly above zero; red: below; grey: not certain."
)


def _legend(result: Tournament) -> str:
    return _LEGEND + (" In the order of normTeamworkAGD, see all numbers." if result.reference else "")


def _verdict(result: Tournament) -> str:
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
    notes = list(result.notes)
    if result.forfeits:
        notes.append(forfeited(result.forfeits))
    return paragraph(" ".join(words)) + "".join(paragraph(note, "bad small") for note in notes)


def _teamwork_chart(result: Tournament) -> str:
    marks = []
    for line in result.standings:
        one = line.teamwork
        kind = "bad" if one.high < 0 else "" if one.low > 0 else "unsure"
        marks.append(Mark.of(line.agent, one, f"{line.skill.value:+.2f}", kind))
    return strip(marks, 0, 0, ("teamwork", "skill"), "+.2f")


def _map(result: Tournament) -> str:
    points = [Point(line.agent, line.skill.value, line.teamwork.value) for line in result.standings]
    return scatter(points, ("skillAGD", "teamworkAGD"), zero=True)


def _numbers(result: Tournament) -> str:
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
        interval(line.dropin),
        f"{line.teamwork.value:+.3f}",
        interval(line.teamwork),
        *last,
    ]


def _pairs(result: Tournament) -> Iterator[str]:
    """What two agents add by sitting together; nothing where the design cannot tell that from strength."""
    agents, per_team = result.run.agents, result.run.per_team
    if per_team == 1 or not 2 * per_team < len(agents) <= MOST_IN_A_TABLE:
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


def _matches(result: Tournament) -> Iterator[str]:
    means = [
        (float(scores.mean()), [result.run.agents[agent] for agent in team])
        for one in result.matches
        for team, scores in ((one.team_a, one.scores_a), (one.team_b, one.scores_b))
    ]
    means.sort(key=lambda pair: -pair[0])
    few = min(5, len(means) // 2)
    yield table(
        ["best and worst teams, in seat order", "mean score" if result.run.sides == 1 else "mean lead"],
        [[", ".join(team), f"{mean:.2f}"] for mean, team in [*means[:few], *means[-few:]]],
    )
    rows = [[str(cell) for cell in row] for row in _shown_matches(result)]
    yield folded(f"All {len(rows)} matches", table(["team a", "team b", "a − b", "standard error"], rows))


def _shown_matches(result: Tournament) -> Iterator[list[str]]:
    for one in result.matches:
        error = one.standard_error
        yield [*teams(result, one), f"{one.difference:+.2f}", "–" if math.isnan(error) else f"{error:.2f}"]


def _method(result: Tournament) -> str:
    run = result.run
    rows = [
        ["matches", _how_many(result)],
        ["deals per match", f"{run.games:,}"],
        ["games with copies", f"{_games_with_copies(result):,} per agent"],
        ["seed", f"{run.seed}"],
        *made_rows(run),
        ["reference", ", ".join(result.reference) or "none, so nothing is normalised"],
    ]
    rows += [[spec, digest[:23] + "…"] for spec, digest in run.files.items()]
    return f"<pre>{escape(command(result))}</pre>" + listing(rows) + paragraph(result.method, "soft small")


def command(result: Tournament) -> str:
    """What was typed, as far as the settings tell."""
    run = result.run
    words = ["coplay", "tournament", *map(run.spec_of, run.agents), "--game", spec_of(run.make_game())]
    words += ["--games", str(run.games), "--seed", str(run.seed)]
    for name in ("matches", "until", "most"):
        if getattr(run, name) is not None:
            words += [f"--{name}", f"{getattr(run, name):g}"]
    if result.reference:
        words += ["--reference", ",".join(result.reference)]
    return shlex.join(words)


def _amount(result: Tournament) -> str:
    matches, deals = len(result.matches), result.run.games
    return f"{matches:,} match{'es' if matches != 1 else ''} of {deals:,} deal{'s'[: deals != 1]}"


def _game_name(run: TournamentRun) -> str:
    return f"{run.game_words}, teams of {run.per_team}"


def _how_many(result: Tournament) -> str:
    played, over = len(result.matches), result.drawn - len(result.matches)
    if result.run.until is None:
        return f"{played:,}{', every possible one' if result.complete else ' by Algorithm 1'}"
    rest = f"; {over:,} more were drawn and not played, for everybody in them was known well enough" if over else ""
    return f"{played:,} by lot, until every teamworkAGD was known to {result.run.until:g} points either way{rest}"


def _games_with_copies(result: Tournament) -> int:
    """Of two sides, on both of them against every other agent's."""
    return result.standings[0].copies.n * (1 if result.run.sides == 1 else 2 * (len(result.run.agents) - 1))
