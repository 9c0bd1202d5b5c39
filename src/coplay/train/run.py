"""`train`: follows a recipe, keeps a run folder that says how it was made, and goes on after a kill.

The folder holds `run.json` (recipe, settings, seeds, versions, the command that makes it again), `metrics.jsonl`,
`checkpoint.safetensors` and one `agent-SEED.safetensors` per seed.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import numpy as np

from coplay import __version__
from coplay.agents.nets.file import game_settings, load_policy, save_policy
from coplay.agents.nets.network import Network
from coplay.agents.nets.policy import NetPolicy, reader
from coplay.data.digest import digest_of
from coplay.data.whole_file import write_whole
from coplay.games.game import Game
from coplay.games.registry import GAMES, make
from coplay.play.seeds import derive
from coplay.train.board import Board
from coplay.train.checkpoint import load_checkpoint, save_checkpoint
from coplay.train.loop import Report, computing, learn
from coplay.train.ppo import start
from coplay.train.progress import watch
from coplay.train.recipe import Context, practice_game, recipe_named
from coplay.train.settings import TrainError, fill_settings, listed
from coplay.train.sharding import spread

CHECKPOINT_SECONDS = float(os.environ.get("COPLAY_CHECKPOINT_SECONDS", "60"))


@dataclasses.dataclass(frozen=True)
class Run:
    """A finished run."""

    folder: Path
    game: Game
    agents: tuple[NetPolicy, ...]  # one per seed
    metrics: list[dict[str, Any]]  # the lines of metrics.jsonl

    @property
    def agent(self) -> NetPolicy:
        return self.agents[0]


def train(
    recipe: str,
    game: Game | str,
    out: str | Path,
    *,
    seeds: int = 1,
    seed: int = 0,
    resume: bool = False,
    progress: bool | None = None,
    **settings: Any,
) -> Run:
    """Trains agents by a recipe and returns them; `out` is the run folder."""
    made = make(game) if isinstance(game, str) else game
    module = recipe_named(recipe)
    folder = Path(out)
    if seeds < 1:
        raise TrainError(f"seeds={seeds}: train at least one.")
    chosen = resolve(module, recipe, made, settings)
    about = {
        "recipe": recipe,
        "game": made.name,
        "game_settings": game_settings(made),
        "settings": dataclasses.asdict(chosen),
        "seeds": seeds,
        "seed": seed,
    }
    if getattr(chosen, "data", ""):
        about["data_sha256"] = data_digest(chosen.data)
    practice = practice_game(reader(made), getattr(chosen, "random_starts", 0.0))
    open_folder(folder, about, resume)
    dtype = computing(getattr(chosen, "bfloat16", True))
    context = Context(practice, seeds, seed, folder, dtype)
    try:
        if hasattr(module, "run"):
            module.run(context, chosen, about, resume, progress)
        else:
            _run_ppo(context, module.plan(context, chosen), chosen, about, resume, progress)
    except Exception:
        free_folder(folder)
        raise
    return open_run(folder, made)


def open_run(folder: str | Path, game: Game | None = None) -> Run:
    """A run folder's agents and metrics."""
    folder = Path(folder)
    if not (folder / "run.json").is_file():
        raise TrainError(f"{folder} is no run folder: it has no run.json.")
    about = json.loads((folder / "run.json").read_text())
    settings = {name: value for name, value in about["game_settings"].items() if name != "name"}
    made: Game = game or make(about["game"], **settings)
    files = sorted(folder.glob("agent-*.safetensors"), key=lambda path: int(path.stem.split("-")[1]))
    lines = (folder / "metrics.jsonl").read_text().splitlines() if (folder / "metrics.jsonl").exists() else []
    agents = tuple(load_policy(str(path), made) for path in files)
    return Run(folder, made, agents, [json.loads(line) for line in lines])


def resolve(module: Any, recipe: str, game: Game, given: dict[str, Any]) -> Any:
    """The settings of a run: the recipe's, then the game's, then the preset's, then what was given."""
    given = dict(given)
    preset = given.pop("preset", None)
    presets = module.PRESETS
    if preset is not None and preset not in presets:
        raise TrainError(f"{recipe}: unknown preset {preset!r}; its presets are {', '.join(presets) or 'none'}.")
    chosen = {**module.defaults(game), **(presets[preset] if preset else {}), **given}
    return fill_settings(module.Settings, chosen, recipe)


def open_folder(folder: Path, about: dict[str, Any], resume: bool) -> None:
    """Makes the folder, or checks that it holds the run that is to go on."""
    file = folder / "run.json"
    if file.exists() and not resume:
        raise TrainError(f"{folder} already holds a run; go on with --resume, or choose another folder.")
    if resume and file.exists():
        before = json.loads(file.read_text())
        for part in (name for name in about if name in before):
            old, new = before[part], json.loads(json.dumps(about[part]))
            if part == "data_sha256" and old != new:
                games = about["settings"]["data"]
                raise TrainError(f"{folder} was begun with other games than {games} holds now; put those back.")
            if isinstance(old, dict):
                names = [k for k in {**old, **new} if k != "total_turns" and old.get(k) != new.get(k)]
                old, new = ({k: d.get(k) for k in names} for d in (old, new))
            if old != new:
                raise TrainError(f"{folder} was begun with {part}={old}, not {new}; only total_turns may change.")
    folder.mkdir(parents=True, exist_ok=True)
    told = {**about, "coplay": __version__, "jax": jax.__version__, "device": jax.devices()[0].device_kind}
    told["command"] = command(about, folder)
    write_whole(file, json.dumps(told, indent=1) + "\n")


def data_digest(places: str) -> str:
    """The SHA-256 of every file or folder of recorded games that a run learns from."""
    from coplay.data.kinds import kind_of

    for place in listed(places):
        kind_of(place)  # says what is wrong with one that is no games
    return " ".join(digest_of(Path(place)) for place in listed(places))


def free_folder(folder: Path) -> None:
    """A run that failed before it kept anything, by a wrong file or setting, leaves its folder to the next try."""
    if [path.name for path in folder.iterdir()] == ["run.json"]:
        (folder / "run.json").unlink()


def command(about: dict[str, Any], folder: Path) -> str:
    """The command line that makes this run again."""
    words = ["coplay", "train", about["recipe"], "--game", about["game"]]
    named = {name: about["game_settings"][name] for name in ("players", "layout") if name in about["game_settings"]}
    for name, value in named.items():
        words += [f"--{name}", str(value)]
    for name, value in unusual_settings(about["game"], about["game_settings"], named).items():
        words += ["--game-set", f"{name}={json.dumps(value)}"]
    words += ["--seeds", str(about["seeds"]), "--seed", str(about["seed"]), "--out", folder.name]
    for name, value in about["settings"].items():
        words += ["--set", f"{name}={value}"]
    return shlex.join(words)


def unusual_settings(game: str, settings: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    """The settings of a game that are not what its name and the named ones make."""
    if game not in GAMES:  # made elsewhere: no command line makes it
        return {}
    usual = game_settings(make(game, **named))
    return {name: value for name, value in settings.items() if json.dumps(value) != json.dumps(usual.get(name))}


def _run_ppo(context: Context, plan: Any, settings: Any, about: dict[str, Any], resume: bool, progress: Any) -> None:
    setup = plan.setup
    folder = context.folder
    learner = eqx.filter_jit(start)(setup, plan.networks, derive(context.seed, "learn"))
    if resume and (folder / "checkpoint.safetensors").exists():
        learner, _ = load_checkpoint(folder / "checkpoint.safetensors", learner)
    forget_lines(folder, lambda line, done=int(learner.updates): line["updates"] <= done)
    learner = spread(learner, settings.games * context.seeds)
    board = Board(folder, settings.tensorboard)
    saved = time.monotonic()
    if settings.snapshots and int(learner.updates) == 0:
        nothing = {"score": np.zeros(context.seeds)}
        keep_agents(context, Report(learner, 0, 0, 0, 0.0, nothing), about, "snapshot-{}-0000")
    with watch(setup, about["recipe"], int(learner.updates), progress) as show:
        report = None
        for report in learn(setup, learner, settings.bundle):
            line = report_line(report, setup.turns_per_update * context.seeds * report.bundle)
            log(folder, line)
            board.write(line)
            show(report)
            if (part := passed(report.updates, report.bundle, setup.updates, settings.snapshots)) is not None:
                keep_agents(context, report, about, f"snapshot-{{}}-{part:04d}")
            if time.monotonic() - saved > CHECKPOINT_SECONDS:
                keep(context, report, about)
                saved = time.monotonic()
    if report is not None:
        keep(context, report, about)


def keep(context: Context, report: Report, about: dict[str, Any]) -> None:
    """Checkpoint and agents, each written whole or not at all."""
    save_checkpoint(context.folder / "checkpoint.safetensors", report.learner, {"updates": report.updates})
    keep_agents(context, report, about, "agent-{}")


def passed(updates: int, bundle: int, total: int, snapshots: int) -> int | None:
    """The number of the snapshot that became due in the last bundle."""
    part = updates * snapshots // total
    return part if part > (updates - bundle) * snapshots // total else None


def keep_agents(context: Context, report: Report, about: dict[str, Any], name: str) -> None:
    """One file per seed; the seed's number takes the place of {} in the name."""
    score = [round(float(x), 3) for x in report.metrics["score"]]
    for number in range(context.seeds):
        made = {**about, "turns": report.turns, "number": number, "training_score": score[number]}
        network = one_network(report.learner.networks, number)
        save_policy(context.folder / f"{name.format(number)}.safetensors", network, context.game, made)


def one_network(stacked: Network, number: int) -> Network:
    return jax.tree.map(lambda leaf: leaf[number], stacked)


def report_line(report: Report, turns: int) -> dict[str, Any]:
    line: dict[str, Any] = {"updates": report.updates, "turns": report.turns}
    line["turns_per_second"] = round(turns / report.seconds)
    return line | {name: [round(float(x), 5) for x in value] for name, value in report.metrics.items()}


def log(folder: Path, line: dict[str, Any]) -> None:
    with open(folder / "metrics.jsonl", "a") as file:
        file.write(json.dumps(line) + "\n")


def forget_lines(folder: Path, known: Callable[[dict[str, Any]], bool]) -> None:
    """Drops what the checkpoint does not know (a kill may have cut the last line short): it will be done again."""
    file = folder / "metrics.jsonl"
    if file.exists():
        whole = [line for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]
        write_whole(file, "".join(line for line in whole if known(json.loads(line))))
