"""Behavioural cloning: a recurrent network learns to play the recorded move.

As in AH2AC2: a dense layer with LayerNorm and GELU, an LSTM that hears every turn, a decoder with dropout, a learning
rate that falls linearly for nine tenths of the run. Unlike there, every game gets its own colour permutation, and the
loss is a mean over decisions; it is also reported in the paper's unit, averaged over the turns of all seats.
Data: `data=FILE` of any format that `coplay data` reads, several separated by commas; held out are the games of
`held_out=FILE`, else a share of the data, by game.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

from coplay.agents.nets.file import save_policy
from coplay.agents.nets.network import Design, Network
from coplay.agents.nets.policy import NetPolicy, observation_scale
from coplay.games.game import Game
from coplay.play.play import play
from coplay.play.progress import progress_bar
from coplay.play.seeds import derive
from coplay.train import clone
from coplay.train.checkpoint import load_checkpoint, save_checkpoint
from coplay.train.recipe import Context
from coplay.train.settings import TrainError


@dataclasses.dataclass(frozen=True)
class Settings:
    """Defaults are the paper's for 1,000 games of two players."""

    data: str = ""
    held_out: str = ""
    held_out_share: float = 0.1
    epochs: int = 70
    batch: int = 32  # games
    learning_rate: float = 5e-3
    final_rate: float = 1e-4
    decay: float = 1e-4
    embed: int = 1024
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

    def __post_init__(self) -> None:
        if not self.data:
            raise TrainError("bc needs games to learn from: --set data=FILE, see `coplay data`.")
        if self.select not in ("likelihood", "selfplay"):
            raise TrainError(f"select={self.select!r}: choose likelihood or selfplay.")
        if self.hears not in ("own", "every"):
            raise TrainError(f"hears={self.hears!r}: choose own or every.")
        if self.epochs < 1 or self.batch < 1 or not 0 <= self.dropout < 1 or not 0 < self.held_out_share < 1:
            raise TrainError("epochs and batch must be at least 1, dropout in [0, 1), held_out_share in (0, 1).")


PRESETS: dict[str, dict[str, Any]] = {}


def defaults(game: Game) -> dict[str, Any]:
    return {} if game.players == 2 else {"embed": 512, "batch": 128, "epochs": 50}


def run(context: Context, settings: Settings, about: dict[str, Any], resume: bool, progress: bool | None) -> None:
    """Clones once per seed, one after the other; a resumed run skips the epochs that are done."""
    game = context.game
    design = _design(game, settings)
    train, held_out = (clone.lessons(game, design, part) for part in _games(game, settings, context.seed))
    total = settings.epochs * context.seeds
    with progress_bar("bc", total, progress) as advance:
        for number in range(context.seeds):
            for _ in _clone(context, settings, design, train, held_out, number, about, resume):
                advance(1)


def _games(game: Any, settings: Settings, seed: int) -> tuple[Any, Any]:
    from coplay.data import split

    games = clone.read_games(game, settings.data)
    if settings.held_out:
        return games, clone.read_games(game, settings.held_out)
    count = max(round(len(games) * (1 - settings.held_out_share)), 1)
    if count == len(games):
        raise TrainError(f"{settings.data} holds {len(games)} games: too few to hold some out; give held_out=FILE.")
    return split(games, count, seed)


def _design(game: Game, settings: Settings) -> Design:
    return Design(
        inputs=game.observation_shape,
        actions=game.num_actions,
        scale=observation_scale(game),
        embed=settings.embed,
        normalise=True,
        activation="gelu",
        cell="lstm",
        cells=settings.cells,
        hidden=settings.hidden,
        actor=settings.actor,
        critic=settings.critic,
        dropout=settings.dropout,
        hears=settings.hears,  # pyright: ignore[reportArgumentType]
    )


def _clone(
    context: Context,
    settings: Settings,
    design: Design,
    train: clone.Lessons,
    held_out: clone.Lessons,
    number: int,
    about: dict[str, Any],
    resume: bool,
) -> Iterator[None]:
    """Yields after every epoch."""
    from coplay.train.run import forget_lines, log

    count, batch = train.turns.shape[0], min(settings.batch, train.turns.shape[0])
    steps = settings.epochs * -(-count // batch)
    rate = optax.linear_schedule(settings.learning_rate, settings.final_rate, max(int(0.9 * steps), 1))
    tool = optax.adamw(rate, weight_decay=settings.decay)
    network = eqx.filter_jit(Network)(derive(context.seed, "network", number), design)
    state = tool.init(eqx.filter(network, eqx.is_array))
    # Everything a killed run needs: weights, optimiser, the best weights so far and how good they were, epochs done.
    now: tuple[Any, ...] = (network, state, network, jnp.float32(-jnp.inf), jnp.int32(0))
    file = context.folder / f"checkpoint-{number}.safetensors"
    if resume and file.exists():
        now, _ = load_checkpoint(file, now)
    network, state, best, best_mark, done = now
    forget_lines(context.folder, lambda line: line["number"] != number or line["epoch"] <= int(done))
    unseen = clone.in_groups(np.arange(held_out.turns.shape[0]), batch)
    for epoch in range(int(done), settings.epochs):
        key = derive(context.seed, "bc", number, epoch)
        order = np.asarray(jax.random.permutation(jax.random.fold_in(key, 1), count))
        network, state, sums = clone.one_epoch(
            *(context.game, tool, network, state, train, clone.in_groups(order, batch), key),
            *(settings.permute, context.dtype),
        )
        tested = clone.examine(context.game, network, held_out, unseen, context.dtype)
        line = _line(number, epoch, sums, tested)
        # The loss is that before each step; only held-out games show if the last step went astray.
        for name in ("loss", "held_out_loss"):
            if not np.isfinite(line[name]):
                raise TrainError(
                    f"{name} became {line[name]} in epoch {epoch + 1}; training stopped. "
                    "What the folder keeps is from before it; train anew with a lower learning_rate."
                )
        if settings.select == "selfplay":
            line["score"] = _selfplay(context, network, settings.selfplay_games)
        mark = line["score"] if settings.select == "selfplay" else -line["held_out_loss"]
        if mark > float(best_mark):
            best, best_mark = network, jnp.float32(mark)
            made = {**about, "number": number, "held_out": {k: v for k, v in line.items() if k.startswith("held_out")}}
            save_policy(context.folder / f"agent-{number}.safetensors", best, context.game, made)
        log(context.folder, line)
        save_checkpoint(file, (network, state, best, best_mark, jnp.int32(epoch + 1)), {"epoch": epoch + 1})
        yield


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
    policy = NetPolicy(network, context.game)
    return float(play(context.game, policy, games, context.seed, progress=False).scores.mean())
