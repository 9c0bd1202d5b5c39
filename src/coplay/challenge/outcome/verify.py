"""A challenge in one file, checked by anyone, on any machine.

The file is gzipped JSON: rules, hashes, secret, attempts, games with seeds and logs, answers to predictions, results
and the audit. Only a closed challenge is exported: others may still play its deals. No contact and no key is in it.
"""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from coplay.challenge.audit import WITHHELD, Line, broken_link, entry_hash
from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome import prediction
from coplay.challenge.outcome.rating import rating_of
from coplay.challenge.outcome.scoring import Record, log_hash, scores_of, summary
from coplay.challenge.rules import Prediction, Rules, read_rules
from coplay.challenge.schedule import Seating, draw, schedule_hash, secret_hash
from coplay.data.formats import read
from coplay.data.recorded import recorded_file

FORMAT = "coplay challenge 1"
TELL_FIGURES = ("configuration scored", "prediction scored", "score undone")  # lines of the audit
PUNCTUAL = 1.0  # seconds from the look at the clock to the line in the audit
HASHES = ("rules_version", "secret_hash", "pool_hash")


def verify_export(path: str, data: Sequence[str] = ()) -> Iterator[str]:
    """As `verify_content`, of a file."""
    return verify_content(path, read_export(path), data)


def verify_content(path: str, content: dict[str, Any], data: Sequence[str] = ()) -> Iterator[str]:
    """Yields a line for everything that was computed again and agrees; raises at the first that does not.

    `data`: the recorded games whose actions were foreseen, a file or set for each number of players. They are not in
    the export, because people may have played them in confidence; without them cross-entropies are held against the
    audit alone.
    """
    challenge, audit = content["challenge"], [Line(**line) for line in content["audit"]]
    if problem := broken_link(audit, withheld=True):
        raise ChallengeError(f"{path}: {problem}.")
    yield f"audit: {len(audit)} lines, each with the hash of the one before"
    yield from _verify_withdrawn(path, content["attempts"], audit)
    audit = [line for line in audit if line.detail != WITHHELD]
    rules = read_rules(challenge["rules"], path)
    if rules.version != challenge["rules_version"] or secret_hash(challenge["secret"]) != challenge["secret_hash"]:
        raise ChallengeError(f"{path}: rules or secret are not those whose hashes were published.")
    _in_audit(path, audit, "challenge made", challenge["id"], "id", {name: challenge[name] for name in HASHES[:2]})
    accepted = [line for line in audit if line.what == "partners accepted" and _id(line) == challenge["id"]]
    last = "partners accepted" if accepted else "challenge made"
    _in_audit(path, audit, last, challenge["id"], "id", {"pool_hash": challenge["pool_hash"]})
    yield "rules, partners and secret: have the hashes that were written down when the challenge was made"
    _verify_entrants(path, content["attempts"], rules, audit)
    for attempt in content["attempts"]:
        _verify_phase(path, attempt, rules, audit)
        yield _verify_games(path, attempt, rules, challenge["secret"], audit)
        yield from _verify_predictions(path, attempt, rules, data, audit)


def _verify_withdrawn(path: str, attempts: list[dict[str, Any]], audit: list[Line]) -> Iterator[str]:
    """What was withdrawn is left out, and nothing else is."""
    for attempt in attempts:
        gone = [result["configuration"] for result in attempt["results"] if result["status"] == "withdrawn"]
        if gone:
            entrant = attempt["entrant"]
            _in_audit(_where(path, attempt), audit, "results withdrawn", entrant["id"], "entrant", {})
            yield f"{entrant['name']}: {', '.join(gone)} withdrawn; its games and figures are not in the file"
    some = any(result["status"] == "withdrawn" for attempt in attempts for result in attempt["results"])
    for line in audit:
        if line.detail == WITHHELD and not (some and line.what in TELL_FIGURES):
            raise ChallengeError(f"{path}: line {line.number} of the audit ({line.what}) says nothing.")


def _verify_entrants(path: str, attempts: list[dict[str, Any]], rules: Rules, audit: list[Line]) -> None:
    """Who they say they are, their track and the terms they accepted are as registered, and as the rules have them."""
    tracks = [one.name for one in rules.tracks] or [""]
    said = {one["entrant"]: one for line in audit if line.what == "entrant registered" for one in [_detail(line)]}
    for entrant in (attempt["entrant"] for attempt in attempts):
        track, terms = entrant.get("track", ""), entrant.get("terms", "")
        own = entry_hash(entrant["name"], entrant["method"], entrant["human_data"], track, terms)
        if said.get(entrant["id"], {}).get("entry_hash", own) != own:
            raise ChallengeError(f"{path}: {entrant['name']!r} is not what it registered as.")
        if track not in tracks or terms != rules.terms_version:
            raise ChallengeError(
                f"{path}: {entrant['name']!r} is in track {track!r} and accepted terms {terms!r}; "
                f"the rules have {tracks} and {rules.terms_version!r}."
            )


def _verify_phase(path: str, attempt: dict[str, Any], rules: Rules, audit: list[Line]) -> None:
    """An attempt plays the configurations of one phase, and began in it."""
    if not rules.phases:
        return
    phase, where = rules.phase_of(json.loads(attempt["configurations"])), _where(path, attempt)
    if phase is None:
        raise ChallengeError(f"{where}: its configurations are those of no phase.")
    begun = (line.at for line in audit if line.what == "attempt started" and _detail(line)["attempt"] == attempt["id"])
    at = next(begun, None)
    early = at is not None and phase.opens is not None and at < phase.opens.timestamp()
    late = at is not None and phase.closes is not None and at > phase.closes.timestamp() + PUNCTUAL
    if at is None or early or late:
        raise ChallengeError(f"{where}: it did not begin in the phase {phase.name}.")


def _verify_games(path: str, attempt: dict[str, Any], rules: Rules, secret: str, audit: list[Line]) -> str:
    where = _where(path, attempt)
    games = [Record(**{name: _tuple(table[name]) for name in Record._fields}) for table in attempt["tables"]]
    _in_audit(where, audit, "attempt started", attempt["id"], "attempt", {"schedule_hash": attempt["schedule_hash"]})
    schedule, out = drawn_for(attempt, rules, secret), voided(audit, attempt["id"])
    _verify_schedule(where, attempt, games, schedule, out)
    scores = scores_of(attempt["configurations"], games)
    for table in attempt["tables"]:
        if table["score"] != scores[table["id"]]:
            raise ChallengeError(
                f"{where}: table {table['id']} replays to {scores[table['id']]:g}, not {table['score']}."
            )
    results = [result for result in _standing(attempt) if result["mean"] is not None]
    for result in results:
        part = [one for one in games if one.configuration == result["configuration"]]
        _verify_result(f"{where}, {result['configuration']}", attempt["id"], result, part, scores, audit)
        _verify_rating(f"{where}, {result['configuration']}", result, rules, schedule, out, part, scores)
    if not games and len(results) < len(attempt["results"]):
        return f"{attempt['entrant']['name']}: its schedule is the one the secret gives"
    means = ", ".join(f"{one['configuration']} {one['mean']:.4f} ({one['games']} games)" for one in results)
    return f"{attempt['entrant']['name']}: {len(games)} games drawn and replayed again, every score agrees: {means}"


def _verify_predictions(
    path: str, attempt: dict[str, Any], rules: Rules, data: Sequence[str], audit: list[Line]
) -> Iterator[str]:
    for result in (result for result in _standing(attempt) if result["mean"] is None):
        where, said = f"{_where(path, attempt)}, {result['configuration']}", result["cross_entropy"]
        name = {} if len(rules.predictions) == 1 else {"configuration": result["configuration"]}
        _in_audit(where, audit, "prediction scored", attempt["id"], "attempt", {"cross_entropy": said} | name)
        told = f"{attempt['entrant']['name']}: {result['configuration']}, cross-entropy {said:.4f}"
        number, games = _foreseen(rules, data, result["configuration"])
        if games is None:
            yield f"{told} as in the audit; with --data GAMES it is computed again"
            continue
        given = [prediction.Answer(game, turn, base64.b64decode(text)) for game, turn, text in attempt["answers"]]
        given = prediction.of_set(given, number)
        found = prediction.judge(given, games).value
        if abs(found - said) > 1e-9:
            raise ChallengeError(f"{where}: the cross-entropy is {found:g} by the answers, not {said:g}.")
        yield f"{told}, computed again from {len(given)} answers"


def _foreseen(rules: Rules, data: Sequence[str], configuration: str) -> tuple[int, prediction.Recorded | None]:
    """Which of the rules' sets of games a result is of, and those games where `data` has them."""
    for number, one in enumerate(prediction.sets_of(rules)):
        for file in data:
            asked = dataclasses.replace(one, data=file)
            if prediction.name_of(asked) == configuration and _fits(file, asked):
                return number, prediction.recorded(asked)
    return 0, None


def _fits(file: str, asked: Prediction) -> bool:
    found = read(recorded_file(file, asked.players), check=False).game.players
    return asked.players in (None, found)


def _standing(attempt: dict[str, Any]) -> list[dict[str, Any]]:
    """The results that were not withdrawn."""
    return [result for result in attempt["results"] if result["status"] != "withdrawn"]


def _where(path: str, attempt: dict[str, Any]) -> str:
    return f"{path}, attempt {attempt['id']} of {attempt['entrant']['name']!r}"


def _verify_result(
    where: str,
    attempt: str,
    result: dict[str, Any],
    games: list[Record],
    scores: dict[str, float],
    audit: list[Line],
) -> None:
    if log_hash(games) != result["log_hash"]:
        raise ChallengeError(f"{where}: the logs are not those that were scored.")
    said = {name: result[name] for name in ("configuration", "log_hash", "mean", "partial")}
    _in_audit(where, audit, "configuration scored", attempt, "attempt", said)
    for name, value in summary(games, scores)._asdict().items():
        if abs(result[name] - value) > 1e-9:
            raise ChallengeError(f"{where}: {name} is {value:g} by the logs, not {result[name]:g}.")


def _verify_rating(
    where: str,
    result: dict[str, Any],
    rules: Rules,
    schedule: list[Seating],
    out: set[tuple[str, int]],
    games: list[Record],
    scores: dict[str, float],
) -> None:
    """An export of before there were ratings has none."""
    if result.get("rounds") is None:
        return
    name = result["configuration"]
    drawn = [one for one in schedule if one.configuration == name]
    taken = {deal for configuration, deal in out if configuration == name}
    by_deal = {one.deal: scores[one.id] for one in games}
    found = rating_of(drawn, by_deal, taken, rules.configuration(name).make().max_score)
    again = (found.value, found.low, found.high, found.n) if found else (None, None, None, 0)
    for field, value in zip(("rating", "rating_low", "rating_high", "rounds"), again, strict=True):
        said = result[field]
        if (value is None) != (said is None) or (value is not None and abs(said - value) > 1e-9):
            raise ChallengeError(f"{where}: {field} is {value} by the logs, not {said}.")


def drawn_for(attempt: dict[str, Any], rules: Rules, secret: str) -> list[Seating]:
    """The schedule of an attempt of an export."""
    return draw(rules, secret, attempt["id"], only=json.loads(attempt["configurations"]))


def voided(audit: list[Line], attempt: str) -> set[tuple[str, int]]:
    """The deals that the host took out of an attempt."""
    said = [json.loads(line.detail) for line in audit if line.what == "deal voided"]
    return {(one["configuration"], one["deal"]) for one in said if one["attempt"] == attempt}


def _verify_schedule(
    where: str,
    attempt: dict[str, Any],
    games: list[Record],
    schedule: list[Seating],
    out: set[tuple[str, int]],
) -> None:
    if schedule_hash(schedule) != attempt["schedule_hash"]:
        raise ChallengeError(f"{where}: its schedule is not the one the secret gives.")
    drawn = {
        (one.configuration, one.deal): (one.seed, ",".join(map(str, one.seats)), list(one.partners)) for one in schedule
    }
    for one in games:
        if drawn.get((one.configuration, one.deal)) != (one.seed, one.seats, json.loads(one.partners)):
            raise ChallengeError(f"{where}: table {one.id} is not of its schedule.")
    played = Counter((one.configuration, one.deal) for one in games)
    whole = {result["configuration"] for result in _standing(attempt) if not result["partial"]}
    lacks = [deal for deal in drawn if deal[0] in whole and deal not in played and deal not in out]
    if lacks or any(count > 1 for count in played.values()):
        raise ChallengeError(f"{where}: not every deal of its schedule was played once.")


def _in_audit(where: str, audit: list[Line], what: str, id: str, field: str, detail: dict[str, Any]) -> None:
    """Such a line must be in the audit, and say the same."""
    for line in audit:
        said = json.loads(line.detail or "{}")
        same = line.what == what and said.get(field) == id
        if same and all(said.get(name) == value for name, value in detail.items()):
            return
    raise ChallengeError(f"{where}: the audit does not confirm {', '.join(detail)} ({what}).")


def _id(line: Line) -> str:
    return _detail(line).get("id", "")


def _detail(line: Line) -> dict[str, Any]:
    return json.loads(line.detail)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def read_export(path: str) -> dict[str, Any]:
    """What is in a file of `coplay challenge export`."""
    try:
        content = json.loads(gzip.decompress(Path(path).read_bytes()))
        if content["format"] != FORMAT:
            raise ValueError(f"its format is {content['format']!r}")
    except (ValueError, KeyError, TypeError, EOFError, gzip.BadGzipFile) as error:
        raise ChallengeError(f"{path} is not a file of `coplay challenge export`: {error}.") from error
    return content
