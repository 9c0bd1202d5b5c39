"""Games of people who agreed, as files for the rest of the package: in a format of their world, or as episodes."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.batches import as_key
from coplay.challenge.errors import ChallengeError
from coplay.challenge.log import unpack
from coplay.challenge.outcome.scoring import Record, own_sign, replay_scores
from coplay.challenge.rules import game_of
from coplay.data.people import people_columns
from coplay.faces import faces_of
from coplay.rollouts.episode import Episodes
from coplay.rollouts.episode_file import save
from coplay.serve.ledger.results import records
from coplay.serve.pages.games import as_json
from coplay.serve.store.database import Database
from coplay.serve.store.models import Attempt, Consent, Place


class ConsentedGame(NamedTuple):
    """A finished game of people who all agreed."""

    people: dict[int, str]  # by seat; without those for whom a substitute played
    record: Record


def export_people(database: Database, folder: str | Path) -> list[str]:
    """Writes one file per game and settings into the folder; returns a line about each."""
    with database.read() as transaction:
        found = agreed_games(transaction)
    if not found:
        raise ChallengeError("nobody who agreed to keep their games has finished one; there is nothing to export.")
    Path(folder).mkdir(parents=True, exist_ok=True)
    return [_write(Path(folder), name, settings, games) for (name, settings), games in sorted(found.items())]


def agreed_games(transaction: Session) -> dict[tuple[str, str], list[ConsentedGame]]:
    """Finished games by game and settings, oldest first; only of people whose every answer was yes, all at the table.
    Who was played for by a substitute has agreed, too, but the moves in that seat are not a person's."""
    answers: dict[str | None, bool] = {None: False}
    for person, given in transaction.execute(select(Consent.person_id, Consent.given)):
        answers[person] = given and answers.get(person, True)
    sitting: dict[str, list[Place]] = {}
    for place in transaction.scalars(select(Place).order_by(Place.seat)):
        sitting.setdefault(place.attempt_id, []).append(place)
    query = select(Attempt).where(Attempt.kind == "person").order_by(Attempt.created)
    found: dict[tuple[str, str], list[ConsentedGame]] = {}
    for attempt in transaction.scalars(query):
        places = sitting.get(attempt.id, [])
        mine = {place.seat: place.person_id for place in places if place.person_id and not place.stood_in}
        if not mine or not all(answers.get(place.person_id, False) for place in places):
            continue
        one = json.loads(attempt.configurations)["table"]
        for record in records(transaction, attempt.id):
            if record.status == "done":
                key = one["game"], as_json(one["settings"])
                found.setdefault(key, []).append(ConsentedGame(mine, record))
    return found


def _write(folder: Path, name: str, settings: str, played: list[ConsentedGame]) -> str:
    """One file: in the format of the game's world if it has one, else as episodes for `coplay replay`."""
    game = game_of(name, settings)
    records = [one.record for one in played]
    called = re.sub(r"[^\w.-]+", "-", "-".join([name, *map(str, json.loads(settings).values())]))
    path = folder / f"{called}.safetensors"
    kind = write_games(path, episodes_of(game, records), [one.people for one in played])
    people = len({person for one in played for person in one.people.values()})
    return f"wrote {path}: {len(played)} games of {people} people ({kind})"


def write_games(path: Path, episodes: Episodes, people: Sequence[Mapping[int, str]]) -> str:
    """Writes games with the people of each, by seat; returns the name of the format."""
    every = range(episodes.game.players)
    seats = np.asarray([[seat in one for seat in every] for one in people])
    participants = np.asarray([[int(one.get(seat, "0"), 16) for seat in every] for one in people], np.uint64)
    face = faces_of(episodes.game).people
    kind = None if face is None else face.export(path, episodes, seats, participants)
    if kind is None:
        about = people_columns(seats, participants)
        save(dataclasses.replace(episodes, extra={**episodes.extra, **about}), path)
    return kind or "episodes"


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
        names=("people" if any("," in row.seats for row in rows) else "a person with agents",) * game.players,
        starts=starts,
        actions=actions if game.simultaneous else actions[:, :, 0],
        lengths=lengths,
        scores=np.asarray(replay_scores(game, rows), np.float32) * [own_sign(game, row.seats) for row in rows],
    )
