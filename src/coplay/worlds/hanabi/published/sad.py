"""The recurrent Q-networks of SAD, Other-Play and their baselines (hanabi_SAD, off-belief-learning): `sad:FILE`.

Hu and Foerster 2019 (SAD, IQL, VDN) and Hu et al. 2020 (Other-Play): one or two dense layers and an LSTM over the whole
view, heard at every turn; it plays the best legal action. Off-belief learning's networks without a public memory
(`lstm`, `ffwd`) are such networks, too.

What a network reads shows in its size. The view is JaxMARL's; networks of hanabi_SAD have empty places for their own
cards before it, and those of SAD hear after it the action that the last player thought best. At evaluation, where
nobody explores, that is the last action: it is heard twice.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game
from coplay.nets.actors import Weights, checked, dense, dense_shapes
from coplay.player import AgentError
from coplay.worlds.hanabi.bots.standard_game import require_standard_game
from coplay.worlds.hanabi.encode import jaxmarl, sections
from coplay.worlds.hanabi.published.parts import Memory, blank, from_torch, lstm, lstm_shapes
from coplay.worlds.hanabi.view import View

if TYPE_CHECKING:
    from coplay.worlds.hanabi.settings import Hanabi

Array = jax.Array

WHAT = "These are the .pthw files of hanabi_SAD and off-belief-learning, with layers net, lstm and fc_a."
OP_NAME = re.compile(r"M(\d{1,2})")  # Other-Play's networks are called M0 to M12


class Sad(eqx.Module):
    """A published network as a policy."""

    weights: Weights
    name: str = eqx.field(static=True)
    dense: int = eqx.field(static=True)  # layers before the memory
    layers: int = eqx.field(static=True)  # of the memory
    skip: bool = eqx.field(static=True)  # what enters the memory is added to what it shows
    own: bool = eqx.field(static=True)  # places for one's own cards come first
    greedy: bool = eqx.field(static=True)  # the last player's best action comes last
    hears = "every"

    def start(self) -> Memory:
        return blank(self.weights, self.layers)

    def act(self, memory: Memory, view: View, key: Array) -> tuple[Memory, Array]:
        del key
        memory, worth = self.advantages(memory, self.observation(view))
        legal = view.legal
        return memory, jnp.argmax(jnp.where(legal, worth[: legal.size], -jnp.inf)).astype(jnp.int32)

    def observation(self, view: View) -> Array:
        """float32 [inputs]"""
        seen = jaxmarl(view)
        first, after = last_action(view.game)
        parts = [jnp.zeros(own_cards(view.game))] if self.own else []
        parts += [seen, seen[first:after]] if self.greedy else [seen]
        return jnp.concatenate(parts)

    def advantages(self, memory: Memory, seen: Array) -> tuple[Memory, Array]:
        """The memory after an observation, and what every action is worth; the last is to wait."""
        x = seen
        for layer in range(self.dense):
            x = jax.nn.relu(dense(self.weights, f"net.{2 * layer}", x))
        memory, shown = lstm(self.weights, memory, x)
        return memory, dense(self.weights, "fc_a", shown + x if self.skip else shown)


def load_sad(place: str, game: Game, *, skip: bool | None = None) -> Sad:
    """The network in a file, ready for `game`.

    Whether it skips its memory does not show in the file: half of Other-Play's do. They are known by their names, M0 to
    M12; `skip` says it for others.
    """
    require_standard_game(f"sad:{place}", game, 2, 5, any_hand=True)
    found = from_torch(place)
    count = len([name for name in found if re.fullmatch(r"net\.\d+,kernel", name)])
    layers = len([name for name in found if re.fullmatch(r"lstm,l\d+,hi,kernel", name)])
    first, head = found.get("net.0,kernel"), found.get("fc_a,kernel")
    if first is None or head is None or first.ndim != 2 or head.ndim != 2:
        known = ", ".join(sorted(found)[:4])
        raise AgentError(f"sad:{place}: it has no layers net.0 and fc_a but {known} ... {WHAT}")
    inputs, hidden = first.shape
    own, greedy = _reads(place, game, inputs)  # pyright: ignore[reportArgumentType]
    sizes = {f"net.{2 * layer}": hidden if layer else inputs for layer in range(count)}
    shapes = dense_shapes(sizes, hidden) | lstm_shapes(layers, hidden)
    shapes |= dense_shapes({"fc_a": hidden}, game.num_actions + 1)
    weights = checked(f"sad:{place}", found, shapes, WHAT)
    skips = _skips(place) if skip is None else skip
    return Sad(weights, Path(place).stem, count, layers, skips and layers > 0, own, greedy)


def own_cards(game: Hanabi) -> int:
    """Entries for one's own cards."""
    return game.hand_size * game.num_identities


def last_action(game: Hanabi) -> tuple[int, int]:
    """Where in the view the last action begins and ends."""
    sizes = sections(game)
    ends = dict(zip(sizes, np.cumsum(list(sizes.values())).tolist(), strict=True))
    return ends["discards"], ends["last token"]


def _reads(place: str, game: Hanabi, inputs: int) -> tuple[bool, bool]:
    """(places for its own cards, the last player's best action): which view has so many entries."""
    first, after = last_action(game)
    view = sum(sections(game).values())
    forms = {
        view: (False, False),
        view + own_cards(game): (True, False),
        view + own_cards(game) + after - first: (True, True),
    }
    if inputs not in forms:
        raise AgentError(
            f"sad:{place}: it reads {inputs} entries, but with {game.players} players and {game.hand_size} cards each "
            f"such networks read {', '.join(map(str, forms))}; make the game it was trained on (players, hand_size)."
        )
    return forms[inputs]


def _skips(place: str) -> bool:
    """Other-Play's networks 3 to 5 and those from 9 on skip their memory."""
    named = OP_NAME.fullmatch(Path(place).stem)
    return named is not None and (3 <= int(named[1]) < 6 or int(named[1]) >= 9)
