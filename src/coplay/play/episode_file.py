"""Episodes on disk: one safetensors file.

Safetensors, because it is a core dependency already, loads without running code, keeps exact integer arrays of any
shape, and is the format of the AH2AC2 games and of our checkpoints: one format to know. Its metadata holds a JSON text:
game, settings, versions, names, forfeits. For card games the start is the deck and the first seat; for others it is the
initial state, leaf by leaf.
"""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from coplay import __version__
from coplay.games.game import Game
from coplay.games.registry import make
from coplay.play.episode import Episodes, Forfeit

FORMAT = "coplay episodes 1"


class EpisodeFileError(ValueError):
    """A file of episodes cannot be read; the message says why and what to do."""


def save(episodes: Episodes, path: str | Path) -> None:
    """Writes the file whole or not at all."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {"actions": episodes.actions, "lengths": episodes.lengths, "scores": episodes.scores}
    arrays |= {f"start.{name}": value for name, value in _pack_starts(episodes).items()}
    about = {
        "format": FORMAT,
        "coplay": __version__,
        "game": episodes.game.name,
        "game_version": episodes.game.version,
        "settings": settings_of(episodes.game),
        "names": episodes.names,
        "forfeits": [dataclasses.asdict(forfeit) for forfeit in episodes.forfeits],
    }
    partial = path.with_name(path.name + ".partial")
    contiguous = {name: np.ascontiguousarray(value) for name, value in arrays.items()}
    save_file(contiguous, partial, {"coplay": json.dumps(about)})
    os.replace(partial, path)


def load(path: str | Path) -> Episodes:
    """The episodes as they were saved."""
    arrays, about = _read(Path(path))
    game = make(about["game"], **_settings_from_json(about["settings"]))
    if game.version != about["game_version"]:
        raise EpisodeFileError(
            f"{path} holds games of {about['game']} version {about['game_version']}, but coplay {__version__} plays "
            f"version {game.version}; replay it with coplay {about['coplay']}."
        )
    starts = {name.removeprefix("start."): value for name, value in arrays.items() if name.startswith("start.")}
    return Episodes(
        game=game,
        names=tuple(about["names"]),
        starts=_unpack_starts(game, starts),
        actions=arrays["actions"],
        lengths=arrays["lengths"],
        scores=arrays["scores"],
        forfeits=tuple(Forfeit(**forfeit) for forfeit in about["forfeits"]),
    )


def settings_of(game: Game) -> dict[str, Any]:
    """The settings that make the game again."""
    assert dataclasses.is_dataclass(game)
    fields = {field.name: getattr(game, field.name) for field in dataclasses.fields(game) if field.name != "name"}
    return {name: str(value) if isinstance(value, Path) else value for name, value in fields.items()}


def _settings_from_json(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}


def _pack_starts(episodes: Episodes) -> dict[str, np.ndarray]:
    if hasattr(episodes.game, "deck_of"):
        return {"decks": episodes.decks.astype(np.int8), "seat": np.asarray(episodes.starts.seat, np.int8)}
    paths, _ = jax.tree_util.tree_flatten_with_path(episodes.starts)
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in paths}


@eqx.filter_jit
def _deal(game: Any, decks: Any, seats: Any) -> Any:
    return jax.vmap(game.deal)(decks, seats)


def _unpack_starts(game: Game, arrays: dict[str, np.ndarray]) -> Any:
    if "decks" in arrays:
        decks, seats = (jnp.asarray(arrays[name], jnp.int32) for name in ("decks", "seat"))
        return jax.device_get(_deal(game, decks, seats))
    shape = jax.eval_shape(game.reset, jax.random.key(0))
    paths, structure = jax.tree_util.tree_flatten_with_path(shape)
    return structure.unflatten([arrays[jax.tree_util.keystr(path)] for path, _ in paths])


def _read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    if not path.is_file():
        raise EpisodeFileError(f"there is no file {path}.")
    try:
        with safe_open(path, framework="numpy") as file:
            about = json.loads((file.metadata() or {}).get("coplay", "{}"))
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, json.JSONDecodeError) as error:
        raise EpisodeFileError(f"{path} is not a file of episodes: {error}.") from error
    if about.get("format") != FORMAT:
        raise EpisodeFileError(f"{path} is not a file of episodes written by coplay (`coplay selfplay --save FILE`).")
    return arrays, about
