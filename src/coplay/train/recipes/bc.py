"""Behavioural cloning: a recurrent network learns to play the recorded move.

As in AH2AC2: a dense layer with LayerNorm and GELU, an LSTM that hears every turn, a decoder with dropout, a learning
rate that falls linearly for nine tenths of the run. Unlike there, every game gets its own colour permutation, and the
loss is a mean over decisions; it is also reported in the paper's unit, averaged over the turns of all seats.
Data: `data=FILE` of any format that `coplay data` reads, several separated by commas; held out are the games of
`held_out=FILE`, else a share of the data, in whole deals.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

from coplay.faces import faces_of
from coplay.game import Game
from coplay.nets.file import save_policy
from coplay.nets.network import Design, Network, new_networks
from coplay.nets.policy import NetPolicy, observation_scale
from coplay.nets.stacks import one_network
from coplay.rollouts.play import play
from coplay.rollouts.progress import progress_bar
from coplay.rollouts.seeds import derive
from coplay.train import clone
from coplay.train.checkpoint import load_checkpoint, save_checkpoint
from coplay.train.interrupt import leave, waits_for_a_whole_step
from coplay.train.recipe import Context, trained_networks
from coplay.train.settings import TrainError


@dataclasses.dataclass(frozen=True)
class Settings:
    """Defaults are the paper's for 1,000 games of two players."""

    data: str = ""
    held_out: str = ""
    held_out_share: float = 0.1
    fold: str = ""  # instead: "2/5" holds out the second fifth of the games; all five together judge every game once
    epochs: int = 70
    batch: int = 32  # games, or stretches of them
    stretch: int = 0  # turns that are learned from at once, where there is no memory; 0: whole games
    learning_rate: float = 5e-3
    final_rate: float = 1e-4
    decay: float = 1e-4
    embed: int = 1024
    layers: int = 1
    cell: Literal["none", "gru", "lstm"] = "lstm"
    cells: int = 1
    hidden: int = 512
    actor: int = 256
    critic: int = 512
    dropout: float = 0.5
    hears: str = "every"
    permute: bool = True
    select: str = "likelihood"  # which epoch is kept: the best held-out likelihood, or the best self-play
    selfplay_games: int = 500
    bfloat16: bool = True
    start: str = ""  # a trained player to learn on from (fine-tuning); one, or one per seed

    def __post_init__(self) -> None:
        if not self.data:
            raise TrainError("bc needs games to learn from: --set data=FILE, see `coplay data`.")
        if self.select not in ("likelihood", "selfplay"):
            raise TrainError(f"select={self.select!r}: choose likelihood or selfplay.")
        if self.hears not in ("own", "every"):
            raise TrainError(f"hears={self.hears!r}: choose own or every.")
        if self.cell not in ("none", "gru", "lstm"):
            raise TrainError(f"cell={self.cell!r}: choose none, gru or lstm.")
        if self.stretch < 0 or (self.stretch and self.cell != "none"):
            raise TrainError(
                f"stretch={self.stretch} with cell={self.cell}: a memory follows a game from its start; "
                "leave stretch out (0), or take cell=none."
            )
        if self.epochs < 1 or self.batch < 1 or not 0 <= self.dropout < 1 or not 0 < self.held_out_share < 1:
            raise TrainError("epochs and batch must be at least 1, dropout in [0, 1), held_out_share in (0, 1).")
        if self.fold and self.held_out:
            raise TrainError(f"fold={self.fold} and held_out={self.held_out} both say what is held out; give one.")
        self.part_held_out()

    def part_held_out(self) -> tuple[int, int]:
        """(number from 0, count) of the fold; (0, 0) where there is none."""
        if not self.fold:
            return 0, 0
        number, _, count = self.fold.partition("/")
        if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count) and int(count) > 1):
            raise TrainError(f"fold={self.fold!r}: write which part of how many is held out, such as 2/5.")
        return int(number) - 1, int(count)


# A network large enough for tens of thousands of games: with those, capacity is the limit and dropout hurts.
MANY_GAMES: dict[str, Any] = dict(  # noqa: C408 (reads like the command line)
    embed=768, cells=2, hidden=512, dropout=0.1, batch=128, epochs=12, learning_rate=1e-3, final_rate=1e-5
)
PRESETS: dict[str, dict[str, Any]] = {"many-games": MANY_GAMES}


def defaults(game: Game) -> dict[str, Any]:
    training = faces_of(game).training
    return {} if training is None else dict(training.cloning(game))


def run(context: Context, settings: Settings, about: dict[str, Any], resume: bool, progress: bool | None) -> None:
    """Clones as many times as there are seeds, side by side; a resumed run skips the epochs that are done."""
    networks = _begin(context, settings)
    context = context.reading(networks)
    game = context.game
    learn, judge = _games(game, settings, context.seed)
    train, held_out = (clone.lessons(game, networks.design, part) for part in (learn, judge))
    if settings.stretch and networks.design.cell == "none":
        train, held_out = (clone.in_stretches(part, settings.stretch) for part in (train, held_out))
    with waits_for_a_whole_step() as stop, progress_bar("bc", settings.epochs, progress) as advance:
        for done in _epochs(context, settings, networks, train, held_out, about, resume):
            advance(1)
            if stop():
                leave(context.folder, done, settings.epochs, "epochs")


def _begin(context: Context, settings: Settings) -> Network:
    """Stacked: fresh networks, or the players that learning goes on from."""
    if settings.start:
        return trained_networks(context, settings.start)
    keys = jnp.stack([derive(context.seed, "network", number) for number in range(context.seeds)])
    return new_networks(keys, _design(context.game, settings))


def _games(game: Any, settings: Settings, seed: int) -> tuple[Any, Any]:
    from coplay.data import folds, hold_out

    games = clone.read_games(game, settings.data)
    if settings.held_out:
        return games, clone.read_games(game, settings.held_out)
    number, count = settings.part_held_out()
    if count:
        return folds(games, count, seed)[number]
    return hold_out(games, settings.held_out_share, seed)


def _design(game: Game, settings: Settings) -> Design:
    return Design(
        inputs=game.observation_shape,
        actions=game.num_actions,
        scale=observation_scale(game),
        embed=settings.embed,
        layers=settings.layers,
        normalise=True,
        activation="gelu",
        cell=settings.cell,
        cells=settings.cells,
        hidden=settings.hidden,
        actor=settings.actor,
        critic=settings.critic,
        dropout=settings.dropout,
        hears=settings.hears,  # pyright: ignore[reportArgumentType]
    )


class _Progress(NamedTuple):
    """Everything a killed run needs: weights, optimisers, the best weights so far and how good they were."""

    networks: Any  # stacked, as are the next two
    optimisers: Any
    best: Any
    marks: Any  # float32 [seeds]
    epochs: Any  # int32: done


def _epochs(
    context: Context,
    settings: Settings,
    networks: Network,
    train: clone.Lessons,
    held_out: clone.Lessons,
    about: dict[str, Any],
    resume: bool,
) -> Iterator[int]:
    """Yields after every epoch."""
    from coplay.train.run_folder import forget_lines, log

    count, batch = train.turns.shape[0], min(settings.batch, train.turns.shape[0])
    tool = _optimiser(settings.learning_rate, settings.final_rate, settings.decay, settings.epochs * -(-count // batch))
    states = _optimisers(tool, networks)
    now = _Progress(networks, states, networks, np.full(context.seeds, -np.inf, np.float32), np.int32(0))
    file = context.folder / "checkpoint.safetensors"
    if resume and file.exists():
        now = _Progress(*load_checkpoint(file, tuple(now))[0])
    best = jax.tree.map(np.array, now.best)  # on the host: a pass takes what it is given
    forget_lines(context.folder, lambda line: line["epoch"] <= int(now.epochs))
    unseen = clone.in_groups(np.arange(held_out.turns.shape[0]), batch)
    fixed = (context.game, tool, train, settings.permute, context.dtype)
    for epoch in range(int(now.epochs), settings.epochs):
        key = derive(context.seed, "bc", epoch)
        order = np.asarray(jax.random.permutation(jax.random.fold_in(key, 1), count))
        networks, states, sums = clone.one_epoch(
            fixed, now.networks, now.optimisers, clone.in_groups(order, batch), key
        )
        tested = clone.examine(context.game, networks, held_out, unseen, context.dtype)
        marks = np.array(now.marks)
        held = jax.device_get(networks)
        for number in range(context.seeds):
            line = _line(number, epoch, clone.of_one(sums, number), clone.of_one(tested, number))
            _check_finite(line)
            mine = one_network(held, number)
            if settings.select == "selfplay":
                line["score"] = _selfplay(context, mine, settings.selfplay_games)
            mark = line["score"] if settings.select == "selfplay" else -line["held_out_loss"]
            if mark > marks[number]:
                marks[number] = mark
                jax.tree.map(lambda every, new, number=number: every.__setitem__(number, new), best, mine)
                _keep(context, about, number, mine, line)
            log(context, line)
        now = _Progress(networks, states, best, marks, np.int32(epoch + 1))
        save_checkpoint(file, tuple(now), {"epoch": epoch + 1})
        yield epoch + 1


@cache
def _optimiser(first: float, last: float, decay: float, steps: int) -> optax.GradientTransformation:
    """The paper's: a rate that falls linearly for nine tenths of the run. The same object every time, so that equal
    runs share one program."""
    return optax.adamw(optax.linear_schedule(first, last, max(int(0.9 * steps), 1)), weight_decay=decay)


@eqx.filter_jit
def _optimisers(tool: optax.GradientTransformation, networks: Network) -> Any:
    """Before the first step, one per network."""
    return eqx.filter_vmap(lambda network: tool.init(eqx.filter(network, eqx.is_array)))(networks)


def _keep(context: Context, about: dict[str, Any], number: int, network: Network, line: dict[str, Any]) -> None:
    made = {**about, "number": number, "held_out": {k: v for k, v in line.items() if k.startswith("held_out")}}
    save_policy(context.folder / f"agent-{number}.safetensors", network, context.game, made)


def _check_finite(line: dict[str, Any]) -> None:
    """The loss is that before each step; only held-out games show if the last step went astray."""
    for name in ("loss", "held_out_loss"):
        if not np.isfinite(line[name]):
            raise TrainError(
                f"{name} became {line[name]} in epoch {line['epoch']}; training stopped. "
                "What the folder keeps is from before it; train anew with a lower learning_rate."
            )


def _line(number: int, epoch: int, sums: clone.Sums, tested: clone.Sums) -> dict[str, Any]:
    return {
        "number": number,
        "epoch": epoch + 1,
        "loss": round(sums.per_decision, 5),
        "accuracy": round(sums.accuracy, 5),
        "held_out_loss": round(tested.per_decision, 5),
        "held_out_loss_per_seat_turn": round(tested.per_seat_turn, 5),
        "held_out_accuracy": round(tested.accuracy, 5),
        "held_out_decisions": int(tested.decisions),
    }


def _selfplay(context: Context, network: Network, games: int) -> float:
    policy = NetPolicy(jax.device_put(network), context.game)
    return float(play(context.game, policy, games, context.seed, progress=False).scores.mean())
