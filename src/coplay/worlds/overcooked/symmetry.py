"""Mirror images: a kitchen that looks the same reflected or turned plays the same."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Symmetry
from coplay.worlds.overcooked import minimal
from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.kitchen.layouts import OFFSETS, Cell
from coplay.worlds.overcooked.rules import ACTIONS, Chef, State

if TYPE_CHECKING:
    from coplay.worlds.overcooked.settings import Overcooked

Array = jax.Array
Mirror = tuple[bool, bool, bool]  # flip x, flip y, then exchange the axes


class Mirrors:
    """The reflections and turns that map terrain on terrain and start cells on start cells; number 0 is the identity.

    Hand-made features have signed distances, which no relabelling of entries mirrors: they keep the identity alone.
    """

    def __init__(self, game: Overcooked) -> None:
        self.game = game

    def __len__(self) -> int:
        return len(self.mirrors)

    def __getitem__(self, index: Array | int) -> Symmetry:
        bits, actions = self._tables
        return Symmetry(bits[index], actions[index])

    def sample(self, key: Array) -> Symmetry:
        """A uniformly random mirror image."""
        return self[jax.random.randint(key, (), 0, len(self))]

    @cached_property
    def mirrors(self) -> tuple[Mirror, ...]:
        yes_no = (False, True)
        candidates = [(x, y, swap) for x in yes_no for y in yes_no for swap in yes_no]
        return tuple(mirror for mirror in candidates if not any(mirror) or self._keeps(mirror))

    def reflect(self, mirror: Mirror, cell: Cell) -> Cell:
        """Where a cell of the original is seen in the mirror image."""
        flip_x, flip_y, exchange = mirror
        kitchen = self.game.kitchen
        x = kitchen.width - 1 - cell[0] if flip_x else cell[0]
        y = kitchen.height - 1 - cell[1] if flip_y else cell[1]
        return (y, x) if exchange else (x, y)

    def turn(self, mirror: Mirror, action: int) -> int:
        """What an action of the original looks like in the mirror image."""
        if action >= len(OFFSETS):
            return action
        flip_x, flip_y, exchange = mirror
        dx, dy = OFFSETS[action]
        dx, dy = (-dx if flip_x else dx), (-dy if flip_y else dy)
        return OFFSETS.index((dy, dx) if exchange else (dx, dy))

    def state(self, state: State, index: Array | int) -> State:
        """The mirror image of a state."""
        kitchen = self.game.kitchen
        target, source, ways, pots = (table[index] for table in self._state_tables)
        chefs = [Chef.of(chef) for chef in state.chefs]
        seen = [chef._replace(cell=target[chef.cell], facing=ways[chef.facing]) for chef in chefs]
        contents = jnp.stack(state.pots)[pots]
        lying = items.spread(state.lying, kitchen.num_cells)[source]
        return state._replace(
            chefs=tuple(chef.pack() for chef in seen),
            pots=tuple(contents[pot] for pot in range(len(state.pots))),
            lying=items.gather_up(lying),
        )

    def _keeps(self, mirror: Mirror) -> bool:
        kitchen = self.game.kitchen
        if self.game.encoding == "bc_features" or (mirror[2] and kitchen.width != kitchen.height):
            return False
        cells = [kitchen.cell(index) for index in range(kitchen.num_cells)]
        same = all(kitchen.letter(cell) == kitchen.letter(self.reflect(mirror, cell)) for cell in cells)
        return same and {self.reflect(mirror, start) for start in kitchen.starts} == set(kitchen.starts)

    @cached_property
    def _tables(self) -> tuple[Array, Array]:
        """(int32 [count, observation size], int32 [count, actions])"""
        bits = np.stack([self._bits(mirror) for mirror in self.mirrors])
        actions = np.stack([np.argsort([self.turn(m, a) for a in range(len(ACTIONS))]) for m in self.mirrors])
        with jax.ensure_compile_time_eval():
            return jnp.asarray(bits, jnp.int32), jnp.asarray(actions, jnp.int32)

    @cached_property
    def _state_tables(self) -> tuple[Array, Array, Array, Array]:
        """Per mirror: where each cell is seen, which cell is seen there, likewise facings, and which pot is seen."""
        kitchen = self.game.kitchen
        cells = [kitchen.cell(index) for index in range(kitchen.num_cells)]
        target = np.asarray([[kitchen.index(self.reflect(m, cell)) for cell in cells] for m in self.mirrors])
        ways = np.asarray([[self.turn(m, way) for way in range(len(OFFSETS))] for m in self.mirrors])
        pots = list(kitchen.indices("P"))
        source = np.argsort(target, axis=1)
        seen = np.asarray([[pots.index(old[pot]) for pot in pots] for old in source.tolist()])
        with jax.ensure_compile_time_eval():
            words = [jnp.asarray(table, jnp.uint32) for table in (target, source, ways)]
            return words[0], words[1], words[2], jnp.asarray(seen, jnp.int32)

    def _bits(self, mirror: Mirror) -> np.ndarray:
        """For every entry of the mirrored encoding, the entry of the original that it shows."""
        if self.game.encoding == "minimal":
            whole = dataclasses.replace(self.game, encoding="lossless").symmetries._bits(mirror)
            kept = minimal.positions(self.game.kitchen, self.game.players)
            shown = np.where(minimal.everywhere(self.game.kitchen, self.game.players), kept, whole[kept])
            return np.searchsorted(kept, shown)  # a mirrored kitchen has the same changing entries
        shape = self.game.observation_shape
        entries = np.arange(int(np.prod(shape)))
        if not any(mirror):
            return entries
        old = entries.reshape(shape)
        new = np.empty_like(old)
        layers = self._layers(mirror)
        for index in range(self.game.kitchen.num_cells):
            cell = self.game.kitchen.cell(index)
            new[self.reflect(mirror, cell)] = old[cell][layers]
        return new.reshape(-1)

    def _layers(self, mirror: Mirror) -> np.ndarray:
        """For every layer of the mirrored encoding, the original layer: facings change places."""
        players = self.game.players
        layers = np.arange(self.game.observation_shape[-1])
        for first in range(players, 5 * players, 4):
            for way in range(4):
                layers[first + self.turn(mirror, way)] = first + way
        return layers
