"""A study as its host writes it: a TOML file. Mistakes name the value, the rule and the remedy."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from coplay.agents.spec import agent
from coplay.challenge.errors import ChallengeError
from coplay.challenge.records import record, refuse_unknown, toml
from coplay.challenge.rules import game_of
from coplay.experiment.plan import BLANKS, WHEN, Block, Checks, Condition, Consent, End, Page, Plan, Practice
from coplay.experiment.questions import check_name, question_of
from coplay.game import Game, GameError
from coplay.player import AgentError


@cache
def read_plan(text: str, where: str = "the study") -> Plan:
    """The plan in a TOML text; mistakes are explained with the place they are at."""
    table = toml(text, where)
    entries = {name: table.pop(name, []) for name in ("condition", "game", "page")}
    for name, given in entries.items():
        if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
            raise ChallengeError(f"{where}: write each {name} under a line [[{name}]].")
    if not entries["game"]:
        raise ChallengeError(f"{where} needs at least one [[game]] with name, game and partners.")
    conditions = tuple(record(Condition, one, f"{where}, [[condition]]") for one in entries["condition"])
    known = _names(conditions, f"{where}, [[condition]]")
    blocks = tuple(_block(one, known, f"{where}, game {n + 1}") for n, one in enumerate(entries["game"]))
    games = _names(blocks, f"{where}, [[game]]")
    pages = tuple(_page(one, known, games, f"{where}, page {n + 1}") for n, one in enumerate(entries["page"]))
    _names(pages, f"{where}, [[page]]")
    taken: dict[str, Any] = {"conditions": conditions, "blocks": blocks, "pages": pages, "text": text}
    if "consent" not in table:
        raise ChallengeError(f"{where} lacks [consent]; write what people agree to, with version and text.")
    for name, kind in (("consent", Consent), ("checks", Checks), ("end", End)):
        taken[name] = record(kind, table.pop(name, {}), f"{where}, [{name}]")
    plan: Plan = record(Plan, table, where, taken)
    _check(plan, where)
    return plan


def check_agents(plan: Plan) -> None:
    """Every agent that the plan names can be made for its game; done once, when a study is made."""
    for one in plan.blocks:
        for spec in sorted(one.specs):
            try:
                agent(spec, one.make())
            except (AgentError, OSError) as error:
                raise ChallengeError(f"game {one.name}: {error}") from error


def _names(entries: Iterable[Any], where: str) -> list[str]:
    names = [one.name for one in entries]
    for name in names:
        check_name(name, where)
        if names.count(name) > 1:
            raise ChallengeError(f"{where}: two are called {name!r}; give each its own name.")
    return names


def _block(entry: dict[str, Any], conditions: list[str], where: str) -> Block:
    known = {one.name for one in dataclasses.fields(Block)}
    refuse_unknown(set(entry) - known, known, where)
    for name in ("name", "game"):
        if not isinstance(entry.get(name), str):
            raise ChallengeError(f'{where}: {name} = {entry.get(name)!r}; add a line {name} = "...".')
    where = f"{where} {entry['name']}"
    settings = entry.get("settings", {})
    if not isinstance(settings, dict):
        raise ChallengeError(f"{where}: settings = {settings!r}; write {{ players = 2 }} and the like.")
    try:
        game = game_of(entry["game"], json.dumps(settings, sort_keys=True))
    except (GameError, TypeError) as error:
        raise ChallengeError(f"{where}: {error}") from error
    seat = entry.get("seat", "turns")
    if seat != "turns" and (isinstance(seat, bool) or seat not in range(game.players)):
        raise ChallengeError(f'{where}: seat = {seat!r}; give "turns" or a seat from 0 to {game.players - 1}.')
    practice = entry.get("practice")
    return Block(
        name=entry["name"],
        game=entry["game"],
        settings=settings,
        partners=_partners(entry.get("partners"), game, where),
        games=_count(entry.get("games", 1), f"{where}: games"),
        seat=None if seat == "turns" else int(seat),
        minutes=_minutes(entry.get("minutes", 0), f"{where}: minutes"),
        practice=None if practice is None else record(Practice, practice, f"{where}, practice"),
        text=_text(entry.get("text", ""), f"{where}: text"),
        conditions=_among(entry.get("conditions", []), conditions, f"{where}: conditions", "condition"),
    )


def _partners(given: Any, game: Game, where: str) -> tuple[tuple[str, ...], ...]:
    """A text is an agent for all other seats, a list has one for each of them."""
    others = game.players - 1
    companies: list[tuple[str, ...]] = []
    for one in given if isinstance(given, list) else []:
        team = [one] * others if isinstance(one, str) else one
        if isinstance(team, list) and len(team) == others and all(isinstance(spec, str) for spec in team):
            companies.append(tuple(team))
    if not given or not isinstance(given, list) or len(companies) != len(given) or len(set(companies)) < len(companies):
        text = f'{where}: partners = {given!r}; list different agents such as ["smartbot", "pool:NAME"]'
        text += f", or lists of {others} agents, one for each other seat." if others > 1 else "."
        raise ChallengeError(text)
    return tuple(companies)


def _page(entry: dict[str, Any], conditions: list[str], games: list[str], where: str) -> Page:
    known = {"name", "when", "title", "text", "tries", "games", "conditions", "question"}
    refuse_unknown(set(entry) - known, known, where)
    name, when = entry.get("name"), entry.get("when")
    if not isinstance(name, str):
        raise ChallengeError(f'{where}: name = {name!r}; add a line name = "...".')
    where = f"{where} {name}"
    if when not in WHEN:
        raise ChallengeError(f"{where}: when = {when!r}; choose {', '.join(WHEN)}.")
    asked = entry.get("question", [])
    if not isinstance(asked, list):
        raise ChallengeError(f"{where}: write each question under a line [[page.question]].")
    questions = tuple(question_of(one, f"{where}, question {n + 1}") for n, one in enumerate(asked))
    _names(questions, f"{where}, questions")
    tries = entry.get("tries")
    if tries is not None and not any(one.right for one in questions):
        raise ChallengeError(f"{where}: tries = {tries!r}, but no question has a right answer; give one with right.")
    if entry.get("games") and when in ("before", "end"):
        raise ChallengeError(f"{where}: games = {entry['games']!r} is for pages after games; this one is {when!r}.")
    return Page(
        name=name,
        when=when,
        title=_text(entry.get("title", ""), f"{where}: title"),
        text=_text(entry.get("text", ""), f"{where}: text"),
        tries=None if tries is None else _count(tries, f"{where}: tries"),
        games=_among(entry.get("games", []), games, f"{where}: games", "game"),
        conditions=_among(entry.get("conditions", []), conditions, f"{where}: conditions", "condition"),
        questions=questions,
    )


def _among(given: Any, known: list[str], where: str, what: str) -> tuple[str, ...]:
    if not isinstance(given, list) or any(one not in known for one in given):
        names = ", ".join(known) or f"none; write a [[{what}]] first"
        raise ChallengeError(f"{where} = {given!r}; list some of these: {names}.")
    return tuple(given)


def _count(given: Any, where: str) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= 1000:
        raise ChallengeError(f"{where} = {given!r}; give a whole number from 1 to 1000.")
    return given


def _minutes(given: Any, where: str) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 10_000:
        raise ChallengeError(f"{where} = {given!r}; give a number of minutes, or 0 for no limit.")
    return float(given)


def _text(given: Any, where: str) -> str:
    if not isinstance(given, str):
        raise ChallengeError(f"{where} = {given!r}; give a text.")
    return given


def _check(plan: Plan, where: str) -> None:
    """What the parts of a plan must be together."""
    known = {"order": ("latin", "random"), "game_order": ("file", "latin", "random"), "deals": ("own", "shared")}
    for name, choices in known.items():
        if (given := getattr(plan, name)) not in choices:
            raise ChallengeError(f"{where}: {name} = {given!r}; choose {' or '.join(choices)}.")
    if len(plan.conditions) == 1:
        raise ChallengeError(f"{where}: there is one [[condition]]; write two or more, or none.")
    for name in plan.condition_names:
        if not plan.blocks_in(name):
            raise ChallengeError(f"{where}: condition {name} plays no game; name it in the conditions of a [[game]].")
    if plan.checks.end_after and not any(one.right for page in plan.pages for one in page.questions):
        raise ChallengeError(f"{where}, [checks]: end_after is given, but no question has a right answer.")
    if plan.outside_id and not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", plan.outside_id):
        raise ChallengeError(f"{where}: outside_id = {plan.outside_id!r}; give its name in the link, as PROLIFIC_PID.")
    if not re.fullmatch(r"[\w.-]{1,16}", plan.consent.version):
        raise ChallengeError(
            f"{where}, [consent]: version = {plan.consent.version!r}; use up to 16 letters, digits, dots and hyphens."
        )
    for name, end in (("end", plan.end), ("checks", plan.checks)):
        for what in ("code", "redirect"):
            _check_blanks(getattr(end, what), plan, f"{where}, [{name}]: {what}")
        if end.redirect and not re.match(r"https?://[^/{}]+(/|$)", end.redirect):
            raise ChallengeError(f"{where}, [{name}]: redirect = {end.redirect!r}; give an address with https://.")


def _check_blanks(given: str, plan: Plan, where: str) -> None:
    found = re.findall(r"{(\w+)}", given)
    rest = re.sub(rf"{{({'|'.join(BLANKS)})}}", "", given)
    if "{" in rest or "}" in rest:
        raise ChallengeError(f"{where} = {given!r}; between braces only {', '.join(BLANKS)} can stand.")
    if "id" in found and not plan.outside_id:
        raise ChallengeError(f"{where} = {given!r}: {{id}} is the participant's outside id; say outside_id, too.")
    if "code" in found and where.endswith("code"):
        raise ChallengeError(f"{where} = {given!r}: a code cannot hold itself; {{participant}} tells them apart.")
