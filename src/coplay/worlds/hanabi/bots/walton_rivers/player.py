"""A player that tries rules in order and takes the first that fires.

Hints are true and the table is open, so nothing a stranger does can make these agents' beliefs empty. Should no rule
fire, or only with illegal actions, the player takes any legal action.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.worlds.hanabi.bots.identity_sets import check_game
from coplay.worlds.hanabi.bots.walton_rivers.places import dealt_places, moved_places
from coplay.worlds.hanabi.bots.walton_rivers.rules import Rule, Weights, in_order
from coplay.worlds.hanabi.bots.walton_rivers.table import PlacedView
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.hanabi.view import View

Array = jax.Array


class RulePlayer(eqx.Module):
    """Rules tried in order; its memory is the places of the cards (places.py)."""

    game: Hanabi = eqx.field(static=True)
    rules: tuple[Rule, ...] = eqx.field(static=True)
    name: str = eqx.field(static=True)
    hears = "every"

    def __check_init__(self) -> None:
        check_game(self.name, self.game)

    def start(self) -> Array:
        return dealt_places(self.game)

    def act(self, memory: Array, view: View, key: Array) -> tuple[Array, Array]:
        memory = moved_places(memory, view)
        weights = self.weights(PlacedView(view, memory))
        return memory, weighted_choice(weights, jax.random.bits(key, (), jnp.uint32))

    def weights(self, table: PlacedView) -> Weights:
        """int32 [num_actions]: each action is picked with a chance in this proportion."""
        legal = self.game.legal(table.view)
        weights = jnp.where(legal, in_order(self.rules, table), 0)
        return jnp.where((weights > 0).any(), weights, legal.astype(jnp.int32))


def allowed_actions(player: RulePlayer, memory: Array, view: View) -> Array:
    """bool [num_actions]: what `act` on the same memory and view may do."""
    return player.weights(PlacedView(view, moved_places(memory, view))) > 0


def weighted_choice(weights: Weights, bits: Array) -> Array:
    """An action with a chance in proportion to its weight, from one random uint32; 0 where all weights are 0."""
    total = weights.sum().astype(jnp.uint32)
    chosen = ((bits >> 16) * total) >> 16
    return jnp.argmax(jnp.cumsum(weights) > chosen.astype(jnp.int32)).astype(jnp.int32)
