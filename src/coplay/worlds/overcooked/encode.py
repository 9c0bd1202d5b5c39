"""Views as stacks of layers, axes (x, y, layer): what convolutional networks read.

Each cell's dynamic layers are first packed into a uint32 word (two chefs need 31 bits), then all bytes are written in
one broadcast: shift, mask, and merge with the kitchen's fixed layers.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.kitchen.items import DISH, ONION, TOMATO, word
from coplay.worlds.overcooked.kitchen.layouts import DIRECTIONS, Layout
from coplay.worlds.overcooked.rules import Chef, Pot, ready

if TYPE_CHECKING:
    from coplay.worlds.overcooked.view import View

Array = jax.Array
WIDTH = 32
URGENT = 40  # steps before the horizon at which the last layer lights up
TERRAIN = {
    "lossless": {"P": "pot", "X": "counter", "O": "onion dispenser", "T": "tomato dispenser"}
    | {"D": "dish dispenser", "S": "serving place"},
    "lossless_2019": {"P": "pot", "X": "counter", "O": "onion dispenser", "D": "dish dispenser", "S": "serving place"},
}
# For two chefs: the layer of counters, and those of what may lie there (onions in soups, dishes, onions, tomatoes).
COUNTER, LYING = 11, (18, 22, 23, 24)
# (block, bits, layers: (name, bit inside the block, bits)) in the order of the layers
BLOCKS = {
    "lossless": (
        ("pot", 4, (("onions in idle pot", 0, 2), ("tomatoes in idle pot", 2, 2))),
        ("soup", 4, (("onions in soup", 0, 2), ("tomatoes in soup", 2, 2))),
        ("remaining", 8, (("steps until soup is ready", 0, 8),)),
        ("done", 1, (("soup is ready", 0, 1),)),
        ("dish", 1, (("dish", 0, 1),)),
        ("onion", 1, (("onion", 0, 1),)),
        ("tomato", 1, (("tomato", 0, 1),)),
        ("urgent", 1, ((f"fewer than {URGENT} steps are left", 0, 1),)),
    ),
    "lossless_2019": (
        ("pot", 4, (("onions in pot", 0, 2),)),
        ("elapsed", 8, (("steps cooked", 0, 8),)),
        ("soup", 1, (("soup outside pots", 0, 1),)),
        ("dish", 1, (("dish", 0, 1),)),
        ("onion", 1, (("onion", 0, 1),)),
    ),
}


class Block(NamedTuple):
    """Where a few bits of a cell live."""

    word: int
    shift: int


class Plan(NamedTuple):
    """An encoding of one kitchen, worked out once."""

    names: tuple[str, ...]  # of the layers
    blocks: dict[str, Block]
    words: int
    sources: np.ndarray  # int [layers]: the word a layer reads
    shifts: np.ndarray  # uint32 [layers]
    masks: np.ndarray  # uint32 [layers]: 0 for fixed layers
    fixed: np.ndarray  # uint8 [cells, layers]


@lru_cache(maxsize=64)
def plan(kitchen: Layout, players: int, encoding: str) -> Plan:
    """Lays out the layers: who stands where, where everybody looks, the kitchen, then things."""
    who = ["self", *(f"chef +{j}" if players > 2 else "partner" for j in range(1, players))]
    blocks: list[tuple[str, int, tuple[tuple[str, int, int], ...]]] = []
    blocks += [(f"here {j}", 1, ((f"{name} stands here", 0, 1),)) for j, name in enumerate(who)]
    for j, name in enumerate(who):
        facings = tuple((f"{name} stands here facing {way}", d, 1) for d, way in enumerate(DIRECTIONS))
        blocks.append((f"facing {j}", 4, facings))
    blocks += [("", 0, ((name, 0, 0),)) for name in TERRAIN[encoding].values()]
    blocks += BLOCKS[encoding]

    places: dict[str, Block] = {}
    names, layers = [], []  # layers: (word, shift, mask)
    current, used = 0, 0
    for name, bits, entries in blocks:
        if used + bits > WIDTH:
            current, used = current + 1, 0
        places[name] = Block(current, used)
        for layer, offset, width in entries:
            names.append(layer)
            layers.append((current, used + offset, (1 << width) - 1))
        used += bits
    fixed = np.zeros((kitchen.num_cells, len(layers)), np.uint8)
    for letter, name in TERRAIN[encoding].items():
        fixed[list(kitchen.indices(letter)), names.index(name)] = 1
    return Plan(
        names=tuple(names),
        blocks=places,
        words=current + 1,
        sources=np.asarray([source for source, *_ in layers]),
        shifts=np.asarray([shift for _, shift, _ in layers], np.uint32),
        masks=np.asarray([mask for *_, mask in layers], np.uint32),
        fixed=fixed,
    )


def lossless(view: View) -> Array:
    """uint8 [width, height, layers]: Overcooked-AI's 26 layers for two chefs (5 more per further chef)."""
    return _lossless(view).write()


def jaxmarl(view: View) -> Array:
    """uint8 [height, width, 26]: the layers as JaxMARL shows them; those of counters show empty ones alone."""
    layers = lossless(view)
    lies = layers[..., jnp.asarray(LYING)].any(-1)
    return layers.at[..., COUNTER].set(jnp.where(lies, 0, layers[..., COUNTER])).swapaxes(0, 1)


def lossless_words(view: View) -> list[Array]:
    """uint32 [cells] for every word of the plan: what `lossless` writes out."""
    return _lossless(view).join()


def _lossless(view: View) -> _Cells:
    game = view.game
    layout = plan(game.kitchen, game.players, "lossless")
    cells = _Cells(layout, game.kitchen)
    for index, pot in zip(game.kitchen.indices("P"), map(Pot.of, view.pot_words), strict=True):
        idle = pot.clock == word(0)
        time = items.lookup(pot.contents, game.kitchen.orders.times).astype(jnp.uint32)
        cells.put(index, "pot", jnp.where(idle, pot.contents, word(0)))
        cells.put(index, "soup", jnp.where(idle, word(0), pot.contents))
        cells.put(index, "remaining", jnp.where(idle, word(0), time + word(1) - pot.clock))
        cells.put(index, "done", ready(game, pot).astype(jnp.uint32))
    for seat, chef in enumerate(map(Chef.of, view.chef_words)):
        cells.stand(seat, chef, _item_bits(layout, chef.item))
    cells.scatter(_item_bits(layout, items.spread(view.lying_words, len(layout.fixed))))
    cells.scatter({"urgent": (game.horizon - view.time < URGENT).astype(jnp.uint32)})
    return cells


def lossless_2019(view: View) -> Array:
    """uint8 [width, height, layers]: the 20 layers of the 2019 engine and ZSC-Eval.

    Their defect is kept, because published networks were trained with it: while anybody holds an onion, onions on
    counters are not shown; likewise dishes; and a held soup hides soups on counters and everything in pots.
    """
    game = view.game
    layout = plan(game.kitchen, game.players, "lossless_2019")
    cells = _Cells(layout, game.kitchen)
    chefs = [Chef.of(chef) for chef in view.chef_words]
    hidden, soup_held = word(0), jnp.zeros_like(view.time, bool)
    for chef in chefs:
        soup = items.is_soup(chef.item)
        # bit 0, set by empty hands, only hides nothing
        hidden = hidden | jnp.where(soup, items.mask(items.SOUPS), word(1) << chef.item)
        soup_held = soup_held | soup
    for index, pot in zip(game.kitchen.indices("P"), map(Pot.of, view.pot_words), strict=True):
        tick = jnp.where(pot.clock == word(0), word(0), pot.clock - word(1))
        cells.put(index, "pot", jnp.where(soup_held, word(0), pot.contents))
        cells.put(index, "elapsed", jnp.where(soup_held, word(0), tick))
    for seat, chef in enumerate(chefs):
        cells.stand(seat, chef, _item_bits(layout, chef.item))
    lying = items.spread(view.lying_words, len(layout.fixed))
    shown = jnp.where((hidden >> lying) & word(1) != 0, word(0), lying)
    cells.scatter(_item_bits(layout, shown))
    return cells.write()


def _item_bits(layout: Plan, code: Array) -> dict[str, Array]:
    """What a thing outside pots adds to its cell, block by block."""
    soup = items.is_soup(code)
    bits = {"dish": code == word(DISH), "onion": code == word(ONION)}
    if "done" in layout.blocks:
        bits |= {"tomato": code == word(TOMATO), "done": soup}
        return {name: bit.astype(jnp.uint32) for name, bit in bits.items()} | {"soup": jnp.where(soup, code, word(0))}
    return {name: bit.astype(jnp.uint32) for name, bit in (bits | {"soup": soup}).items()}


def _expand(words: list[Array], layout: Plan) -> Array:
    """uint8 [cells, layers]: (word >> shift) & mask of every cell, merged with the fixed layers.

    The bytes are the same everywhere; the loop that writes them suits the device. A GPU writes one number per thread,
    so four bytes are put together first. A CPU's compiler needs rows longer than a cell's to make vector code.
    """
    cells, layers = layout.fixed.shape
    widest = next(size for size in (4, 2, 1) if cells % (size // math.gcd(layers, size)) == 0)
    return jax.lax.platform_dependent(
        *words,
        cpu=partial(_write, layout=layout, unit=1, group=2),
        default=partial(_write, layout=layout, unit=widest, group=widest // math.gcd(layers, widest)),
    )


def _write(*words: Array, layout: Plan, unit: int, group: int) -> Array:
    """`_expand`, putting `unit` bytes together at a time, in rows of `group` cells."""
    cells, layers = layout.fixed.shape
    spare = -cells % group
    padded = [jnp.pad(cell_words, (0, spare)).reshape(-1, group) for cell_words in words]
    rows = [cell_words[:, member, None] for member in range(group) for cell_words in padded]
    fixed = np.pad(layout.fixed, ((0, spare), (0, 0)))
    packed = fixed.reshape(-1, group * layers).view(f"<u{unit}").astype(np.uint32)
    for byte in range(unit):
        member, layer = np.divmod(np.arange(byte, group * layers, unit), layers)
        source = member * len(words) + layout.sources[layer]
        chosen = rows[source[0]]
        for other in sorted(set(source) - {source[0]}):
            chosen = jnp.where(source == other, rows[other], chosen)
        value = (chosen >> layout.shifts[layer]) & layout.masks[layer]
        packed = packed | (value << word(8 * byte))
    narrow = jnp.asarray(packed).astype(f"uint{8 * unit}")
    return jax.lax.bitcast_convert_type(narrow, jnp.uint8).reshape(-1, layers)[:cells]


class _Cells:
    """Words under construction: per word of the plan, uint32 [cells]."""

    def __init__(self, layout: Plan, kitchen: Layout) -> None:
        self.layout = layout
        self.kitchen = kitchen
        self.numbers = np.arange(len(layout.fixed), dtype=np.uint32)
        self.things: list[Array | np.uint32] = [word(0)] * layout.words
        self.pots: list[Array | np.uint32] = [word(0)] * layout.words
        self.chefs: list[list[tuple[Array, Array]]] = [[] for _ in range(layout.words)]  # (cell, bits) per word

    def put(self, index: int, block: str, value: Array) -> None:
        """Adds a value on a pot's cell."""
        self._merge(self.pots, block, jnp.where(self.numbers == word(index), value, word(0)))

    def stand(self, seat: int, chef: Chef, item: dict[str, Array]) -> None:
        """Adds a chef and what is held."""
        fields = {f"here {seat}": jnp.ones_like(chef.cell), f"facing {seat}": word(1) << chef.facing} | item
        for index in range(self.layout.words):
            bits = jnp.zeros_like(chef.cell)
            for name, value in fields.items():
                place = self.layout.blocks[name]
                bits = bits | (value << word(place.shift)) if place.word == index else bits
            self.chefs[index].append((chef.cell, bits))

    def scatter(self, item: dict[str, Array]) -> None:
        """Adds one thing per cell, values [cells], or the same everywhere, values []."""
        for name, value in item.items():
            self._merge(self.things, name, value)

    def write(self) -> Array:
        """uint8 [width, height, layers]"""
        return _expand(self.join(), self.layout).reshape(self.kitchen.width, self.kitchen.height, -1)

    def join(self) -> list[Array]:
        """uint32 [cells] per word of the plan."""
        return [self._join(index) for index in range(self.layout.words)]

    def _merge(self, words: list[Array | np.uint32], block: str, bits: Array) -> None:
        place = self.layout.blocks[block]
        words[place.word] = words[place.word] | (bits << word(place.shift))

    def _join(self, index: int) -> Array:
        """uint32 [cells]: the finished words. Only the chefs differ between seats."""
        spots, bits = (jnp.stack(column) for column in zip(*self.chefs[index], strict=True))
        chefs = _union(jnp.where(self.numbers == spots[:, None], bits[:, None], word(0)))
        things = _union(jnp.where(np.arange(2)[:, None] == 0, self.things[index], self.pots[index]))
        return chefs | things


def _union(rows: Array) -> Array:
    """uint32 [cells]: bitwise or of rows. XLA writes a reduction down instead of working it out for every layer."""
    return jax.lax.reduce(rows, word(0), jax.lax.bitwise_or, (0,))
