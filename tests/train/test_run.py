"""Run folders: they say how they were made, go on exactly after a stop, and keep the last good checkpoint."""

from __future__ import annotations

import errno
import json
import os
import shlex
import shutil
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.data import DataError
from coplay.files import digest_of
from coplay.games import make, spec_of
from coplay.nets import layers
from coplay.nets.file import read_safetensors
from coplay.player import AgentError
from coplay.train import run, run_folder
from coplay.train.learner import loop
from coplay.train.recipe import LearnerSettings, practice_game
from coplay.train.run import Run, open_run, train
from coplay.train.settings import TrainError
from tests.train.test_docs import keys_of_the_log
from tests.train.toy import Toy

GAME: Any = Toy()
BUNDLE, UPDATES = 2, 6
SIZES = {"embed": 8, "hidden": 8, "actor": 8, "critic": 8}
SHAPE = {"games": 4, "turns": 6, "epochs": 1, "minibatches": 2, "bundle": BUNDLE, "total_turns": UPDATES * 4 * 6}
SETTINGS: dict[str, Any] = {**SIZES, **SHAPE, "cell": "gru", "learning_rate": 1e-2, "entropy": 0.01}


def go(out: Path, **changes: Any) -> Run:
    return train("ippo", GAME, out, **{"seeds": 2, "progress": False, **SETTINGS, **changes})


def tensors(folder: Path, name: str) -> dict[str, np.ndarray]:
    return read_safetensors(folder / f"{name}.safetensors")[0]


def lines(folder: Path) -> list[dict[str, Any]]:
    """The log without what a clock decides."""
    found = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{name: value for name, value in line.items() if name != "turns_per_second"} for line in found]


@pytest.fixture(scope="module", autouse=True)
def plain_start() -> Any:
    """Networks that start from plain random numbers: orthogonal ones take seconds to compile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layers, "orthogonal", lambda key, i, o, gain: gain / 2 * jax.random.normal(key, (i, o)))
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory: Any) -> Run:
    """A run that nothing interrupted."""
    return go(tmp_path_factory.mktemp("whole") / "run")


@pytest.fixture
def copied(whole: Run, tmp_path: Path) -> Path:
    shutil.copytree(whole.folder, tmp_path / "run")
    return tmp_path / "run"


class Killed(BaseException):
    pass


def test_a_killed_run_goes_on_as_if_nothing_had_happened(whole: Run, tmp_path: Path, monkeypatch: Any):
    """Killed after a line was logged that no checkpoint knows of, and in the middle of the next line."""
    folder = tmp_path / "run"
    keep, kept = run.keep, []

    def keep_once(*given: Any) -> None:
        if kept:
            with open(folder / "metrics.jsonl", "a") as file:
                file.write('{"updates": 6, "tur')
            raise Killed
        kept.append(keep(*given))

    with monkeypatch.context() as patch:
        patch.setattr(run, "CHECKPOINT_SECONDS", -1.0)
        patch.setattr(run, "keep", keep_once)
        with pytest.raises(Killed):
            go(folder)
    assert read_safetensors(folder / "checkpoint.safetensors")[0]["updates"] == BUNDLE
    go(folder, resume=True)
    for name in ("checkpoint", "agent-0", "agent-1"):
        ours, theirs = tensors(folder, name), tensors(whole.folder, name)
        assert ours.keys() == theirs.keys()
        for tensor in ours:
            np.testing.assert_array_equal(ours[tensor], theirs[tensor], err_msg=tensor)
    assert lines(folder) == lines(whole.folder)


def test_seeds_learn_different_things_side_by_side(whole: Run):
    first, second = (tensors(whole.folder, f"agent-{number}") for number in range(2))
    assert all((first[name] != second[name]).any() for name in first if "weight" in name)
    assert len(whole.agents) == 2
    assert [line["updates"] for line in whole.metrics] == [2, 4, 6]
    assert all(len(line["score"]) == 2 for line in whole.metrics)


def test_every_key_of_the_log_is_explained(whole: Run):
    assert set(whole.metrics[-1]) <= keys_of_the_log()


def test_the_folder_says_how_it_was_made(whole: Run):
    about = json.loads((whole.folder / "run.json").read_text())
    assert about["recipe"] == "ippo"
    assert about["settings"]["learning_rate"] == 1e-2
    assert about["seeds"] == 2
    assert "--set cell=gru" in about["command"]
    made = json.loads(read_safetensors(whole.folder / "agent-1.safetensors")[1]["made"])
    assert made["number"] == 1
    assert made["turns"] == SETTINGS["total_turns"]
    assert jax.tree.all(
        jax.tree.map(lambda a, b: (a == b).all(), open_run(whole.folder, GAME).agents[1], whole.agents[1])
    )


def test_the_command_survives_a_shell(tmp_path: Path):
    about = {"recipe": "best_response", "game": "hanabi?players=3", "seeds": 1, "seed": 0}
    about["settings"] = {"partner": "file:my agents.py?greedy=false", "kl": "0,0.5"}
    words = shlex.split(run_folder.command(about, tmp_path / "a run"))
    assert words[:5] == ["coplay", "train", "best_response", "--game", "hanabi?players=3"]
    assert words[-5:] == [
        str(tmp_path / "a run"),
        "--set",
        "partner=file:my agents.py?greedy=false",
        "--set",
        "kl=0,0.5",
    ]


@pytest.mark.parametrize(
    "spec",
    [
        "hanabi-very-small",
        "hanabi?players=3&hand_size=4&copies=3,2,2,2,2",
        "overcooked?layout=coordination_ring&horizon=50&dynamics=new",
    ],
)
def test_the_command_makes_the_same_game(tmp_path: Path, spec: str):
    game = make(spec)
    about = {"recipe": "ippo", "game": spec_of(game), "settings": {}, "seeds": 1, "seed": 0}
    words = shlex.split(run_folder.command(about, tmp_path))
    assert make(words[words.index("--game") + 1]) == game
    assert words[words.index("--out") + 1] == str(tmp_path)


def test_a_run_shorter_than_a_bundle_is_not_longer_than_asked(tmp_path: Path, monkeypatch: Any):
    monkeypatch.setattr(loop, "_bundle", pretend())
    done = go(tmp_path / "run", bundle=50)
    assert [line["updates"] for line in done.metrics] == [UPDATES]
    assert done.metrics[-1]["turns"] == SETTINGS["total_turns"]


def test_a_folder_is_not_overwritten(whole: Run):
    with pytest.raises(TrainError, match="already holds a run; go on with --resume"):
        go(whole.folder)


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"entropy": 0.5}, r"settings=\{'entropy': 0.01\}, not \{'entropy': 0.5\}"), ({"seed": 9}, "seed=0")],
)
def test_a_run_goes_on_with_its_own_settings_only(whole: Run, changes: dict[str, Any], words: str):
    with pytest.raises(TrainError, match=words):
        go(whole.folder, resume=True, **changes)


def test_a_response_goes_on_with_its_own_partner_only(whole: Run, tmp_path: Path):
    partner = tmp_path / "partner.safetensors"
    shutil.copy(whole.folder / "agent-0.safetensors", partner)
    given = {**SETTINGS, "partner": f"run:{partner}", "total_turns": 2 * 4 * 6}
    train("best_response", GAME, tmp_path / "run", progress=False, **given)
    shutil.copy(whole.folder / "agent-1.safetensors", partner)
    with pytest.raises(TrainError, match=r"was begun with other contents than run:.*partner.safetensors has now"):
        train("best_response", GAME, tmp_path / "run", resume=True, progress=False, **given)


def test_contents_of_all_lists_of_partners_are_noted(tmp_path: Path):
    files = [tmp_path / name for name in ("one", "two", "three")]
    for file in files:
        file.write_text(file.name)
    told = run_folder.inputs_of({"populations": f"{files[0]},iggi;{files[1]};piers,{files[2]}", "games": 3})
    assert told == {str(file): f"sha256:{digest_of(file)}" for file in files}


def test_a_run_of_an_earlier_version_goes_on(copied: Path, capsys: Any):
    """It does not name settings that came later, and it may be made longer, which is said."""
    about = json.loads((copied / "run.json").read_text())
    for late in ("entropy_path", "critic_first"):
        del about["settings"][late]
    del about["inputs"]
    (copied / "run.json").write_text(json.dumps(about))
    go(copied, resume=True, total_turns=(UPDATES + BUNDLE) * 4 * 6)
    assert "what falls over a run" in capsys.readouterr().err


def test_a_clone_goes_on_with_its_own_games_only(tmp_path: Path, monkeypatch: Any):
    games = tmp_path / "games"
    games.mkdir()
    (games / "one.json").write_text("some")
    monkeypatch.setattr("coplay.train.recipes.bc.run", lambda context, *_: (context.folder / "kept").touch())
    train("bc", "hanabi", tmp_path / "run", data=str(games))
    assert json.loads((tmp_path / "run" / "run.json").read_text())["inputs"] == {
        str(games): f"sha256:{digest_of(games)}"
    }
    train("bc", "hanabi", tmp_path / "run", data=str(games), resume=True)
    (games / "one.json").write_text("others")
    with pytest.raises(TrainError, match=r"was begun with other contents than .*games has now"):
        train("bc", "hanabi", tmp_path / "run", data=str(games), resume=True)
    shutil.rmtree(games)
    with pytest.raises(DataError, match="there is no such file or folder"):
        train("bc", "hanabi", tmp_path / "run", data=str(games), resume=True)


def test_a_damaged_checkpoint_is_named(copied: Path):
    file = copied / "checkpoint.safetensors"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(AgentError, match=r"checkpoint\.safetensors is no safetensors file or is damaged"):
        go(copied, resume=True)


def test_an_agent_is_no_checkpoint(copied: Path):
    shutil.copy(copied / "agent-0.safetensors", copied / "checkpoint.safetensors")
    with pytest.raises(TrainError, match="is no checkpoint of a run"):
        go(copied, resume=True)


def test_no_folder_no_run(tmp_path: Path):
    with pytest.raises(TrainError, match=r"has no run\.json"):
        open_run(tmp_path)


def pretend(**numbers: float) -> Any:
    """Stands in for a bundle of updates: the learner as it is, and these metrics."""

    def bundle(setup: Any, learner: Any, size: int, count: Any) -> Any:
        metrics = {"score": 1.0, "games": 1.0, "loss": 0.5} | numbers
        return learner._replace(updates=learner.updates + count), {
            k: jnp.full((count, 2), v) for k, v in metrics.items()
        }

    return bundle


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_numbers_that_break_stop_the_run_and_leave_the_checkpoint(copied: Path, monkeypatch: Any, number: float):
    before = (copied / "checkpoint.safetensors").read_bytes()
    monkeypatch.setattr(loop, "_bundle", pretend(loss=number))
    monkeypatch.setattr(run, "CHECKPOINT_SECONDS", -1.0)
    with pytest.raises(
        TrainError, match=r"loss became (nan|inf) before update 8; training stopped.*lower learning_rate"
    ):
        go(copied, resume=True, total_turns=2 * SETTINGS["total_turns"])
    assert (copied / "checkpoint.safetensors").read_bytes() == before


def test_weights_that_break_in_the_very_last_step_are_noticed(whole: Run):
    """The loss before that step was still finite; the size of the weights after it is among the checked numbers."""
    kept = tensors(whole.folder, "checkpoint")
    for number in range(2):
        weights = [kept[name][number] for name in kept if name.startswith("networks.")]
        size = np.sqrt(sum(np.square(weight).sum() for weight in weights))
        assert whole.metrics[-1]["weights"][number] == pytest.approx(size, rel=0.02)  # the mean of a bundle's two


def test_a_full_disk_leaves_the_checkpoint(copied: Path, monkeypatch: Any):
    before = {name: (copied / name).read_bytes() for name in ("checkpoint.safetensors", "agent-0.safetensors")}

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(loop, "_bundle", pretend())
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"cannot write .*: No space left on device") as caught:
        go(copied, resume=True, total_turns=2 * SETTINGS["total_turns"])
    assert caught.value.errno == errno.ENOSPC
    assert before == {name: (copied / name).read_bytes() for name in before}
    assert not list(copied.glob("*.partial"))


def test_random_starts_are_for_kitchens(tmp_path: Path):
    with pytest.raises(TrainError, match=r"random_starts=0\.5: .* leave random_starts out"):
        go(tmp_path / "run", random_starts=0.5)
    assert not (tmp_path / "run").exists()


def test_a_kitchen_is_practised_from_random_starts_and_played_from_its_own(tmp_path: Path):
    kitchen = make("overcooked", layout="cramped_room", horizon=20)
    small = {**SIZES, **SHAPE, "random_starts": 1.0, "shaping": 0.0}
    done = train("ippo", kitchen, tmp_path / "run", progress=False, **small)
    assert done.game == kitchen
    assert practice_game(kitchen, LearnerSettings(random_starts=1.0)) == make(
        "overcooked", layout="cramped_room", horizon=20, random_starts=1.0
    )
    assert json.loads((tmp_path / "run" / "run.json").read_text())["settings"]["random_starts"] == 1.0
