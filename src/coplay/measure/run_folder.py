"""The folder of a run: what was asked (run.json) and what came of it, one row per game (games.csv).

A team's games are appended in one write and forced to disk, so a run that is cut off loses at most the team it was
playing. What a cut left half-written is dropped and played again.
"""

from __future__ import annotations

import contextlib
import csv
import fcntl
import io
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from coplay.data.whole_file import write_whole
from coplay.measure import MeasureError

FORMAT = "coplay evaluation 1"
LEFT_OVER = {"run.json.partial"}  # of a run that was cut off before it began


class GameRow(NamedTuple):
    """A line of games.csv."""

    agent: str
    partner: str
    seating: str
    seed: int
    game: int  # same seed and number, same deal
    score: float
    length: int
    strikes: int | None  # lives lost; None where the game has none
    forfeit: str  # who broke the game off and why; else empty


Row = TypeVar("Row", bound=NamedTuple)


class Folder(Generic[Row]):
    """Reads and writes one folder; what its rows are, and which belong together, its kinds say."""

    format: str  # the first words of run.json
    what: str  # is in it
    command: str  # that makes it
    fields: tuple[str, ...]  # of a row

    def read(self, cells: list[str]) -> Row:
        """The row of a line; ValueError if it is none."""
        raise NotImplementedError

    def team(self, row: Row) -> tuple[Any, ...]:
        """Whose games are played, and written, together."""
        raise NotImplementedError

    def game(self, row: Row) -> int:
        """The number of the game among those of its team."""
        raise NotImplementedError

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def settings(self) -> dict[str, Any]:
        """run.json: what was asked."""
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

    def begin(self, settings: dict[str, Any]) -> None:
        """Makes the folder, or checks that the one there was made with the same settings; overwrites nothing."""
        if (self / "run.json").exists():
            _same(self.path, self.what, self.settings(), settings)
            return
        if self.path.exists() and not (self.path.is_dir() and {file.name for file in self.path.iterdir()} <= LEFT_OVER):
            raise MeasureError(f"{self.path} exists and is not a folder of {self._name}; choose another --out.")
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self / "run.json", json.dumps(settings, indent=1) + "\n")

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
        if lines and next(csv.reader([lines[0]]), []) != list(self.fields):
            raise MeasureError(
                f"{file} does not begin with the columns {', '.join(self.fields)}; it was changed. "
                "Begin again in another folder."
            )
        return [row for row in map(self._read_line, lines[1:]) if row is not None]

    def _read_line(self, line: str) -> Row | None:
        try:
            return self.read(next(csv.reader([line], strict=True)))
        except (ValueError, StopIteration, csv.Error):
            return None

    def complete(self, games: int) -> dict[tuple[Any, ...], list[Row]]:
        """The rows of every team whose games are all there, in order of the game."""
        groups: dict[tuple[Any, ...], dict[int, Row]] = defaultdict(dict)
        for row in self.rows():
            groups[self.team(row)][self.game(row)] = row
        return {
            team: [found[game] for game in range(games)]
            for team, found in groups.items()
            if found.keys() == set(range(games))
        }

    def keep(self, teams: Iterable[list[Row]]) -> None:
        """Leaves only these teams in games.csv."""
        text = _text([self.fields]) + "".join(_text(rows) for rows in teams)
        if not (self / "games.csv").exists() or (self / "games.csv").read_text(encoding="utf-8") != text:
            write_whole(self / "games.csv", text)

    def append(self, rows: list[Row]) -> None:
        """Adds a team's games."""
        with (self / "games.csv").open("a", encoding="utf-8", newline="") as file:
            file.write(_text(rows))
            file.flush()
            os.fsync(file.fileno())


class RunFolder(Folder[GameRow]):
    """The folder of an evaluation."""

    format, what, command = FORMAT, "evaluation", "coplay evaluate AGENT"
    fields = GameRow._fields

    def read(self, cells: list[str]) -> GameRow:
        agent, partner, seating, seed, game, score, length, strikes, forfeit = cells
        lives = int(strikes) if strikes else None
        return GameRow(agent, partner, seating, int(seed), int(game), float(score), int(length), lives, forfeit)

    def team(self, row: GameRow) -> tuple[str, str]:
        return row.partner, row.seating

    def game(self, row: GameRow) -> int:
        return row.game


def _text(rows: Iterable[tuple[Any, ...]]) -> str:
    lines = io.StringIO(newline="")
    csv.writer(lines, lineterminator="\n").writerows(
        [f"{value:.10g}" if isinstance(value, float) else value for value in row] for row in rows
    )
    return lines.getvalue()


def _same(path: Path, what: str, there: dict[str, Any], asked: dict[str, Any]) -> None:
    for name in dict.fromkeys([*asked, *there]):
        if there.get(name) != json.loads(json.dumps(asked.get(name))):
            raise MeasureError(
                f"{path} holds another {what}, with {name} {_short(there.get(name))}, but {_short(asked.get(name))} "
                "was asked for. Choose another --out, or repeat the command it was made with."
            )


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
