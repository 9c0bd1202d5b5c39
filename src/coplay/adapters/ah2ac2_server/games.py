"""Which games an AH2AC2 key plays, and where they stand."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import Configuration, game_of, read_rules
from coplay.challenge.schedule import Seating, schedule_hash
from coplay.game import Game
from coplay.games import family
from coplay.serve.ledger import keys, rehearsals
from coplay.serve.ledger.attempts import open_attempt, set_tables
from coplay.serve.store.database import Database
from coplay.serve.store.models import Attempt, Challenge, Entrant, Table, random_id

FAMILY = "hanabi"  # the games that the client knows
RANDOM = "random"  # the kind of an attempt that is one test game
STATUS = {"todo": "TODO", "stuck": "TODO", "active": "ACTIVE", "done": "DONE", "forfeit": "DONE", "cut": "DONE"}


class Chosen(NamedTuple):
    """What a connection plays."""

    attempt: str
    configurations: frozenset[str]  # those the client can play
    kind: str  # eval, test (a rehearsal) or random (a test game)


def next_game(database: Database, key: str) -> Chosen:
    """The attempt of an evaluation key, or the rehearsal of a test key; it begins if none runs."""
    with database.write() as transaction:
        holder = keys.find(transaction, key)
        if holder.entrant is None:
            raise ChallengeError(f"the key {holder.key.prefix}... is not for playing.", 403, "wrong_key")
        keys.used(transaction, holder.key.id)
        rules = read_rules(_challenge(transaction, holder.entrant).rules)
        if not any(_is_offered(one.make()) for one in rules.configurations):
            raise ChallengeError("this challenge has no Hanabi games, and the AH2AC2 client plays nothing else.", 403)
        attempt = open_attempt(transaction, holder.entrant, holder.key.kind)
        return Chosen(attempt.id, offered(attempt.configurations), holder.key.kind)


def random_game(database: Database, key: str, players: str, positions: Sequence[str]) -> Chosen:
    """One new game in the seats that the entrant chooses, with players that move at random."""
    with database.write() as transaction:
        holder = keys.find(transaction, key)
        if holder.entrant is None or holder.key.kind != "test":
            text = f"the key {holder.key.prefix}... is not a test key; test games are played with the test key."
            raise ChallengeError(text, 403, "wrong_key")
        keys.used(transaction, holder.key.id)
        challenge = _challenge(transaction, holder.entrant)
        rules = read_rules(challenge.rules)
        configuration = _with_players(rules.configurations, players)
        seats = _seats(positions, configuration.make().players)
        rehearsals.admit(transaction, holder.entrant.id, 1, rules.rehearsal_games)
        attempt = _new_attempt(transaction, challenge, holder.entrant, configuration, seats)
        return Chosen(attempt, frozenset({configuration.name}), RANDOM)


def standing(database: Database, key: str) -> dict[str, Any]:
    """The answer of /evaluation-info: every game of the key's latest attempt. Scores appear when they are computed,
    which is when all games of their configuration are over."""
    with database.read() as transaction:
        holder = keys.find(transaction, key)
        whose = holder.entrant.id if holder.entrant else ""
        query = select(Attempt).where(Attempt.entrant_id == whose, Attempt.kind == holder.key.kind)
        attempt = transaction.scalar(query.order_by(Attempt.number.desc()).limit(1))
        if attempt is None:
            return {"current_env": None, "all_envs": [], "human_ai_eval_done": False}
        columns = (Table.configuration, Table.status, Table.score, Table.seats)
        mine = Table.attempt_id == attempt.id, Table.configuration.in_(sorted(offered(attempt.configurations)))
        rows = transaction.execute(select(*columns).where(*mine, Table.status != "void").order_by(Table.number)).all()
    players = {name: _game(one).players for name, one in json.loads(attempt.configurations).items()}
    games = [
        {
            "status": STATUS[row.status],
            "score": None if row.score is None else int(row.score),
            "num_players": players[row.configuration],
            "candidate_controlling": [agent(int(seat)) for seat in row.seats.split(",")],
        }
        for row in rows
    ]
    active = next((one for one in games if one["status"] == "ACTIVE"), None)
    done = bool(games) and all(one["status"] == "DONE" for one in games)
    return {"current_env": active, "all_envs": games, "human_ai_eval_done": done}


def agent(seat: int) -> str:
    """A seat as the client calls it."""
    return f"agent_{seat}"


def offered(configurations: str) -> frozenset[str]:
    """The configurations of an attempt that the client can play."""
    return frozenset(name for name, one in json.loads(configurations).items() if _is_offered(_game(one)))


def _is_offered(game: Game) -> bool:
    """The client's observations hold card knowledge, so a game that hides it is none for it; nor is a variant."""
    if family(game) != FAMILY:
        return False
    settings: Any = game
    return settings.observation == "card_knowledge" and settings.variant == "none"


def _game(one: dict[str, Any]) -> Game:
    return game_of(one["game"], json.dumps(one["settings"], sort_keys=True))


def _challenge(transaction: Session, entrant: Entrant) -> Challenge:
    found = transaction.get(Challenge, entrant.challenge_id)
    assert found is not None
    if found.status != "open":
        raise ChallengeError(f"the challenge {found.id} is {found.status}.", 403, "not_open")
    return found


def _with_players(configurations: Sequence[Configuration], players: str) -> Configuration:
    found = {str(one.make().players): one for one in reversed(configurations) if _is_offered(one.make())}
    if players not in found:
        counts = " or ".join(sorted(found)) or "no"
        text = f"num_players = {players[:20]!r}; in this challenge Hanabi has {counts} players."
        raise ChallengeError(text, 422, "bad_table")
    return found[players]


def _seats(positions: Sequence[str], players: int) -> tuple[int, ...]:
    allowed = [str(seat) for seat in range(players)]
    if not positions or not set(positions) <= set(allowed) or not len(set(positions)) == len(positions) < players:
        given = [one[:20] for one in positions[:10]]
        text = f"candidate_positions = {given}; name different seats of 0 to {players - 1}, and leave one to others."
        raise ChallengeError(text, 422, "bad_table")
    return tuple(sorted(int(one) for one in positions))


def _new_attempt(
    transaction: Session, challenge: Challenge, entrant: Entrant, configuration: Configuration, seats: tuple[int, ...]
) -> str:
    """An attempt of one game, apart from rehearsals: those have a schedule, this one was asked for."""
    others = ("random",) * (configuration.make().players - len(seats))
    seating = Seating(0, configuration.name, 0, secrets.token_hex(8), secrets.token_hex(8), seats, others)
    earlier = select(func.max(Attempt.number)).where(Attempt.entrant_id == entrant.id, Attempt.kind == RANDOM)
    played = {configuration.name: {"game": configuration.game, "settings": configuration.settings}}
    attempt = Attempt(
        id=random_id(),
        challenge_id=challenge.id,
        entrant_id=entrant.id,
        kind=RANDOM,
        number=(transaction.scalar(earlier) or 0) + 1,
        status="open",
        configurations=json.dumps(played),
        schedule_hash=schedule_hash([seating]),
        created=time.time(),
    )
    transaction.add(attempt)
    transaction.flush()
    set_tables(transaction, attempt.id, [seating])
    return attempt.id
