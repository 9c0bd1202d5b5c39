"""The folder of an evaluation: what was asked (run.json) and what came of it, one row per game (games.csv).

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
from typing import Any, NamedTuple

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


class RunFolder:
    """Reads and writes one folder."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def settings(self) -> dict[str, Any]:
        """run.json: what was asked."""
        file = self / "run.json"
        if not file.is_file():
            raise MeasureError(
                f"{self.path} holds no evaluation: {file.name} is missing. "
                f"Make one with coplay evaluate AGENT --out {self.path}."
            )
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise MeasureError(f"{file} is damaged ({error}); evaluate again into another folder.") from error
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise MeasureError(f"{file} is not {FORMAT!r}; read it with the coplay that wrote it, or evaluate again.")
        return found

    def begin(self, settings: dict[str, Any]) -> None:
        """Makes the folder, or checks that the one there was made with the same settings; overwrites nothing."""
        if (self / "run.json").exists():
            _same(self.path, self.settings(), settings)
            return
        if self.path.exists() and not (self.path.is_dir() and {file.name for file in self.path.iterdir()} <= LEFT_OVER):
            raise MeasureError(f"{self.path} exists and is not a folder of coplay evaluate; choose another --out.")
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self / "run.json", json.dumps(settings, indent=1) + "\n")

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps a second evaluation out of the folder; a process that dies lets go by itself."""
        with (self / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise MeasureError(
                    f"another coplay evaluate is writing {self.path}; wait for it or choose another --out."
                ) from None
            yield

    def rows(self) -> list[GameRow]:
        """All readable lines of games.csv; a last line without its end was cut off and does not count."""
        file = self / "games.csv"
        if not file.exists():
            return []
        lines = file.read_text(encoding="utf-8").split("\n")[:-1]
        if lines and next(csv.reader([lines[0]]), []) != list(GameRow._fields):
            raise MeasureError(
                f"{file} does not begin with the columns {', '.join(GameRow._fields)}; it was changed. "
                "Evaluate again into another folder."
            )
        return [row for row in map(_read_row, lines[1:]) if row is not None]

    def complete(self, games: int) -> dict[tuple[str, str], list[GameRow]]:
        """The rows of every (partner, seating) whose games are all there, in order of the game."""
        groups: dict[tuple[str, str], dict[int, GameRow]] = defaultdict(dict)
        for row in self.rows():
            groups[row.partner, row.seating][row.game] = row
        return {
            team: [found[game] for game in range(games)]
            for team, found in groups.items()
            if found.keys() == set(range(games))
        }

    def keep(self, teams: Iterable[list[GameRow]]) -> None:
        """Leaves only these teams in games.csv."""
        text = _text([GameRow._fields]) + "".join(_text(rows) for rows in teams)
        if not (self / "games.csv").exists() or (self / "games.csv").read_text(encoding="utf-8") != text:
            write_whole(self / "games.csv", text)

    def append(self, rows: list[GameRow]) -> None:
        """Adds a team's games."""
        with (self / "games.csv").open("a", encoding="utf-8", newline="") as file:
            file.write(_text(rows))
            file.flush()
            os.fsync(file.fileno())


def _text(rows: Iterable[tuple[Any, ...]]) -> str:
    lines = io.StringIO(newline="")
    csv.writer(lines, lineterminator="\n").writerows(
        [f"{value:.10g}" if isinstance(value, float) else value for value in row] for row in rows
    )
    return lines.getvalue()


def _read_row(line: str) -> GameRow | None:
    try:
        agent, partner, seating, seed, game, score, length, strikes, forfeit = next(csv.reader([line], strict=True))
        lives = int(strikes) if strikes else None
        return GameRow(agent, partner, seating, int(seed), int(game), float(score), int(length), lives, forfeit)
    except (ValueError, StopIteration, csv.Error):
        return None


def _same(path: Path, there: dict[str, Any], asked: dict[str, Any]) -> None:
    for name in dict.fromkeys([*asked, *there]):
        if there.get(name) != json.loads(json.dumps(asked.get(name))):
            raise MeasureError(
                f"{path} holds an evaluation with {name} {_short(there.get(name))}, but {_short(asked.get(name))} was "
                "asked for. Choose another --out, or repeat the command it was made with."
            )


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
