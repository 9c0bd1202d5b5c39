"""Games in the file format of the Ad-Hoc Human-AI Coordination Challenge (AH2AC2): reading and writing.

One safetensors file of int32 tensors: `game_ids`, `scores`, `num_actions` [games], `decks` [games, 50, 2], `actions`
[games, 89, players] and the scalar `num_players`. Of each turn's entries only the acting seat's is a move; all others,
and every entry after the last recorded move, hold the no-op, whose id is the number of actions (20 for two players, 30
for three). Further tensors with one entry per game are kept as `Games.extra`.
"""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from coplay.data import DataError
from coplay.files import write_whole
from coplay.worlds.hanabi.recordings.games import Games, standard_game

TURNS = 89  # rows of `actions`: no game for two players is longer, and none for more players
PER_GAME = ("game_ids", "scores", "num_actions")
TENSORS = (*PER_GAME, "decks", "actions", "num_players")


def load_games(path: str | Path, check: bool = True) -> Games:
    """The games of a file; `check` plays each of them by our rules and refuses the file if one does not fit."""
    path = Path(path)
    tensors = _read(path)
    players = _players(path, tensors)
    _check_shapes(path, tensors, players)
    actions = _acting(path, tensors, players)
    games = Games(
        players=players,
        game_ids=tensors["game_ids"],
        scores=tensors["scores"],
        decks=tensors["decks"],
        actions=actions,
        lengths=tensors["num_actions"],
        extra={name: value for name, value in tensors.items() if name not in TENSORS},
    )
    if check:
        from coplay.worlds.hanabi.recordings.verification import require

        require(games, str(path))
    return games


def save_games(path: str | Path, games: Games) -> None:
    """Writes the file whole or not at all; reading a file of the challenge and writing it gives the same tensors."""
    write_whole(path, save(to_tensors(games)))


def to_tensors(games: Games) -> dict[str, np.ndarray]:
    """The tensors of the file that holds these games."""
    if games.variant != "none":
        raise DataError(
            f"variant={games.variant}: the AH2AC2 format holds games of the standard rules only; "
            "take the format hanablive or episodes."
        )
    noop = standard_game(games.players).num_actions
    actions = np.full((len(games), TURNS, games.players), noop, np.int32)
    rows, turns = np.nonzero(np.arange(games.actions.shape[1]) < games.lengths[:, None])
    actions[rows, turns, turns % games.players] = games.actions[rows, turns]
    tensors = {
        "game_ids": games.game_ids,
        "scores": games.scores,
        "num_actions": games.lengths,
        "decks": games.decks,
        "actions": actions,
        "num_players": np.asarray(games.players),
    }
    whole = {name: np.array(value, np.int32, order="C") for name, value in tensors.items()}
    return whole | {name: np.ascontiguousarray(value) for name, value in games.extra.items()}


def _read(path: Path) -> dict[str, np.ndarray]:
    """All tensors of the file; those of the format as int32."""
    if not path.is_file():
        raise DataError(f"{path}: there is no such file; `coplay data fetch ah2ac2` downloads the published games.")
    try:
        with safe_open(path, framework="numpy") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            foreign = "coplay" in (file.metadata() or {})
    except (SafetensorError, TypeError) as error:
        raise DataError(f"{path}: not a whole safetensors file ({error}); download or write it again.") from error
    missing = [name for name in TENSORS if name not in tensors]
    if missing:
        remedy = "turn it into one with `coplay data convert`" if foreign else f"it has {', '.join(TENSORS)}"
        raise DataError(f"{path}: tensor {missing[0]!r} is missing, so it is no file of the AH2AC2 format; {remedy}.")
    for name in TENSORS:
        if not np.issubdtype(tensors[name].dtype, np.integer):
            raise DataError(f"{path}: {name} is {tensors[name].dtype}; the format has whole numbers (int32).")
        if np.any(tensors[name] != tensors[name].astype(np.int32)):
            raise DataError(f"{path}: {name} holds numbers that do not fit into int32, the type of the format.")
        tensors[name] = tensors[name].astype(np.int32)
    return tensors


def _players(path: Path, tensors: dict[str, np.ndarray]) -> int:
    if tensors["num_players"].shape != ():
        raise DataError(f"{path}: num_players has shape {tensors['num_players'].shape}; it is one number for the file.")
    players = int(tensors["num_players"])
    if not 2 <= players <= 5:
        raise DataError(f"{path}: num_players is {players}; Hanabi is played by 2 to 5.")
    return players


def _check_shapes(path: Path, tensors: dict[str, np.ndarray], players: int) -> None:
    games = tensors["scores"].shape[:1]
    if not games or games == (0,):
        raise DataError(f"{path}: scores has shape {tensors['scores'].shape}; a file holds at least one game.")
    shapes = dict.fromkeys(PER_GAME, games) | {"decks": (*games, 50, 2)}
    for name, shape in shapes.items():
        if tensors[name].shape != shape:
            raise DataError(f"{path}: {name} has shape {tensors[name].shape}; for {games[0]} games it is {shape}.")
    shape = tensors["actions"].shape
    if len(shape) != 3 or shape[:1] != games or shape[2] != players:
        raise DataError(
            f"{path}: actions has shape {shape}; for {games[0]} games of {players} players (num_players) it is "
            f"({games[0]}, {TURNS}, {players})."
        )
    for name, value in tensors.items():
        if name not in TENSORS and value.shape[:1] != games:
            raise DataError(
                f"{path}: extra tensor {name!r} has shape {value.shape}; it needs one entry per game, {games[0]}."
            )


def _acting(path: Path, tensors: dict[str, np.ndarray], players: int) -> np.ndarray:
    """int32 [games, longest]: the acting seat's moves, -1 after the last; every other entry must be the no-op."""
    entries, lengths = tensors["actions"], tensors["num_actions"]
    width = entries.shape[1]
    noop = standard_game(players).num_actions
    if lengths.min() < 1 or lengths.max() > width:
        row = int(np.flatnonzero((lengths < 1) | (lengths > width))[0])
        _refuse(path, tensors, row, None, f"num_actions is {lengths[row]}; actions has room for 1 to {width} moves.")
    played = np.arange(width) < lengths[:, None]
    acting = np.arange(width)[:, None] % players == np.arange(players)
    move = played[:, :, None] & acting
    for wrong, rule in (
        (~played[:, :, None] & (entries != noop), f"a move is hidden behind the last; padding holds the no-op {noop}."),
        (move & (entries == noop), f"the seat to move holds the no-op {noop}; num_actions counts real moves only."),
        (move & ((entries < 0) | (entries > noop)), f"actions of {players} players are 0 to {noop - 1}."),
        (played[:, :, None] & ~acting & (entries != noop), f"a seat that is not to move holds the no-op {noop}."),
    ):
        if wrong.any():
            row, turn, seat = np.argwhere(wrong)[0].tolist()
            value = int(entries[row, turn, seat])
            _refuse(path, tensors, row, turn, f"seat {seat} has action {value}, but {rule}")
    moves = entries[:, np.arange(width), np.arange(width) % players]
    return np.where(played, moves, -1)[:, : lengths.max()].astype(np.int32)


def _refuse(path: Path, tensors: dict[str, np.ndarray], row: int, turn: int | None, rule: str) -> NoReturn:
    place = "" if turn is None else f", turn {turn + 1}"
    raise DataError(f"{path}: game {tensors['game_ids'][row]} (row {row}){place}: {rule}")
