"""The published AH2AC2 games, from the authors' data hub to a folder: checked, and never half a file.

Only one of the six files has a checksum that was published to us. The others are trusted once: what the first download
gave is noted in a manifest beside the files, and every later run compares with it.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from coplay.data import DataError
from coplay.files import write_whole

PAGE = "https://huggingface.co/datasets/ah2ac2/datasets/tree/main"
SOURCE = "https://huggingface.co/datasets/ah2ac2/datasets/resolve/main"
SOURCE_VARIABLE = "COPLAY_AH2AC2_URL"
FILES = (
    "2_players_games.safetensors",
    "3_players_games.safetensors",
    "2_player_games_train_1k.safetensors",
    "3_player_games_train_1k.safetensors",
    "2_player_games_val.safetensors",
    "3_player_games_val.safetensors",
)
PINNED = {"3_player_games_val.safetensors": "0289af417187544fe6ff2008fbe775009134299b4ca23a3532a3afb0e6398aa4"}
MANIFEST = "sha256.json"
TIMEOUT = 30  # seconds without an answer


def fetch(to: str | Path, source: str | None = None, report: Callable[[str], object] = print) -> list[Path]:
    """Downloads what is missing in `to`, checks what is there, and returns the paths of all files."""
    folder = Path(to)
    source = (source or os.environ.get(SOURCE_VARIABLE) or SOURCE).rstrip("/")
    if not source.startswith(("http://", "https://")):
        raise DataError(f"{source!r} is no address to download from; one begins with https:// or http://.")
    folder.mkdir(parents=True, exist_ok=True)
    known = _manifest(folder)
    for name in FILES:
        path = folder / name
        there = path.is_file()
        if there:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            _compare(path, digest, PINNED.get(name), known.get(name))
            if name not in known:
                _check_content(path)
        else:
            digest = _download(folder, name, source, known.get(name))
        if known.get(name) != digest:
            known[name] = digest
            write_whole(folder / MANIFEST, json.dumps(known, indent=2).encode() + b"\n")
        how = "already there" if there else "downloaded"
        report(f"{path}: {path.stat().st_size:,} bytes, {how}, sha256 {digest[:12]}…")
    return [folder / name for name in FILES]


def _download(folder: Path, name: str, source: str, noted: str | None) -> str:
    """Fetches one file beside its final name, checks it, then names it; returns its checksum."""
    partial = folder / (name + ".partial")
    try:
        content = _get(folder, f"{source}/{name}")
        partial.write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        _compare(folder / name, digest, PINNED.get(name), noted)
        _check_content(partial)
        os.replace(partial, folder / name)
        return digest
    finally:
        partial.unlink(missing_ok=True)


def _get(folder: Path, address: str) -> bytes:
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        error.close()
        raise DataError(f"{address}: the server answered {error.code} {error.reason}; {_by_hand(folder)}") from error
    except http.client.IncompleteRead as error:
        raise DataError(f"{address}: the connection broke after {len(error.partial)} bytes; run it again.") from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error or type(error).__name__
        raise DataError(f"cannot download {address} ({reason}); {_by_hand(folder)}") from error


def _by_hand(folder: Path) -> str:
    """What to do without a connection."""
    missing = [name for name in FILES if not (folder / name).is_file()]
    return (
        f"on a machine with internet open {PAGE}, download {', '.join(missing)}, put them into {folder}/ and run the "
        "same command again to check them."
    )


def _compare(path: Path, digest: str, published: str | None, noted: str | None) -> None:
    if published and digest != published:
        raise DataError(
            f"{path}: its sha256 is {digest}, but the published file has {published}; delete it and fetch it again."
        )
    if noted and digest != noted:
        raise DataError(
            f"{path}: its sha256 is {digest}, but {noted} was noted in {MANIFEST}; delete the file and fetch it again, "
            f"or remove its line from {MANIFEST} if the new one is right."
        )


def _check_content(path: Path) -> None:
    """A web page that asks for a password is not a file of games."""
    from coplay.worlds.hanabi.recordings.ah2ac2 import load_games

    load_games(path, check=False)


def _manifest(folder: Path) -> dict[str, str]:
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    try:
        return {str(name): str(digest) for name, digest in json.loads(path.read_text()).items()}
    except (json.JSONDecodeError, UnicodeDecodeError, AttributeError) as error:
        raise DataError(f"{path}: this list of checksums is broken ({error}); delete it to begin a new one.") from error
