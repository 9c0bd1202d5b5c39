"""Games of people who agreed, as files for the rest of the package: AH2AC2 for Hanabi, episodes for kitchens."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.hall import as_key
from coplay.challenge.live import unpack
from coplay.challenge.rules import game_of
from coplay.challenge.scoring import Record, records, replay_scores
from coplay.challenge.store.database import Database
from coplay.challenge.store.models import Attempt, Consent
from coplay.data import from_episodes, save_games
from coplay.games.hanabi import Hanabi
from coplay.play.episode import Episodes
from coplay.play.episode_file import save
from coplay.web.partners import as_json


class Played(NamedTuple):
    """A finished game of somebody who agreed."""

    person: str
    record: Record


def export_people(database: Database, folder: str | Path) -> list[str]:
    """Writes one file per game and settings into the folder; returns a line about each."""
    with database.read() as transaction:
        found = agreed_games(transaction)
    if not found:
        raise ChallengeError("nobody who agreed to keep their games has finished one; there is nothing to export.")
    Path(folder).mkdir(parents=True, exist_ok=True)
    return [_write(Path(folder), name, settings, games) for (name, settings), games in sorted(found.items())]


def agreed_games(transaction: Session) -> dict[tuple[str, str], list[Played]]:
    """Finished games by game and settings, oldest first; only of people whose every answer was yes."""
    answers: dict[str, bool] = {}
    for person, given in transaction.execute(select(Consent.person_id, Consent.given)):
        answers[person] = given and answers.get(person, True)
    query = select(Attempt).where(Attempt.kind == "person", Attempt.person_id.is_not(None)).order_by(Attempt.created)
    found: dict[tuple[str, str], list[Played]] = {}
    for attempt in transaction.scalars(query):
        if attempt.person_id is None or not answers.get(attempt.person_id, False):
            continue
        one = json.loads(attempt.configurations)["table"]
        for record in records(transaction, attempt.id):
            if record.status == "done":
                key = one["game"], as_json(one["settings"])
                found.setdefault(key, []).append(Played(attempt.person_id, record))
    return found


def _write(folder: Path, name: str, settings: str, played: list[Played]) -> str:
    """One file: in the AH2AC2 format where it can hold the game, else as episodes for `coplay replay`."""
    game = game_of(name, settings)
    episodes = episodes_of(game, [one.record for one in played])
    values = "-".join(str(value) for value in json.loads(settings).values())
    path = folder / f"{name}-{values}.safetensors"
    if isinstance(game, Hanabi) and name == "hanabi":
        first = np.asarray(episodes.starts.seat).reshape(-1)  # whoever began is seat 0 in that format
        seats = np.asarray([int(one.record.seats) for one in played])
        games = from_episodes(episodes)
        games.extra["human_seat"] = ((seats - first) % game.players).astype(np.int32)
        games.extra["participant"] = np.asarray([int(one.person, 16) for one in played], np.uint64)
        save_games(path, games)
        kind = "AH2AC2 format"
    else:
        save(episodes, path)
        kind = "episodes"
    people = len({one.person for one in played})
    return f"wrote {path}: {len(played)} games of {people} people ({kind})"


def episodes_of(game: Any, games: Iterable[Record]) -> Episodes:
    """Recorded games of one configuration as episodes, dealt again from their seeds."""
    rows = list(games)
    seeds = jnp.asarray(np.stack([as_key(row.seed) for row in rows]))
    starts = jax.device_get(jax.vmap(lambda seed: game.reset(jax.random.wrap_key_data(seed)))(seeds))
    lengths = np.asarray([len(row.actions) for row in rows], np.int32)
    width = 1 if not game.simultaneous else game.players
    actions = np.full((len(rows), int(lengths.max()), width), -1, np.int16)
    for index, row in enumerate(rows):
        actions[index, : lengths[index]] = np.asarray([unpack(text) for text in row.actions])
    return Episodes(
        game=game,
        names=("a person with agents",) * game.players,
        starts=starts,
        actions=actions if game.simultaneous else actions[:, :, 0],
        lengths=lengths,
        scores=np.asarray(replay_scores(game, rows), np.float32),
    )
