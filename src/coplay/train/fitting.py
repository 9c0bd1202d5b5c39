"""Fitting an agent's parameters to recorded games by Metropolis sampling, as Knott et al. 2021 fitted their planner.

How likely a recording is by a set of parameters cannot be written down: what such an agent is up to is hidden. So every
recorded seat is followed by particles, copies of the agent with memories of their own. The share that would have made
the recorded move is how likely it was, and those that would go on (as for "bootstrap" particle filters). The luck is
the same for all parameters, so that two sets differ by what they are and not by what they drew.

An agent can be fitted if it has `parameters` (a NamedTuple of numbers) and the functions of `Fittable`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np

from coplay.agents.spec import agent
from coplay.compiling import quick_jit
from coplay.data.people import counting_seats
from coplay.files import csv_text, write_whole
from coplay.game import Game
from coplay.games import spec_of
from coplay.rollouts.episode import Episodes, joint_actions
from coplay.rollouts.progress import progress_bar
from coplay.rollouts.seeds import derive
from coplay.train.clone import read_games
from coplay.train.settings import TrainError

Array = jax.Array
SLIP = 0.05  # share of moves that are taken for any move: no single one rules a set of parameters out
STEP = 0.6  # spread of a proposal, in logits of the place within a parameter's range
PARTICLES = 16
BURN_IN = 0.5  # share of a chain that is not looked at


@runtime_checkable
class Fittable(Protocol):
    """A policy whose parameters can be fitted."""

    parameters: Any

    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """What is searched, and where."""
        ...

    def measured(self, moves: np.ndarray) -> Mapping[str, float]:
        """What is read off the recorded moves directly."""
        ...

    def having(self, values: Mapping[str, Any]) -> Any:
        """The same policy with other parameters."""
        ...

    def heard(self, memory: Any, action: Array) -> Any:
        """Its memory after a move that it made although it would not have."""
        ...


class Seats(NamedTuple):
    """Whose moves are explained, one row per recorded seat; [rows, ...]."""

    starts: Any
    actions: Array  # int32 [rows, turns, players]
    lengths: Array
    seat: Array


class Line(NamedTuple):
    """A step of a chain, after it was decided."""

    chain: int
    step: int
    likelihood: float  # log, of all moves together
    accepted: int
    values: Mapping[str, float]


class Fit(NamedTuple):
    """What came of it."""

    game: str
    agent: str
    moves: int  # that were explained
    fixed: Mapping[str, float]
    chains: int
    before: float  # log-likelihood of the agent's own parameters, with what was measured
    usual: float  # log-likelihood of the bare shares of the actions
    lines: tuple[Line, ...]
    folder: Path

    @property
    def best(self) -> Line:
        """The most likely sample."""
        return max(self.lines, key=lambda line: line.likelihood)

    def settled(self) -> list[Line]:
        """The samples after each chain's beginning."""
        first = int(BURN_IN * len(self.lines) / self.chains)
        return [line for line in self.lines if line.step >= first]

    @property
    def spec(self) -> str:
        """The most likely one as an agent's name."""
        pairs = {**self.best.values, **self.fixed}
        return f"{self.agent.partition('?')[0]}?" + "&".join(f"{name}={value:.6g}" for name, value in pairs.items())


def fit(game: Game, spec: str, data: str, out: str | Path, chains: int = 4, steps: int = 200, seed: int = 0) -> Fit:
    """Samples parameters of the agent; the same call goes on in the folder where it was cut off."""
    policy = agent(spec, game)
    if not isinstance(policy, Fittable):
        raise TrainError(f"{spec} has no parameters that could be fitted; theory-of-mind in kitchens has.")
    if chains < 1 or steps < 1:
        raise TrainError(f"chains={chains}, steps={steps}: give at least 1 of each.")
    episodes = read_games(game, data)
    rows, moves = _rows(game, episodes)
    fixed = dict(policy.measured(moves))
    ranges = dict(policy.ranges())
    likely = partial(_likelihoods, game, policy.having(fixed), tuple(ranges), rows, derive(seed, "fit"))
    own = {name: float(getattr(policy.parameters, name)) for name in ranges}
    folder = _begun(Path(out), {"game": spec_of(game), "agent": spec, "data": data, "chains": chains, "seed": seed})
    found = _read_lines(folder, chains, tuple(ranges))
    before = float(likely(_table([own], ranges))[0])
    with progress_bar("fit", steps) as advance, (folder / "trace.csv").open("a") as trace:
        advance(len(found) // chains)
        for step in range(len(found) // chains, steps):
            found += _step(likely, ranges, own, found[-chains:], step, chains, seed)
            trace.write(csv_text([_cells(line) for line in found[-chains:]]))
            trace.flush()
            advance(1)
    told = Fit(spec_of(game), spec, len(moves), fixed, chains, before, _of_shares(moves), tuple(found), folder)
    kept = {"spec": told.spec, "likelihood": told.best.likelihood, "before": before, "moves": len(moves)}
    write_whole(folder / "fit.json", json.dumps(kept | {"usual": told.usual}, indent=1) + "\n")
    return told


def _rows(game: Game, episodes: Episodes) -> tuple[Seats, np.ndarray]:
    """One row per seat that is to be explained, people's alone where the recording marks them; and their moves."""
    actions, lengths = joint_actions(episodes), np.asarray(episodes.lengths)
    counted = counting_seats(episodes.extra, len(lengths), game.players)
    pairs = [(number, seat) for number in range(len(lengths)) for seat in range(game.players) if counted[number, seat]]
    number, seat = np.asarray(pairs, np.int32).T
    starts = jax.tree.map(lambda leaf: jnp.asarray(np.asarray(leaf)[number]), episodes.starts)
    moves = np.concatenate([actions[n, : lengths[n], s] for n, s in pairs])
    return Seats(starts, jnp.asarray(actions[number]), jnp.asarray(lengths[number]), jnp.asarray(seat)), moves


@quick_jit
def _likelihoods(game: Game, policy: Any, names: tuple[str, ...], rows: Seats, key: Array, values: Array) -> Array:
    """float32 [sets]: the log-likelihood of all rows by each set of parameters [sets, names]."""

    def of_set(one: Array) -> Array:
        mine = policy.having(dict(zip(names, one, strict=True)))
        keys = jax.random.split(key, rows.seat.shape[0])
        return jax.vmap(partial(_follow, game, mine))(*rows, keys).sum()

    return jax.lax.map(of_set, values)


def _follow(game: Game, policy: Any, start: Any, actions: Array, length: Array, seat: Array, key: Array) -> Array:
    """The log-likelihood of one seat's moves."""

    def turn(now: tuple[Any, Any], given: tuple[Array, Array, Array]) -> tuple[tuple[Any, Any], Array]:
        (state, memory), (number, joint, key) = now, given
        think, draw = jax.random.split(key)
        view, move = game.view(state, seat), joint[seat]
        after, chosen = jax.vmap(policy.act, (0, None, 0))(memory, view, jax.random.split(think, PARTICLES))
        right = chosen == move
        share = (1 - SLIP) * right.mean() + SLIP / game.num_actions
        parents = jax.random.categorical(draw, jnp.where(right | ~right.any(), 0.0, -jnp.inf), shape=(PARTICLES,))
        after = jax.tree.map(lambda leaf: leaf[parents], after)
        told = jax.vmap(policy.heard, (0, None))(after, move)
        after = jax.tree.map(lambda ours, theirs: jnp.where(right.any(), ours, theirs), after, told)
        played = number < length
        state = game.step(state, jnp.where(played, joint, -1)).state
        return (state, after), jnp.where(played, jnp.log(share), 0.0)

    memory = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (PARTICLES, *jnp.shape(leaf))), policy.start())
    turns = actions.shape[0]
    given = (jnp.arange(turns), actions, jax.random.split(key, turns))
    return jax.lax.scan(turn, (start, memory), given)[1].sum()


def _step(
    likely: Any,
    ranges: Mapping[str, tuple[float, float]],
    own: Mapping[str, float],
    last: list[Line],
    step: int,
    chains: int,
    seed: int,
) -> list[Line]:
    """One decision of every chain. The first chain begins at the agent's own parameters, the others anywhere."""
    chance = np.random.default_rng([seed, step])
    if step == 0:
        places = chance.uniform(size=(chains, len(ranges)))
        places[0] = [_inside((own[name] - low) / (high - low)) for name, (low, high) in ranges.items()]
    else:
        places = np.stack([_places(line.values, ranges) for line in last])
        logits = np.log(places / (1 - places)) + STEP * chance.normal(size=places.shape)
        places = np.asarray([[_inside(1 / (1 + math.exp(-one))) for one in row] for row in logits])
    proposed = [_values(row, ranges) for row in places]
    found = np.asarray(likely(_table(proposed, ranges)))
    coins = np.log(chance.uniform(size=chains))
    lines = []
    for chain, (values, likelihood) in enumerate(zip(proposed, found.tolist(), strict=True)):
        line = Line(chain, step, likelihood, 1, values)
        if step and coins[chain] > _gain(line, last[chain], ranges):
            line = last[chain]._replace(step=step, accepted=0)
        lines.append(line)
    return lines


def _gain(new: Line, old: Line, ranges: Mapping[str, tuple[float, float]]) -> float:
    """Of the posterior in logits: all values within a range are equally likely beforehand."""
    prior = [np.log(places * (1 - places)).sum() for places in (_places(one.values, ranges) for one in (new, old))]
    return new.likelihood - old.likelihood + float(prior[0] - prior[1])


def _inside(place: float) -> float:
    return min(max(place, 1e-4), 1 - 1e-4)


def _places(values: Mapping[str, float], ranges: Mapping[str, tuple[float, float]]) -> np.ndarray:
    return np.asarray([_inside((values[name] - low) / (high - low)) for name, (low, high) in ranges.items()])


def _values(places: np.ndarray, ranges: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    ends = zip(places.tolist(), ranges.items(), strict=True)
    return {name: low + place * (high - low) for place, (name, (low, high)) in ends}


def _table(sets: list[Any], names: Mapping[str, Any]) -> Array:
    return jnp.asarray([[one[name] for name in names] for one in sets], jnp.float32)


def _of_shares(moves: np.ndarray) -> float:
    counts = np.bincount(moves)
    kept = counts[counts > 0]
    return float((kept * np.log(kept / len(moves))).sum())


def _cells(line: Line) -> list[Any]:
    """With all digits: a fit that goes on is the fit that never stopped."""
    return [line.chain, line.step, repr(line.likelihood), line.accepted, *map(repr, line.values.values())]


def _begun(folder: Path, asked: dict[str, Any]) -> Path:
    """The folder, new or begun with the same question."""
    note = folder / "run.json"
    if note.exists() and json.loads(note.read_text()) != asked:
        raise TrainError(f"{folder} holds another fit; choose another --out, or repeat the command it was made with.")
    if not note.exists():
        write_whole(note, json.dumps(asked, indent=1) + "\n")
    return folder


def _read_lines(folder: Path, chains: int, names: tuple[str, ...]) -> list[Line]:
    """The whole steps of a trace; what a kill cut off is dropped."""
    file = folder / "trace.csv"
    if not file.exists():
        write_whole(file, csv_text([["chain", "step", "likelihood", "accepted", *names]]))
    text = file.read_text().split("\n")[1:-1]
    rows = [row.split(",") for row in text[: len(text) // chains * chains]]
    values = [dict(zip(names, map(float, row[4:]), strict=True)) for row in rows]
    lines = [Line(int(r[0]), int(r[1]), float(r[2]), int(r[3]), v) for r, v in zip(rows, values, strict=True)]
    write_whole(file, csv_text([["chain", "step", "likelihood", "accepted", *names], *map(_cells, lines)]))
    return lines
