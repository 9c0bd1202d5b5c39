"""The command line: quick help, examples everywhere, mistakes in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = ["demo", "play", "selfplay", "crossplay", "agents", "replay", "plan", "train", "explain-bit", "doctor"]
COMMANDS += ["evaluate", "report", "robustness", "tournament", "behaviour", "adhoc", "ah2ac2", "predict", "measure"]
COMMANDS += ["serve", "enter", "study", "fit", "runs", "curve"]


def coplay(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "coplay", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=300)


def test_help_loads_nothing_heavy():
    probe = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from coplay.cli import app\n"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0\n"
        "heavy = {'jax', 'numpy', 'scipy', 'matplotlib', 'equinox', 'rich.console'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", probe], check=True)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_examples(command: str):
    from typer.testing import CliRunner

    from coplay.cli import app

    shown = CliRunner().invoke(app, [command, "--help"])
    assert shown.exit_code == 0
    assert f"coplay {command}" in shown.stdout.split("Examples:")[1]


def test_no_command_is_untested():
    from coplay.cli import app

    names = {info.name or info.callback.__name__ for info in app.registered_commands if info.callback}
    assert names == set(COMMANDS)


def test_the_version_is_told():
    from typer.testing import CliRunner

    from coplay import __version__
    from coplay.cli import app

    answer = CliRunner().invoke(app, ["--version"])
    assert (answer.exit_code, answer.stdout) == (0, f"coplay {__version__}\n")


def test_a_bit_is_explained():
    from typer.testing import CliRunner

    from coplay.cli import app

    answer = CliRunner().invoke(app, ["explain-bit", "231", "--game", "hanabi", "--players", "2"])
    assert answer.exit_code == 0
    assert "discard" in answer.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["explain-bit", "9999"], "9999"),
        (["selfplay", "nobody"], "unknown agent 'nobody'"),
        (["selfplay", "random", "--players", "7"], "2 to 5"),
        (["selfplay", "random", "--game", "chess"], "unknown game 'chess'"),
        (["predict", "random", "nobody", "--data", "hgroup"], "unknown agent 'nobody'"),
        (["evaluate", "smartbto"], "Did you mean 'smartbot'"),
        (["evaluate", "hatbot", "--players", "2"], "hatbot"),
        (["evaluate", "random", "--pool", "humans"], "unknown pool 'humans'"),
        (["report", "nowhere"], "nowhere is no run folder"),
        (
            ["robustness", "random", "--game", "overcooked?layout=cramped_room"],
            "no unit tests for the kitchen 'cramped_room'",
        ),
        (["robustness", "random", "--game", "hanabi", "--players", "5"], "are for 2 or 3 players"),
        (["plan", "--sd", "-1", "--half-width", "1"], "sd must be a positive number; got -1"),
        (["train", "ipo", "--out", "nowhere"], "Did you mean 'ippo'?"),
        (["train", "ippo", "--out", "nowhere", "--set", "gams=4"], "Did you mean 'games'?"),
    ],
)
def test_mistakes_are_told_in_one_line(
    arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    from coplay.cli import main

    monkeypatch.setattr(sys, "argv", ["coplay", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert ended.value.code == 2
    assert words in told
    assert len(told.strip().splitlines()) == 1


def test_a_process_ends_in_one_line_too():
    answer = coplay("selfplay", "nobody")
    assert answer.returncode == 2
    assert answer.stderr.startswith("coplay: unknown agent 'nobody'")
    assert len(answer.stderr.strip().splitlines()) == 1


def test_a_person_can_leave_a_game():
    answer = coplay("play", "hanabi-very-small", "--seed", "1", stdin="?\nnonsense\nq\n")
    assert answer.returncode == 0, answer.stderr
    assert "Traceback" not in answer.stderr


def test_ctrl_c_ends_a_command_in_one_line(tmp_path: Path):
    agent = tmp_path / "pressed.py"
    agent.write_text("class Pressed:\n    def act(self, view):\n        raise KeyboardInterrupt\n")
    levers = Path(__file__).parents[1] / "own" / "levers.py"
    answer = coplay("selfplay", f"file:{agent}:Pressed", "--game", f"file:{levers}:Levers", "--games", "2")
    assert (answer.returncode, answer.stdout, answer.stderr) == (130, "", "Stopped.\n")
