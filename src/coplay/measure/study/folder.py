"""The folder of a run: what was asked (run.json) and what came of it, one row per game (games.csv).

A team's games are appended in one write and forced to disk, so a run that is cut off loses at most the team it was
playing. What a cut left half-written is dropped and played again.
"""

from __future__ import annotations

import contextlib
import csv
import fcntl
import json
import os
import tempfile
import typing
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from coplay.files import csv_text, write_whole
from coplay.measure import MeasureError
from coplay.measure.study.result import from_json, to_json
from coplay.measure.study.run import Run
from coplay.provenance import provenance

LATER = ("game_spec", "specs", "until", "most")  # what run.json did not say in earlier versions
FREE = ("made", "move_seconds")  # what a run that goes on may change
LEFT_OVER = {"run.json.partial"}  # of a run that was cut off before it began
FACTS = "facts"  # the field of a row that is a column for each of its names

Row = TypeVar("Row", bound=NamedTuple)
Asked = TypeVar("Asked", bound=Run)
Key = tuple[Any, ...]
Json = dict[str, Any]

PASSING = "coplay-"  # how folders begin that nobody named


def place_for(out: str | Path | None) -> Path:
    """The folder that was named, or a new one for a result that is only looked at."""
    return Path(tempfile.mkdtemp(prefix=PASSING)) / "run" if out is None else Path(out)


def is_passing(folder: Path) -> bool:
    """Was it made for a result that is only looked at?"""
    return folder.parent.name.startswith(PASSING) and folder.parent.parent == Path(tempfile.gettempdir())


class Folder(Generic[Row, Asked]):
    """Reads and writes one folder; what its rows are, and which belong together, its kinds say."""

    format: str  # the first words of run.json
    what: str  # is in it
    command: str  # that makes it
    row: type[Row]  # a line of games.csv; its fields are the columns
    asked: type[Asked]  # what run.json says
    key: tuple[str, ...]  # the columns that tell whose games are played, and written, together
    number: str = "game"  # the column that numbers them

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def __repr__(self) -> str:
        return f"<{self.what} in {self.path}>"

    def run(self) -> Asked:
        """What was asked."""
        return from_json(self.asked, self._run_json())

    def _run_json(self) -> Json:
        file = self / "run.json"
        if not file.is_file():
            raise MeasureError(
                f"{self.path} holds no {self.what}: {file.name} is missing. "
                f"Make one with {self.command} --out {self.path}."
            )
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise MeasureError(f"{file} is damaged ({error}); begin again in another folder.") from error
        if not isinstance(found, dict) or found.get("format") != self.format:
            raise MeasureError(f"{file} is not {self.format!r}; read it with the coplay that wrote it, or begin again.")
        return found

    def begin(self, run: Asked) -> None:
        """Makes the folder, or checks that the one there was made with the same settings; overwrites nothing."""
        settings = to_json(run)
        if (self / "run.json").exists():
            _same(self.path, self.what, self._run_json(), settings)
            return
        if self.path.exists() and not (self.path.is_dir() and {file.name for file in self.path.iterdir()} <= LEFT_OVER):
            raise MeasureError(f"{self.path} exists and is not a folder of {self._name}; choose another --out.")
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self / "run.json", json.dumps(settings | {"made": to_json(provenance())}, indent=1) + "\n")

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps a second run out of the folder; a process that dies lets go by itself."""
        with (self / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise MeasureError(
                    f"another {self._name} is writing {self.path}; wait for it or choose another --out."
                ) from None
            yield

    @property
    def _name(self) -> str:
        """The command without its arguments."""
        return " ".join(self.command.split()[:2])

    def rows(self) -> list[Row]:
        """All readable lines of games.csv; a last line without its end was cut off and does not count."""
        file = self / "games.csv"
        if not file.exists():
            return []
        lines = file.read_text(encoding="utf-8").split("\n")[:-1]
        head = next(csv.reader(lines[:1]), [])
        facts = [name for name in head if name not in self.row._fields]
        if lines and head != self._head(facts):
            columns = ", ".join(self._head([]))
            raise MeasureError(
                f"{file} does not begin with the columns {columns}; it was changed. Begin again in another folder."
            )
        kinds = typing.get_type_hints(self.row)
        found = (self._read_line(line, head, kinds) for line in lines[1:])
        return [row for row in found if row is not None]

    def _head(self, facts: Sequence[str]) -> list[str]:
        """The columns, with those of the facts in their place."""
        return [name for field in self.row._fields for name in (facts if field == FACTS else [field])]

    def _read_line(self, line: str, head: Sequence[str], kinds: Mapping[str, Any]) -> Row | None:
        try:
            cells = dict(zip(head, next(csv.reader([line], strict=True)), strict=True))
            told = {name: float(cell) for name, cell in cells.items() if name not in kinds and cell}
            values = {name: kinds[name](cell) for name, cell in cells.items() if name in kinds}
            return self.row._make({**values, FACTS: told}[name] for name in self.row._fields)
        except (ValueError, StopIteration, csv.Error):
            return None

    def together(self) -> dict[Key, dict[int, Row]]:
        """The rows of those that belong together, by their numbers."""
        groups: dict[Key, dict[int, Row]] = defaultdict(dict)
        for row in self.rows():
            groups[tuple(getattr(row, name) for name in self.key)][getattr(row, self.number)] = row
        return groups

    def complete(self, there: Mapping[Key, dict[int, Row]], wanted: Mapping[Key, int]) -> dict[Key, list[Row]]:
        """The rows, in order, of those whose games are all there; `wanted`: how many games belong together."""
        return {
            key: [there[key][game] for game in range(games)]
            for key, games in wanted.items()
            if key in there and there[key].keys() == set(range(games))
        }

    def keep(self, teams: Iterable[list[Row]]) -> None:
        """Leaves only these teams in games.csv."""
        rows = [row for team in teams for row in team]
        text = self._text(rows, with_head=True)
        if not (self / "games.csv").exists() or (self / "games.csv").read_text(encoding="utf-8") != text:
            write_whole(self / "games.csv", text)

    def append(self, rows: list[Row]) -> None:
        """Adds a team's games."""
        file = self / "games.csv"
        with file.open("a", encoding="utf-8", newline="") as lines:
            lines.write(self._text(rows, with_head=not file.stat().st_size))
            lines.flush()
            os.fsync(lines.fileno())

    def _text(self, rows: Sequence[Row], with_head: bool) -> str:
        """Rows as lines; the facts of a game are the same in all its rows, and unknown before the first one."""
        if not rows:
            return ""
        facts = list(getattr(rows[0], FACTS, ()))
        lines: list[list[Any]] = [self._head(facts)] if with_head else []
        for row in rows:
            cells = row._asdict()
            told = cells.pop(FACTS, {})
            lines.append([(cells | told).get(name, "") for name in self._head(facts)])
        return csv_text(lines)


def _same(path: Path, what: str, there: Json, asked: Json) -> None:
    for name in dict.fromkeys([*asked, *there]):
        if name in FREE or (name in LATER and name not in there):
            continue
        was, now = there.get(name), json.loads(json.dumps(asked.get(name)))
        if was == now:
            continue
        if isinstance(was, dict) and isinstance(now, dict):  # only what differs is told
            name, was, now = next((f"{name} of {one}", was.get(one), now.get(one)) for one in _differing(was, now))
        raise MeasureError(
            f"{path} holds another {what}, with {name} {_short(was)}, but {_short(now)} was asked for. "
            "Choose another --out, or repeat the command it was made with."
        )


def _differing(was: Json, now: Json) -> list[str]:
    return [one for one in dict.fromkeys([*was, *now]) if was.get(one) != now.get(one)]


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
