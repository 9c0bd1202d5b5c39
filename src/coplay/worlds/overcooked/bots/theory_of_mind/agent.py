"""The Theory-of-Mind agent: a person-like cook that weighs its partner's costs, looks at it, pauses and steps aside.

From Knott et al. 2021, "Evaluating the Robustness of Collaborative Agents", where it stands for human partners. Nine
parameters say how a person plays (`parameters.toml`); published sets are chosen by name. It plays kitchens of two
chefs and onions that cook by themselves, and never hands anything over.

Exact as far as the published description goes: pausing, thinking, keeping goals, the four ways to choose a task,
Boltzmann steps, getting unstuck. Approximate: planning a path together with the partner (`paths.py`) and the few
points named in `goals.py`. Added: it walks round a partner who has not moved for long, where the original waits
for ever.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game
from coplay.player import AgentError
from coplay.worlds.overcooked import Overcooked, View
from coplay.worlds.overcooked.bots.errands import errands, find_sources
from coplay.worlds.overcooked.bots.scene import Scene, look, onion_kitchen, uniforms
from coplay.worlds.overcooked.bots.theory_of_mind.goals import choose_task, goals_of
from coplay.worlds.overcooked.bots.theory_of_mind.parameters import (
    MAX_LOOK_AHEAD,
    Parameters,
    checked,
    named_set,
    spec_of,
)
from coplay.worlds.overcooked.bots.theory_of_mind.paths import choose_step, steps_from
from coplay.worlds.overcooked.bots.walking import pick
from coplay.worlds.overcooked.rules import ACTIONS, INTERACT, STAY

Array = jax.Array

# Two of these planners can wait for each other forever, which a search for a plan for both would not; so one who has
# waited a step goes by itself next, with this probability.
INSISTS = 0.5
# Own steps, pauses not counted, that a partner has not moved before it is walked round like furniture. As long as the
# longest of the published robustness tests, so that scores there are comparable.
PATIENCE = 30


class Recall(NamedTuple):
    """What is remembered from the last step that was not a pause; -1 before the first."""

    goal: Array  # int32
    node: Array  # int32: the pose before that step
    hand: Array  # int32: what was held before it
    action: Array  # int32
    partner: Array  # int32: the floor cell where the partner stood
    still: Array  # int32: for so many steps it has stood there


class TheoryOfMind(eqx.Module):
    """The agent with one set of parameters; a number given by name replaces that of the set."""

    game: Overcooked = eqx.field(static=True)
    parameters: Parameters
    hears = "own"

    def __init__(
        self,
        game: Game,
        params: str = "teamworky",
        prob_pausing: float = math.nan,
        prob_thinking: float = math.nan,
        retain_goals: float = math.nan,
        compliance: float = math.nan,
        path_teamwork: float = math.nan,
        rationality: float = math.nan,
        prob_greedy: float = math.nan,
        prob_obs_other: float = math.nan,
        look_ahead: float = math.nan,
        prob_random: float = 0.0,
    ) -> None:
        self.game = _two_chefs(game)
        given = {
            "prob_pausing": prob_pausing,
            "prob_thinking": prob_thinking,
            "retain_goals": retain_goals,
            "compliance": compliance,
            "path_teamwork": path_teamwork,
            "rationality": rationality,
            "prob_greedy": prob_greedy,
            "prob_obs_other": prob_obs_other,
            "look_ahead": look_ahead,
            "prob_random": prob_random,
        }
        given = {name: value for name, value in given.items() if not math.isnan(value)}
        self.parameters = checked(named_set(params, self.game.kitchen.name) | given)

    @property
    def name(self) -> str:
        """Its spec. Read off the parameters and not stored, so that all sets share one compiled program."""
        return f"theory-of-mind?{spec_of(self.parameters, self.game.kitchen.name)}"

    def ranges(self) -> dict[str, tuple[float, float]]:
        """What is fitted to recorded games, and where it is looked for; see `coplay.train.fitting`."""
        probabilities = ("compliance", "retain_goals", "path_teamwork", "prob_greedy", "prob_obs_other")
        return {**dict.fromkeys(probabilities, (0.0, 1.0)), "rationality": (0.0, 20.0), "look_ahead": (0.5, 4.5)}

    def measured(self, moves: np.ndarray) -> dict[str, float]:
        """As in the original, how often a chef pauses is read off the moves, and thinking is left out."""
        return {"prob_pausing": float((moves == STAY).mean()), "prob_thinking": 0.0, "prob_random": 0.0}

    def having(self, values: Mapping[str, Any]) -> TheoryOfMind:
        """The same with other parameters; the look-ahead is rounded."""
        given = dict(values)
        if "look_ahead" in given:
            given["look_ahead"] = jnp.clip(jnp.round(given["look_ahead"]), 1, MAX_LOOK_AHEAD)
        return eqx.tree_at(lambda one: one.parameters, self, self.parameters._replace(**given))

    def heard(self, memory: Recall, action: Array) -> Recall:
        """What it remembers if it did something else than it would have."""
        return memory._replace(action=action.astype(jnp.int32), goal=jnp.int32(-1))

    def start(self) -> Recall:
        never = jnp.int32(-1)
        return Recall(goal=never, node=never, hand=never, action=never, partner=never, still=jnp.int32(0))

    def act(self, memory: Recall, view: View, key: Array) -> tuple[Recall, Array]:
        its = self.parameters
        scene = look(view)
        chance = uniforms(key, 12)
        waited = memory.action == STAY
        idle = waited | (memory.action == INTERACT)
        thinks = idle & (chance[1] < its.prob_thinking)
        keeps = (memory.goal >= 0) & ~idle & (chance[2] <= its.retain_goals)

        tables = errands(self.game.kitchen)
        sources = find_sources(tables, scene)
        greedy, observes = chance[3] < its.prob_greedy, chance[4] < its.prob_obs_other
        task = choose_task(tables, scene, sources, greedy, observes, its.look_ahead)
        goals = goals_of(tables, scene, sources, task)
        goals = jnp.where(keeps, jnp.arange(goals.shape[0]) == memory.goal, goals)
        together = chance[5] < its.path_teamwork * jnp.where(waited, 1 - INSISTS, 1)
        partner = scene.nodes[1] // 4
        still = jnp.where(memory.partner == partner, memory.still + 1, 0)
        goal, action = choose_step(
            tables, scene, sources, view.seat, goals, together, still >= PATIENCE, its.rationality, chance[6:8]
        )

        now = Recall(goal, scene.nodes[0], scene.hands[0].astype(jnp.int32), action, partner, still)
        stuck = (memory.node == now.node) & (memory.hand == now.hand) & ~waited
        sidestep, possible = self._sidestep(scene, action, chance[8])
        complies = stuck & (chance[9] < its.compliance) & possible
        now = now._replace(action=jnp.where(complies, sidestep, action), goal=jnp.where(complies, -1, goal))
        anything = (chance[10] * len(ACTIONS)).astype(jnp.int32)
        now = now._replace(action=jnp.where(chance[11] < its.prob_random, anything, now.action))
        thought = now._replace(goal=memory.goal, action=jnp.int32(STAY))
        now = _choose(thinks, thought, now)
        pauses = chance[0] < its.prob_pausing
        return _choose(pauses, memory, now), jnp.where(pauses, STAY, now.action).astype(jnp.int32)

    def _sidestep(self, scene: Scene, intended: Array, chance: Array) -> tuple[Array, Array]:
        """(action, is there one): a random free step, sideways to the intended direction if possible."""
        free = steps_from(errands(self.game.kitchen).plan, scene).free[:STAY]
        vertical = jnp.arange(4) < 2
        sideways = free & (vertical != (intended < 2)) & (intended < STAY)
        return pick(jnp.where(sideways.any(), sideways, free), chance), free.any()


def _choose(condition: Array, yes: Recall, no: Recall) -> Recall:
    return jax.tree.map(lambda one, other: jnp.where(condition, one, other), yes, no)


def _two_chefs(game: Game) -> Overcooked:
    kitchen = onion_kitchen("theory-of-mind", game)
    if kitchen.players != 2:
        raise AgentError(
            f"theory-of-mind plays with one partner, but the game has {kitchen.players} chefs; set chefs=2."
        )
    if kitchen.dynamics != "old":
        raise AgentError('theory-of-mind expects pots that cook by themselves; make the game with dynamics="old".')
    if kitchen.kitchen.places["T"]:
        raise AgentError(f"theory-of-mind knows no tomatoes, which {kitchen.kitchen.name} has; choose another layout.")
    return kitchen
