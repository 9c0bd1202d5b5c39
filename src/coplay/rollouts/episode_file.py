"""Episodes on disk: one safetensors file.

Safetensors, because it is a core dependency already, loads without running code, keeps exact integer arrays of any
shape, and is the format of the AH2AC2 games and of our checkpoints: one format to know. Its metadata holds a JSON text:
game, settings, versions, names, forfeits. For card games the start is the deck and the first seat; for others it is the
initial state, leaf by leaf.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as pack

from coplay import __version__
from coplay.files import write_whole
from coplay.game import Game, GameError
from coplay.games import from_settings, make, settings_of, spec_of
from coplay.rollouts.episode import Episodes, Forfeit

FORMAT = "coplay episodes 1"


class EpisodeFileError(ValueError):
    """A file of episodes cannot be read; the message says why and what to do."""


def save(episodes: Episodes, path: str | Path) -> None:
    """Writes the file whole or not at all."""
    write_whole(path, file_of(episodes))


def file_of(episodes: Episodes) -> bytes:
    """What a file of them holds; where they are played, the folder of a study may not be."""
    arrays = {"actions": episodes.actions, "lengths": episodes.lengths, "scores": episodes.scores}
    arrays |= {f"start.{name}": value for name, value in _pack_starts(episodes).items()}
    arrays |= {f"fact.{name}": value for name, value in episodes.facts.items()}
    arrays |= {f"about.{name}": value for name, value in episodes.extra.items()}
    about = {
        "format": FORMAT,
        "coplay": __version__,
        "game": episodes.game.name,
        "spec": spec_of(episodes.game),
        "game_version": episodes.game.version,
        "settings": settings_of(episodes.game),
        "names": episodes.names,
        "forfeits": [dataclasses.asdict(forfeit) for forfeit in episodes.forfeits],
    }
    contiguous = {name: np.ascontiguousarray(value) for name, value in arrays.items()}
    return pack(contiguous, {"coplay": json.dumps(about)})


def load(path: str | Path, game: Game | None = None) -> Episodes:
    """The episodes as they were saved; `game`: theirs, where it only lives in this program."""
    arrays, about = _read(Path(path))
    made = _game(path, about, game)
    if made.version != about["game_version"]:
        raise EpisodeFileError(
            f"{path} holds games of {about['game']} version {about['game_version']}, but coplay {__version__} plays "
            f"version {made.version}; replay it with coplay {about['coplay']}."
        )
    starts = _columns(arrays, "start.")
    return Episodes(
        game=made,
        names=tuple(about["names"]),
        starts=_unpack_starts(made, starts),
        actions=arrays["actions"],
        lengths=arrays["lengths"],
        scores=arrays["scores"],
        forfeits=tuple(Forfeit(**forfeit) for forfeit in about["forfeits"]),
        facts=_columns(arrays, "fact."),
        extra=_columns(arrays, "about."),
    )


def moves_in(path: str | Path) -> np.ndarray:
    """The moves of a file alone: int [games, turns, ...], as `Episodes.actions` has them."""
    return _read(Path(path))[0]["actions"]


def _game(path: str | Path, about: dict[str, Any], given: Game | None) -> Any:
    """The game of a file: the one in hand, or the one that its spec makes; older files tell name and settings."""
    if given is not None:
        return make(given)
    try:
        return make(about["spec"]) if "spec" in about else from_settings(about["game"], about["settings"])
    except GameError as error:
        raise EpisodeFileError(
            f"{path} holds games of {about['game']}, which cannot be made here ({error}) "
            "Where the game lives in your program, pass it: load(path, game)."
        ) from error


def _columns(arrays: dict[str, np.ndarray], mark: str) -> dict[str, np.ndarray]:
    return {name.removeprefix(mark): value for name, value in arrays.items() if name.startswith(mark)}


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


def is_episode_file(path: Path) -> bool:
    """A safetensors file that says it holds episodes."""
    try:
        with safe_open(path, framework="numpy") as file:
            return json.loads((file.metadata() or {}).get("coplay", "{}")).get("format") == FORMAT
    except (OSError, SafetensorError, json.JSONDecodeError):
        return False


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
