"""Several processes play what one plays, and tell when they cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

import coplay
from coplay.measure import MeasureError
from coplay.measure.evaluated.folder import EvaluationFolder
from coplay.measure.evaluated.play import MOST_JOBS, usual_jobs
from coplay.measure.evaluated.play import play_evaluation as evaluate

PLAIN = """import coplay
class Last(coplay.Agent):
    def act(self, view):
        return int(view.legal.nonzero()[0][-1])
"""


def mark(folder: EvaluationFolder) -> None:
    """Work beside the games; here, because another process must find it."""
    (folder / "beside").write_text("done")


def fail(folder: EvaluationFolder) -> None:
    raise MeasureError("the tests broke")


def files(folder: Path) -> dict[str, bytes]:
    """Everything but run.json, which tells when it was made."""
    found = [path for path in folder.rglob("*") if path.is_file() and path.name != "run.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.fixture(scope="module")
def game() -> coplay.Game:
    return coplay.make("hanabi-very-small", players=2)


@pytest.fixture
def plain(tmp_path: Path) -> str:
    file = tmp_path / "last.py"
    file.write_text(PLAIN)
    return f"file:{file}:Last"


def test_two_processes_write_the_folder_that_one_writes(game: coplay.Game, plain: str, tmp_path: Path):
    said: list[list[str]] = [[], []]
    for jobs in (1, 2):
        evaluate(
            game,
            plain,
            tmp_path / str(jobs),
            ["random", "simplebot"],
            games=5,
            on=jobs,
            say=said[jobs - 1].append,
            beside=mark,
        )
    assert files(tmp_path / "1") == files(tmp_path / "2")
    assert "beside" in files(tmp_path / "2")
    without_seconds = [[line.rsplit(" (", 1)[0] for line in lines] for lines in said]
    assert sorted(without_seconds[0]) == sorted(without_seconds[1])
    assert len(said[0]) == 5
    assert not any(row.forfeit for row in EvaluationFolder(tmp_path / "2").rows())


def test_errors_of_other_processes_are_heard_and_games_kept(game: coplay.Game, plain: str, tmp_path: Path):
    out = tmp_path / "out"
    with pytest.raises(MeasureError, match="the tests broke"):
        evaluate(game, plain, out, ["random"], games=3, on=2, say=lambda line: None, beside=fail)
    assert len(EvaluationFolder(out).rows()) == 9


def test_only_plain_agents_take_several_processes(game: coplay.Game, plain: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    assert usual_jobs(game, "valuebot") == 1
    assert usual_jobs(game, plain) == MOST_JOBS
