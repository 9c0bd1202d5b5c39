"""`train`: follows a recipe, keeps a run folder that says how it was made, and goes on after a kill.

The folder holds `run.json` (recipe, settings, seeds, versions, the command that makes it again), `metrics.jsonl`,
`checkpoint.safetensors` and one `agent-SEED.safetensors` per seed.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from coplay.compiling import keep_compiled
from coplay.game import Game
from coplay.games import from_settings, make, spec_of
from coplay.nets.file import agent_files, load_policy, save_policy
from coplay.nets.policy import NetPolicy, reader
from coplay.nets.stacks import one_network
from coplay.rollouts.seeds import derive
from coplay.specs import options_of, read_options
from coplay.train.checkpoint import load_checkpoint, save_checkpoint
from coplay.train.devices.hosts import anywhere, first, join, same_begin, together, wait_until_seen
from coplay.train.devices.line import connected
from coplay.train.devices.sharding import everywhere, spread, whole
from coplay.train.interrupt import leave, waits_for_a_whole_step
from coplay.train.learner.loop import Report, computing, learn
from coplay.train.learner.ppo import Learner, start
from coplay.train.progress import watch
from coplay.train.recipe import Context, game_defaults, practice_game, recipe_named
from coplay.train.run_folder import check_games, forget_lines, free_folder, inputs_of, log, open_folder, usual_of
from coplay.train.settings import TrainError, fill_settings
from coplay.train.trackers import lines_of, open_trackers

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
    log_to: str = "",
    hosts: str = "",
    **settings: Any,
) -> Run:
    """Trains agents by a recipe and returns them; `out` is the run folder.

    `log_to` names who is told the log besides metrics.jsonl: tensorboard, wandb, mlflow, csv, separated by commas.
    `hosts` makes this process one of several that train together, see `coplay.train.devices.hosts.join`.
    """
    join(hosts)
    keep_compiled()
    folder = Path(out)
    with connected(folder):
        with together():
            module, made = recipe_named(recipe), make(game)
            chosen = _checked(module, recipe, made, seeds, settings)
            about = {
                "recipe": recipe,
                "game": spec_of(made),
                "settings": dataclasses.asdict(chosen),
                "seeds": seeds,
                "seed": seed,
            }
            about["inputs"] = inputs_of(about["settings"])
            picture = getattr(chosen, "encoder", "mlp") == "cnn"
            practice = practice_game(reader(made, picture=picture), chosen)
            again = resume and (folder / "run.json").exists()
            trackers = open_trackers(log_to if first() else "", folder)
        with together():
            if first():
                open_folder(folder, about, resume, usual_of(module.Settings))
                if resume and not again:
                    print(f"{folder} holds no run yet, so a new one begins.", file=sys.stderr)
        context = Context(practice, seeds, seed, folder, computing(getattr(chosen, "bfloat16", True)), trackers)
        try:
            wait_until_seen(folder / "run.json")
            _follow(module, context, chosen, about, again, progress)
        except Exception:
            if first():
                free_folder(folder)
            raise
        finally:
            trackers.close()
    return open_run(folder, made)


def _follow(
    module: Any, context: Context, chosen: Any, about: dict[str, Any], again: bool, progress: bool | None
) -> None:
    """The recipe, to its end."""
    if hasattr(module, "run"):
        module.run(context, chosen, about, again, progress)
        return
    with together():
        plan = module.plan(context, chosen)
    _run_ppo(context, plan, chosen, about, again, progress)


def _checked(module: Any, recipe: str, game: Game, seeds: int, given: dict[str, Any]) -> Any:
    """The settings, if a run with them can begin."""
    if seeds < 1:
        raise TrainError(f"seeds={seeds}: train at least one.")
    if hasattr(module, "run") and jax.process_count() > 1:
        raise TrainError(f"{recipe} learns in one process; begin it without --hosts.")
    chosen = resolve(module, recipe, game, given)
    if getattr(chosen, "data", ""):
        check_games(chosen.data)
    return chosen


def open_run(folder: str | Path, game: Game | None = None) -> Run:
    """A run folder's agents and metrics."""
    folder = Path(folder)
    if not (folder / "run.json").is_file():
        raise TrainError(f"{folder} is no run folder: it has no run.json.")
    about = json.loads((folder / "run.json").read_text())
    made: Game = game or from_settings(about["game"], about.get("game_settings", {}))
    agents = tuple(load_policy(str(path), made) for path in agent_files(folder))
    return Run(folder, made, agents, lines_of(folder))


def resolve(module: Any, recipe: str, game: Game, given: dict[str, Any]) -> Any:
    """The settings of a run: the recipe's, then the game's, then the preset's, then what was given."""
    return fill_settings(module.Settings, _over_defaults(module, recipe, game, given), recipe)


def values_of(recipe: str, game: Game | str, given: dict[str, Any]) -> dict[str, Any]:
    """Every setting of a recipe by name, as a run with what is given would have it; what is needed may be missing."""
    module, made = recipe_named(recipe), make(game)
    known = options_of(module.Settings)
    chosen = read_options(_over_defaults(module, recipe, made, given), known, recipe, TrainError, "setting")
    return {name: chosen.get(name, option.default) for name, option in known.items()}


def _over_defaults(module: Any, recipe: str, game: Game, given: dict[str, Any]) -> dict[str, Any]:
    given = dict(given)
    preset = given.pop("preset", None)
    presets = getattr(module, "PRESETS", {})
    defaults = getattr(module, "defaults", game_defaults)
    if preset is not None and preset not in presets:
        raise TrainError(f"{recipe}: unknown preset {preset!r}; its presets are {', '.join(presets) or 'none'}.")
    return {**defaults(game), **(presets[preset] if preset else {}), **given}


def _run_ppo(context: Context, plan: Any, settings: Any, about: dict[str, Any], resume: bool, progress: Any) -> None:
    setup, folder = plan.setup, context.folder
    learners = setup.stage.learners
    keeper = Keeper(context, about, plan.notes or ({},) * learners)
    with together():
        learner = _begin(context, plan, resume)
    same_begin(about, setup, learner)
    with together():
        setup, learner = everywhere(setup), spread(learner, settings.games * learners, learners)
    done = int(learner.updates)
    if settings.snapshots and done == 0:
        nothing = {"score": np.zeros(learners)}
        keep(keeper, Report(learner, 0, 0, 0, 0.0, nothing), "snapshot-{}-0000")
    report, saved = None, time.monotonic()
    shown = progress if first() else False
    with waits_for_a_whole_step() as stop, watch(setup, about["recipe"], done, shown) as show:
        for report in learn(setup, learner, settings.bundle):
            with together():
                _tell(context, report, setup.turns_per_update * learners * report.bundle)
            show(report)
            if (part := passed(report.updates, report.bundle, setup.updates, settings.snapshots)) is not None:
                keep(keeper, report, f"snapshot-{{}}-{part:04d}")
            stops, due = anywhere(stop(), time.monotonic() - saved > CHECKPOINT_SECONDS)
            if stops or due:
                keep(keeper, report)
                saved = time.monotonic()
            if stops:
                leave(folder, report.updates, setup.updates, "updates")
    if report is not None:
        keep(keeper, report)
    wait_until_seen(folder / f"agent-{learners - 1}.safetensors")


def _tell(context: Context, report: Report, turns: int) -> None:
    if first():
        log(context, report_line(report, turns))


def _begin(context: Context, plan: Any, resume: bool) -> Learner:
    """The learner before its first update, or where the last checkpoint left it; forgets what was logged after it."""
    learner = start(plan.setup, plan.networks, derive(context.seed, "learn"), plan.cast)
    file = context.folder / "checkpoint.safetensors"
    if resume and file.exists():
        learner, _ = load_checkpoint(file, learner)
    elif resume and first():
        print(f"{context.folder} has no checkpoint yet, so the run begins anew.", file=sys.stderr)
    if first():
        forget_lines(context.folder, lambda line: line["updates"] <= int(learner.updates))
    return learner


class Keeper(NamedTuple):
    """Where agents are kept, and what is written down with them."""

    context: Context
    about: dict[str, Any]
    notes: tuple[Mapping[str, Any], ...]  # per learner


def keep(keeper: Keeper, report: Report, name: str = "agent-{}") -> None:
    """One file per learner, and the checkpoint with those that are no snapshots; each whole or not at all."""
    report = report._replace(learner=whole(report.learner))
    with together():
        if not first():
            return
        if not name.startswith("snapshot"):
            file = keeper.context.folder / "checkpoint.safetensors"
            save_checkpoint(file, report.learner, {"updates": report.updates})
        keep_agents(keeper, report, name)


def passed(updates: int, bundle: int, total: int, snapshots: int) -> int | None:
    """The number of the snapshot that became due in the last bundle."""
    part = updates * snapshots // total
    return part if part > (updates - bundle) * snapshots // total else None


def keep_agents(keeper: Keeper, report: Report, name: str) -> None:
    """One file per learner; its number takes the place of {} in the name."""
    networks = jax.device_get(report.learner.networks)  # at once: to ask for every learner's arrays takes seconds
    folder = keeper.context.folder
    game = reader(keeper.context.game, networks.design.inputs)
    for number, (note, score) in enumerate(zip(keeper.notes, report.metrics["score"], strict=True)):
        made = {**keeper.about, "turns": report.turns, "number": number, "training_score": round(float(score), 3)}
        network = one_network(networks, number)
        save_policy(folder / f"{name.format(number)}.safetensors", network, game, {**made, **note})


def report_line(report: Report, turns: int) -> dict[str, Any]:
    line: dict[str, Any] = {"updates": report.updates, "turns": report.turns}
    line["turns_per_second"] = round(turns / report.seconds)
    return line | {name: [round(float(x), 5) for x in value] for name, value in report.metrics.items()}
