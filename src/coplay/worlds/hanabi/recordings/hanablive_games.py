"""Files of hanab.live games (its JSON, one game or a list, or a folder of them) as `Games`, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from coplay.data import DataError
from coplay.files import write_whole
from coplay.worlds.hanabi.recordings.games import Games, standard_game
from coplay.worlds.hanabi.recordings.hanablive import Recording, from_json, replay, to_json


def load_hanablive(path: str | Path) -> Games:
    """The games of a JSON file or of all JSON files in a folder, each checked by playing it.

    A game that stops early counts with the points it had. All must have the same number of players, and the standard
    rules or those of one variant.
    """
    path = Path(path)
    sources = read_sources(path)
    recordings = [_recording(path, row, source) for row, source in enumerate(sources)]
    game = recordings[0].game
    for row, other in enumerate(recordings):
        if other.game != standard_game(other.game.players, other.game.variant):
            raise DataError(f"{path}: game {row} has {other.game}; only the usual rules fit; leave this game out.")
        if not other.actions:
            raise DataError(f"{path}: game {row} has no moves; leave this game out.")
        if other.game != game:
            same = other.game.players == game.players
            kinds = [
                f"is of variant {one.variant}" if same else f"has {one.players} players" for one in (other.game, game)
            ]
            raise DataError(
                f"{path}: game {row} {kinds[0]}, but game 0 {kinds[1]}; "
                f"put games of different {'variants' if same else 'numbers of players'} into different files."
            )
    return _games(recordings, [_game_id(source, row) for row, source in enumerate(sources)])


def save_hanablive(path: str | Path, games: Games) -> None:
    """Writes the games as a list of hanab.live's JSON objects."""
    sources = []
    for row in range(len(games)):
        moves = games.actions[row, : games.lengths[row]].tolist()
        sources.append({"id": int(games.game_ids[row]), **to_json(games.game, games.decks[row], moves)})
    write_whole(path, json.dumps(sources).encode())


def read_sources(path: Path) -> list[Any]:
    """The JSON objects of all games."""
    if path.is_dir():
        files = sorted(path.glob("*.json"))
        if not files:
            raise DataError(f"{path}: there are no .json files in this folder; give the folder of the games.")
        return [source for file in files for source in read_sources(file)]
    if not path.is_file():
        raise DataError(f"{path}: there is no such file or folder.")
    try:
        content = json.loads(path.read_text())
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DataError(
            f"{path}: this is not JSON ({error}); export the game as JSON from hanab.live again."
        ) from error
    sources = content if isinstance(content, list) else [content]
    if not sources:
        raise DataError(f"{path}: there are no games in it.")
    return sources


def _recording(path: Path, row: int, source: Any) -> Recording:
    try:
        return from_json(source, partial=True)
    except DataError as error:
        raise DataError(f"{path}, game {row}: {error}") from error


def _game_id(source: dict[str, Any], row: int) -> int:
    number = source.get("id", row)
    return number if isinstance(number, int) and 0 <= number < 2**31 else row


def _games(recordings: list[Recording], game_ids: list[int]) -> Games:
    game = recordings[0].game
    lengths = np.asarray([len(recording.actions) for recording in recordings], np.int32)
    actions = np.full((len(recordings), lengths.max()), -1, np.int32)
    for row, recording in enumerate(recordings):
        actions[row, : lengths[row]] = recording.actions
    return Games(
        players=game.players,
        game_ids=np.asarray(game_ids, np.int32),
        scores=np.asarray([game.score(replay(game, each.deck, each.actions)) for each in recordings], np.int32),
        decks=np.stack([recording.deck for recording in recordings]).astype(np.int32),
        actions=actions,
        lengths=lengths,
        variant=game.variant,
    )
