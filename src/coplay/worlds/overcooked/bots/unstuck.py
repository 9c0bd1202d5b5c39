"""A trained player that tries something else once it has not moved for three steps: the rule of the human proxies.

Carroll et al. 2019 played their clones of people by it, in training and in evaluation, and Knott et al. 2021 followed
them: a clone that has seen few games stands before a wall for ever. `unstuck:SPEC` names any trained player with the
rule; its actions are drawn, or the likeliest with `greedy=true`.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.agents.spec import agent
from coplay.game import Game
from coplay.nets.policy import NetPolicy
from coplay.player import AgentError
from coplay.worlds.overcooked import Overcooked, View

Array = jax.Array

STUCK = 3  # steps without a change of place or facing
ACTIONS = 6


class History(NamedTuple):
    """A chef's latest steps, newest last."""

    steps: Array  # int32: how many there were so far
    poses: Array  # int32 [STUCK]: cell and facing before each step
    actions: Array  # int32 [STUCK]


def no_history() -> History:
    return History(jnp.int32(0), jnp.full(STUCK, -1, jnp.int32), jnp.zeros(STUCK, jnp.int32))


def choose(history: History, view: View, logits: Array, unstuck: bool, greedy: bool, key: Array) -> tuple[Any, Array]:
    """(history after this step, action).

    Once place and facing have stayed the same through the last three steps, the actions tried in them are ruled out. As
    in the original, it needs four steps of history before it first applies.
    """
    pose = view.positions[0, 0] * 4096 + view.positions[0, 1] * 4 + view.facings[0]
    if unstuck:
        stuck = (history.steps > STUCK) & (history.poses == pose).all()
        tried = (history.actions[:, None] == jnp.arange(ACTIONS)).any(0)
        logits = jnp.where(stuck & tried, -jnp.inf, logits)
    action = (jnp.argmax(logits) if greedy else jax.random.categorical(key, logits)).astype(jnp.int32)
    poses = jnp.append(history.poses[1:], pose)
    return History(history.steps + 1, poses, jnp.append(history.actions[1:], action)), action


class Unstuck(eqx.Module):
    """A network with the rule."""

    player: NetPolicy
    name: str = eqx.field(static=True, default="unstuck")
    greedy: bool = eqx.field(static=True, default=False)

    @property
    def hears(self) -> str:
        return self.player.hears

    def start(self) -> Any:
        return self.player.start(), no_history()

    def act(self, memory: Any, view: View, key: Array) -> tuple[Any, Array]:
        own, history = memory
        own, logits = self.player.think(own, view)
        history, action = choose(history, view, logits, True, self.greedy, key)
        return (own, history), action


def load_unstuck(spec: str, game: Game, *, greedy: bool = False) -> Unstuck:
    """The player of a spec, with the rule."""
    player = agent(spec, game)
    if not isinstance(game, Overcooked) or not isinstance(player, NetPolicy):
        raise AgentError(f"unstuck:{spec}: give a player of a kitchen that `coplay train` made, such as run:FILE.")
    return Unstuck(dataclasses.replace(player, name="network"), f"unstuck:{player.name}", greedy)
