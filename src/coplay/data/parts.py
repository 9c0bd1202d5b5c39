"""A recording in progress: whole files of some games each, so that a kill at any moment loses at most the last ones."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from coplay.data import DataError
from coplay.data.formats import Format
from coplay.data.joining import join
from coplay.files import write_whole
from coplay.rollouts.episode import Episodes

SIZE = 256  # games in a part


class Parts:
    """The folder beside the file to be written; its parts are numbered from the first game on."""

    def __init__(self, out: str | Path, games: int, kind: Format, settings: dict[str, Any]) -> None:
        self.out, self.games, self.kind = Path(out), games, kind
        self.folder = self.out.with_name(self.out.name + ".parts")
        if self.out.exists():
            raise DataError(f"{self.out} is there already; choose another --out or remove it.")
        note = self.folder / "recording.json"
        wanted = json.dumps(settings, indent=1, sort_keys=True)
        if note.is_file() and note.read_text() != wanted:
            raise DataError(
                f"{self.folder} holds parts of another recording (see {note.name} there); give the same game, agents,"
                " first game and seed to go on with it, or remove the folder."
            )
        write_whole(note, wanted)

    def path(self, number: int) -> Path:
        """Where a part lies once it is whole."""
        return self.folder / f"{number:06}-{len(self.span(number)):03}.safetensors"

    def span(self, number: int) -> range:
        """The games of a part, counted from the first game of the recording."""
        return range(number * SIZE, min((number + 1) * SIZE, self.games))

    def missing(self) -> list[int]:
        """The parts that are still to be played."""
        return [number for number in range(-(-self.games // SIZE)) if not self.path(number).is_file()]

    def finish(self) -> Episodes:
        """Writes the file from its parts, then removes them."""
        paths = [self.path(number) for number in range(-(-self.games // SIZE))]
        games = join([part for path in paths for part in self.kind.read(path, False)])
        assert self.kind.write is not None
        self.kind.write(self.out, games)
        shutil.rmtree(self.folder)
        return games
