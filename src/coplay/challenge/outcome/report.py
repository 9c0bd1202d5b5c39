"""One page about a closed challenge, for the paper that follows: made from its export alone, on any machine."""

from __future__ import annotations

import dataclasses
import datetime
import json
from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from coplay.challenge.audit import WITHHELD
from coplay.challenge.audit import Line as AuditLine
from coplay.challenge.outcome.board import Line, ranked
from coplay.challenge.outcome.rating import company, rating_of
from coplay.challenge.outcome.verify import drawn_for, read_export, verify_content, voided
from coplay.challenge.rules import Configuration, Phase, Rules, read_rules
from coplay.files import write_whole
from coplay.measure.stats import Estimate, bootstrap
from coplay.report.charts import Mark
from coplay.report.html import bounds, counted, document, heat_table, listing, paragraph, section, table
from coplay.report.sections.score_strip import score_strip
from coplay.sides import sides_of

RATING = ("rating", "rating_low", "rating_high", "rounds")  # not in exports of before there were any

# What a host can do to games, scores and entrants, as the audit calls it.
DEEDS = (
    "partners accepted",
    "deal released",
    "deal voided",
    "forfeit undone",
    "score undone",
    "results withdrawn",
    "entrant rejected",
    "entrant banned",
    "attempt frozen",
    "challenge paused",
)


class CountedGame(NamedTuple):
    """One game that counts."""

    entrant: str
    configuration: str
    partner: str
    score: float
    turns: int
    status: str
    deal: int


def write_challenge_report(export: str, out: str, data: Sequence[str] = ()) -> list[str]:
    """Writes the page; returns what was computed again and agrees. Nothing is written if something does not."""
    content = read_export(export)
    checked = list(verify_content(export, content, data))
    write_whole(out, challenge_page(content, checked))
    return checked


def challenge_page(content: dict[str, Any], checked: Sequence[str]) -> str:
    """The page as HTML."""
    challenge, rules = content["challenge"], read_rules(content["challenge"]["rules"])
    content = content | {"attempts": _numbered(content["attempts"])}
    lines, games = _lines(content), _games(content, rules)
    body = [_head(challenge, rules)]
    for name in dict.fromkeys(line.configuration for line in lines):
        body.append(_board(name, rules, [line for line in lines if line.configuration == name]))
        own = [game for game in games if game.configuration == name]
        if own:
            body += [_partners(name, own), _ratings(name, rules, own, content)]
    body += [_cost(content, games), _rules(challenge, rules), _integrity(content, checked)]
    return document(f"{rules.title}: report", "\n".join(body))


def _games(content: dict[str, Any], rules: Rules) -> list[CountedGame]:
    sides = {one.name: sides_of(one.make()) for one in rules.configurations}
    return [
        CountedGame(
            _name(attempt),
            game["configuration"],
            company(json.loads(game["partners"]), _seats(game), sides[game["configuration"]]),
            game["score"],
            len(game["actions"]),
            game["status"],
            game["deal"],
        )
        for attempt in content["attempts"]
        for game in attempt["tables"]
        if game["score"] is not None
    ]


def _seats(game: dict[str, Any]) -> list[int]:
    """The entrant's."""
    return [int(seat) for seat in game["seats"].split(",")]


def _numbered(attempts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Attempts of several phases are counted in each by itself."""
    count: Counter[tuple[str, str]] = Counter()
    found = []
    for attempt in attempts:
        played = attempt["entrant"]["id"], attempt["configurations"]
        count[played] += 1
        found.append(attempt | {"number": count[played]})
    return found


def _name(attempt: dict[str, Any]) -> str:
    """The entrant; of several attempts each."""
    number = f", attempt {attempt['number']}" if attempt["number"] > 1 else ""
    return f"{attempt['entrant']['name']}{number}"


def _lines(content: dict[str, Any]) -> list[Line]:
    """The board, as the site shows it."""
    known = {field.name for field in dataclasses.fields(Line)}
    found = []
    for attempt in content["attempts"]:
        entrant = attempt["entrant"]
        about = {name: entrant[name] for name in ("method", "human_data", "baseline")}
        about["track"] = entrant.get("track", "")
        about |= {"entrant": _name(attempt), "entrant_id": entrant["id"], "attempt_id": attempt["id"], "rank": 0}
        about |= {name: content["challenge"][name] for name in ("rules_version", "pool_hash")}
        for result in attempt["results"]:
            own: dict[str, Any] = dict.fromkeys(RATING) | {
                name: value for name, value in result.items() if name in known
            }
            found.append(Line(**about, **own, date=attempt["finished"] or 0.0))
    return ranked(found)


def _head(challenge: dict[str, Any], rules: Rules) -> str:
    when = f"{_day(challenge['opened'])} to {_day(challenge['closed'])}"
    text = paragraph(rules.description) if rules.description else ""
    return (
        f'<header><p class="soft small">A challenge of cooperation with strangers, {when}</p>'
        f"<h1>{escape(rules.title)}</h1>{text}</header>"
    )


def _board(name: str, rules: Rules, lines: Sequence[Line]) -> str:
    """Who did how well; nobody's place is told apart whose interval reaches the best of its group."""
    best = next((one.make().max_score for one in rules.configurations if one.name == name), None)
    marks = [
        Mark(line.entrant, line.mean, line.low, line.high, f"{line.games:,}", "own" if line.baseline else "")
        for line in lines
        if line.mean is not None and line.status == "shown"
    ]
    head = ["", "entrant", "mean", "95 %", "median", "games", "forfeits", "cross-entropy"]
    rows = [[_place(line), line.entrant, *_figures(line)] for line in lines]
    if rules.tracks:
        titles = {one.name: one.title or one.name for one in rules.tracks}
        head, rows = [*head, "track"], [[*row, titles[line.track]] for row, line in zip(rows, lines, strict=True)]
    told = "Dot: mean score; band: 95 % bootstrap interval over games. Lines whose intervals meet share a place. "
    told += "A baseline is bold. Cross-entropy: nats per decision in recorded games (per seat and turn, as AH2AC2)."
    chart = score_strip(marks, best, "games") if marks else ""
    methods = listing([(line.entrant, f"{line.method} · games of people used: {line.human_data}") for line in lines])
    return section(name, chart, table(head, rows, 2), paragraph(told, "soft small"), methods)


def _place(line: Line) -> str:
    return line.status if line.status != "shown" else f"{line.rank}{' partial' if line.partial else ''}"


def _figures(line: Line) -> list[str]:
    crossed = "–"
    if line.cross_entropy is not None:
        crossed = f"{line.cross_entropy:.3f} ({line.cross_entropy_per_seat:.3f})"
    if line.mean is None:
        return ["–", "–", "–", "–", "–", crossed]
    median = "–" if line.median is None else f"{line.median:g}"
    return [f"{line.mean:.3f}", bounds(line.low, line.high, 3), median, f"{line.games:,}", str(line.forfeits), crossed]


def _partners(name: str, games: Sequence[CountedGame]) -> str:
    """Mean scores with each partner, and how hard each is."""
    partners, entrants = _in_order(games, "partner"), _in_order(games, "entrant")
    scores: dict[tuple[str, str], list[float]] = {}
    for game in games:
        scores.setdefault((game.entrant, game.partner), []).append(game.score)
    means = {place: float(np.mean(values)) for place, values in scores.items()}
    rows = [(entrant, [means.get((entrant, partner)) for partner in partners]) for entrant in entrants]
    marks = []
    for partner in partners:
        found = [game.score for game in games if game.partner == partner]
        marks.append(Mark.of(partner, _mean(found), f"{len(found):,}"))
    told = "Mean score of each entrant with each partner; below, of all entrants together with each partner, with 95 % "
    told += "bootstrap intervals over games."
    heat = heat_table("entrant", partners, rows, ".2f")
    return section(f"{name}: with whom", heat, score_strip(marks, None, "games"), paragraph(told, "soft small"))


def _ratings(name: str, rules: Rules, games: Sequence[CountedGame], content: dict[str, Any]) -> str:
    """What may be read at any time, between unequal numbers of games too."""
    best, found = rules.configuration(name).make().max_score, {}
    audit = [AuditLine(**line) for line in content["audit"] if line["detail"] != WITHHELD]
    for attempt in content["attempts"]:
        scores = {game.deal: game.score for game in games if game.entrant == _name(attempt)}
        drawn = [one for one in drawn_for(attempt, rules, content["challenge"]["secret"]) if one.configuration == name]
        out = {deal for configuration, deal in voided(audit, attempt["id"]) if configuration == name}
        found[_name(attempt)] = rating_of(drawn, scores, out, best)
    ordered = sorted(((who, it) for who, it in found.items() if it), key=lambda pair: -pair[1].low)
    rows = [[who, f"{it.n:,}", f"{it.value:.3f}", bounds(it.low, it.high, 3)] for who, it in ordered]
    if not rows:
        return ""
    told = "A round is one game with each partner, so that every partner counts the same. These intervals hold for all "
    told += (
        "numbers of rounds at once (an empirical Bernstein confidence sequence): they are wider than those above, and "
    )
    told += "nobody gains by stopping early, by looking often, or by leaving games unfinished. The surest stands first."
    return section(
        f"{name}: at any time",
        table(["entrant", "rounds", "mean", "95 % at any time"], rows),
        paragraph(told, "soft small"),
    )


def _in_order(games: Sequence[CountedGame], what: str) -> list[str]:
    """Names, those with the highest mean first."""
    found: dict[str, list[float]] = {}
    for game in games:
        found.setdefault(getattr(game, what), []).append(game.score)
    return sorted(found, key=lambda name: -float(np.mean(found[name])))


def _mean(scores: Sequence[float]) -> Estimate:
    values = np.asarray(scores)
    if len(values) < 2:
        return Estimate(float(values.mean()), float("nan"), float("nan"), len(values))
    return bootstrap(values, np.mean)


def _cost(content: dict[str, Any], games: Sequence[CountedGame]) -> str:
    """What the evaluation took: games, turns, and the time from the start of an attempt to its end."""
    head = ["entrant", "games", "turns", "forfeits", "from start to end"]
    rows = []
    for attempt in content["attempts"]:
        own = [game for game in games if game.entrant == _name(attempt)]
        lasted = (attempt["finished"] or attempt["created"]) - attempt["created"]
        figures = [len(own), sum(game.turns for game in own), sum(game.status == "forfeit" for game in own)]
        rows.append([_name(attempt), *(f"{figure:,}" for figure in figures), _duration(lasted)])
    total = f"{counted(len(games), 'game')} and {counted(sum(game.turns for game in games), 'turn')} in all. "
    total += "The time is that of the clock on the wall and includes pauses of the entrant and of the server."
    return section("What it took", table(head, rows), paragraph(total, "soft small"))


def _rules(challenge: dict[str, Any], rules: Rules) -> str:
    head = ["configuration", "game", "games", "seatings", "partners"]
    rows = [
        [one.name, _game(one), f"{one.games:,}", _seatings(one), _partner_names(one)] for one in rules.configurations
    ]
    deals = "own deals for every attempt" if rules.deals == "own" else "the same deals for every attempt"
    facts = [
        ("attempts", f"{rules.attempts} per entrant{' and phase' if rules.phases else ''}, {deals}"),
        *((f"phase {one.name}", _phase(one)) for one in rules.phases),
        ("clock", f"{rules.clock.move:g} s a move, {rules.clock.bank:g} s a game in all beyond that"),
        ("illegal actions", f"number {rules.offences} in a game forfeits it"),
        ("rules", challenge["rules_version"]),
        ("partners", challenge["pool_hash"]),
        ("secret", f"{challenge['secret']} (its hash, {challenge['secret_hash']}, was public from the start)"),
    ]
    return section("How it was played", table(head, rows, 2), listing(facts))


def _phase(phase: Phase) -> str:
    dates = [moment and f"{moment:%Y-%m-%d %H:%M} UTC" for moment in (phase.opens, phase.closes)]
    return f"{', '.join(phase.configurations)}, from {dates[0] or 'the opening'} to {dates[1] or 'the close'}"


def _game(one: Configuration) -> str:
    return ", ".join([one.game, *(f"{name} {value}" for name, value in one.settings.items())])


def _partner_names(one: Configuration) -> str:
    return ", ".join(one.partners) + (" (mixed)" if one.mixed else "")


def _seatings(one: Configuration) -> str:
    return "; ".join(" and ".join(map(str, seats)) for seats in one.seatings)


def _integrity(content: dict[str, Any], checked: Sequence[str]) -> str:
    """What was computed again for this page, and what the host did."""
    own, last = _own_lines(content), content["audit"][-1]
    deeds = Counter(line["what"] for line in own)
    done = [(what, f"{deeds[what]}: {_reasons(own, what)}") for what in DEEDS if deeds[what]]
    facts = [("audit", f"{len(content['audit'])} lines; the last one's hash is {last['hash']}"), *done]
    if not done:
        facts.append(("the host", "undid no score or forfeit, took out no deal, banned nobody"))
    again = "".join(f"<li>{escape(line)}</li>" for line in checked)
    return section("Can it be trusted?", f"<p>Computed again for this page:</p><ul>{again}</ul>", listing(facts))


def _own_lines(content: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines of the audit that are about this challenge; a server may have others."""
    audit = [line | {"said": json.loads(line["detail"] or "{}")} for line in content["audit"]]
    id = content["challenge"]["id"]
    about = {"id": {id}, "attempt": {one["id"] for one in content["attempts"]}}
    about["entrant"] = {line["said"].get("entrant") for line in audit if line["said"].get("challenge") == id} - {None}
    return [line for line in audit if any(line["said"].get(name, "") in ids for name, ids in about.items())]


def _reasons(lines: Sequence[dict[str, Any]], what: str) -> str:
    given = [str(line["said"].get("reason") or line["said"].get("why") or "") for line in lines if line["what"] == what]
    return "; ".join(dict.fromkeys(reason for reason in given if reason)) or "no reason given"


def _day(seconds: float | None) -> str:
    return "?" if seconds is None else datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d")


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
