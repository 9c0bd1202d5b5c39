"""One step of a kitchen: chefs interact one after another, then all move at once, then the pots cook.

Everything is arithmetic on a few uint32 words per kitchen, unrolled over chefs and pots while tracing. Under `vmap`
each word is one flat batch vector, so a step is a single fused loop on any device.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import brief
from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.kitchen.items import DISH, NOTHING, ONION, TOMATO, word
from coplay.worlds.overcooked.kitchen.layouts import Layout

if TYPE_CHECKING:
    from coplay.worlds.overcooked.settings import Overcooked

Array = jax.Array

NORTH, SOUTH, EAST, WEST, STAY, INTERACT = range(6)
ACTIONS = ("north", "south", "east", "west", "stay", "interact")
CELL_BITS, FACING_BITS = 10, 2


class State(NamedTuple):
    """A kitchen between two steps."""

    time: Array  # int32: steps played
    score: Array  # int32: points so far
    chefs: tuple[Array, ...]  # uint32 per chef, see `Chef`
    pots: tuple[Array, ...]  # uint32 per pot, see `Pot`
    lying: tuple[Array, ...]  # uint32 words of eight items: what lies on each cell, pots apart

    def __repr__(self) -> str:
        return f"<Overcooked state: time {brief(self.time)}, score {brief(self.score)}, {len(self.chefs)} chefs>"


class Chef(NamedTuple):
    """A chef's word taken apart."""

    cell: Array  # uint32: number of the cell, x * height + y
    facing: Array  # uint32: 0 north, 1 south, 2 east, 3 west
    item: Array  # uint32: code of what is held

    @classmethod
    def of(cls, chef: Array) -> Chef:
        return cls(
            chef & word((1 << CELL_BITS) - 1),
            (chef >> word(CELL_BITS)) & word((1 << FACING_BITS) - 1),
            chef >> word(CELL_BITS + FACING_BITS),
        )

    def pack(self) -> Array:
        return self.cell | (self.facing << word(CELL_BITS)) | (self.item << word(CELL_BITS + FACING_BITS))


class Pot(NamedTuple):
    """A pot's word taken apart."""

    contents: Array  # uint32: code of the soup, 0 if empty
    clock: Array  # uint32: 0 while not cooking, else 1 + the cooking tick

    @classmethod
    def of(cls, pot: Array) -> Pot:
        return cls(pot & word(items.CODES - 1), pot >> word(items.ITEM_BITS))

    def pack(self) -> Array:
        return self.contents | (self.clock << word(items.ITEM_BITS))


class Deed(NamedTuple):
    """What one chef's interact met and did; events and shaped rewards are read off it. bool unless noted."""

    interact: Array
    counter: Array  # the faced cell is …
    dispenser: Array
    pot: Array
    serving: Array
    floor: Array
    item: Array  # uint32: held before
    met: Array  # uint32: item on the faced cell before
    hands: tuple[Array, ...]  # uint32: what every chef held just before
    dish_lay: Array  # a dish lay on some counter just before
    contents: Array  # uint32: contents of the faced pot before
    dropped: Array  # onto a counter
    taken: Array  # from a counter
    onion: Array  # fresh from the dispenser
    tomato: Array
    dish: Array
    potted: Array
    started: Array
    plated: Array
    served: Array
    points: Array  # int32


class Moved(NamedTuple):
    """What movement did to one chef."""

    direction: Array  # bool: the action was a direction
    stay: Array  # bool: the action was stay
    changed: Array  # bool: cell or facing changed


def ready(game: Overcooked, pot: Pot) -> Array:
    """bool: is the soup in the pot done?"""
    return (pot.clock > word(0)) & (pot.clock.astype(jnp.int32) > items.lookup(pot.contents, game.kitchen.orders.times))


def is_in(cell: Array, cells: Iterable[int]) -> Array:
    """bool: is the cell one of a fixed set?"""
    chosen = sorted(cells)
    if len(chosen) <= 3:
        hit = jnp.zeros_like(cell, bool)
        for one in chosen:
            hit = hit | (cell == word(one))
        return hit
    bits = word(0)
    for block in sorted({one // 32 for one in chosen}):
        part = items.mask(one % 32 for one in chosen if one // 32 == block)
        bits = jnp.where(cell >> word(5) == word(block), part, bits)
    return ((bits >> (cell & word(31))) & word(1)) != 0


def faced(layout: Layout, chef: Chef) -> Array:
    """uint32: the cell in front of the chef."""
    return neighbour(layout, chef.cell, chef.facing)


def neighbour(layout: Layout, cell: Array, direction: Array) -> Array:
    """uint32: the next cell in a direction; always inside the grid, since its border is never floor."""
    rows = word(layout.height)
    vertical = jnp.where(direction == word(NORTH), cell - word(1), cell + word(1))
    horizontal = jnp.where(direction == word(EAST), cell + rows, cell - rows)
    return jnp.where(direction < word(EAST), vertical, horizontal)


def play(game: Overcooked, state: State, actions: Array) -> tuple[State, list[Deed], list[Moved], Array, Array]:
    """The next state, what each chef did, the points made, and which actions were illegal (then nothing happens)."""
    over = state.time >= game.horizon
    illegal = ((actions < 0) | (actions >= len(ACTIONS))) & ~over
    accepted = ~over & ~illegal.any()
    chosen = [jnp.where(accepted, actions[seat], STAY).astype(jnp.uint32) for seat in range(game.players)]

    chefs = [Chef.of(chef) for chef in state.chefs]
    pots = [Pot.of(pot) for pot in state.pots]
    lying = state.lying
    deeds: list[Deed] = []
    for seat in range(game.players):
        deed, chefs, pots, lying = interact(game, seat, chosen[seat] == word(INTERACT), chefs, pots, lying)
        deeds.append(deed)
    walked, moves = move(game.kitchen, chefs, chosen, accepted)
    cooked = [cook(game, pot, accepted) for pot in pots]
    points = sum((deed.points for deed in deeds), start=jnp.zeros_like(state.score))
    after = State(
        time=state.time + accepted.astype(jnp.int32),
        score=state.score + points,
        chefs=tuple(chef.pack() for chef in walked),
        pots=tuple(pot.pack() for pot in cooked),
        lying=lying,
    )
    return after, deeds, moves, points, illegal


def interact(
    game: Overcooked, seat: int, acts: Array, chefs: list[Chef], pots: list[Pot], lying: tuple[Array, ...]
) -> tuple[Deed, list[Chef], list[Pot], tuple[Array, ...]]:
    """One chef's interact with the faced cell; later chefs see what earlier ones did."""
    kitchen = game.kitchen
    chef = chefs[seat]
    item, empty = chef.item, chef.item == word(NOTHING)
    target = faced(kitchen, chef)
    on = {letter: is_in(target, kitchen.indices(letter)) for letter in "XOTDSP "}
    met = items.read(lying, target)

    dropped = acts & on["X"] & ~empty & (met == word(NOTHING))
    taken = acts & on["X"] & empty & (met != word(NOTHING))
    fresh = {letter: acts & on[letter] & empty for letter in "OTD"}
    served = acts & on["S"] & items.is_soup(item)
    points = jnp.where(served, items.lookup(item, kitchen.orders.values), 0)

    potted = started = plated = jnp.zeros_like(acts)
    contents = jnp.zeros_like(item)
    after_pots = []
    for index, pot in zip(kitchen.indices("P"), pots, strict=True):
        here = target == word(index)
        contents = jnp.where(here, pot.contents, contents)
        after, adds, starts, plates = use_pot(game, pot, item, here & acts)
        after_pots.append(after)
        potted, started, plated = potted | adds, started | starts, plated | plates

    hand = jnp.where(taken, met, item)
    for letter, kind in (("O", ONION), ("T", TOMATO), ("D", DISH)):
        hand = jnp.where(fresh[letter], word(kind), hand)
    hand = jnp.where(dropped | potted | served, word(NOTHING), jnp.where(plated, contents, hand))
    deed = Deed(
        interact=acts,
        counter=on["X"],
        dispenser=on["O"] | on["T"] | on["D"],
        pot=on["P"],
        serving=on["S"],
        floor=on[" "],
        item=item,
        met=met,
        hands=tuple(other.item for other in chefs),
        dish_lay=items.any_dish(lying),
        contents=contents,
        dropped=dropped,
        taken=taken,
        onion=fresh["O"],
        tomato=fresh["T"],
        dish=fresh["D"],
        potted=potted,
        started=started,
        plated=plated,
        served=served,
        points=points,
    )
    after_chefs = [chef._replace(item=hand) if other == seat else old for other, old in enumerate(chefs)]
    # one of the two is nothing, so one xor writes the other and clears the first
    swap = jnp.where(dropped | taken, item ^ met, word(0))
    return deed, after_chefs, after_pots, items.change(lying, target, swap)


def use_pot(game: Overcooked, pot: Pot, item: Array, acts: Array) -> tuple[Pot, Array, Array, Array]:
    """The pot after an interact with it, and whether an ingredient went in, cooking was started, a soup was plated."""
    idle = pot.clock == word(0)
    adds = acts & idle & items.is_ingredient(item) & ~items.is_full(pot.contents)
    plates = acts & (item == word(DISH)) & ready(game, pot)
    starts = jnp.zeros_like(acts)
    if game.dynamics == "new":
        starts = acts & idle & (item == word(NOTHING)) & (pot.contents != word(NOTHING))
    # an onion counts 1 and a tomato 4 in the code of the contents
    more = jnp.where(adds, jnp.where(item == word(ONION), word(1), word(4)), word(0))
    clock = jnp.where(starts, word(1), pot.clock)
    after = Pot(jnp.where(plates, word(0), pot.contents + more), jnp.where(plates, word(0), clock))
    return after, adds, starts, plates


def move(kitchen: Layout, chefs: list[Chef], actions: list[Array], accepted: Array) -> tuple[list[Chef], list[Moved]]:
    """All chefs move at once; one collision (same cell, or two exchanging cells) keeps every chef in place."""
    floor = kitchen.indices(" ")
    directions = [action < word(STAY) for action in actions]
    facings = [jnp.where(d, a, chef.facing) for d, a, chef in zip(directions, actions, chefs, strict=True)]
    aims = []
    for chef, direction, facing in zip(chefs, directions, facings, strict=True):
        ahead = neighbour(kitchen, chef.cell, facing)
        aims.append(jnp.where(direction & is_in(ahead, floor), ahead, chef.cell))
    clash = jnp.zeros_like(accepted)
    for one in range(len(chefs)):
        for other in range(one):
            same = aims[one] == aims[other]
            swap = (aims[one] == chefs[other].cell) & (aims[other] == chefs[one].cell)
            clash = clash | same | swap
    walked = [
        chef._replace(cell=jnp.where(clash, chef.cell, aim), facing=facing)
        for chef, aim, facing in zip(chefs, aims, facings, strict=True)
    ]
    moves = [
        Moved(direction, (action == word(STAY)) & accepted, (new.cell != old.cell) | (new.facing != old.facing))
        for direction, action, new, old in zip(directions, actions, walked, chefs, strict=True)
    ]
    return walked, moves


def cook(game: Overcooked, pot: Pot, accepted: Array) -> Pot:
    """The pot one step later; with old dynamics a full pot starts, and advances, by itself."""
    clock = pot.clock
    if game.dynamics == "old":
        clock = jnp.where((clock == word(0)) & items.is_full(pot.contents), word(1), clock)
    cooking = (clock > word(0)) & ~ready(game, Pot(pot.contents, clock))
    return pot._replace(clock=jnp.where(accepted, clock + cooking.astype(jnp.uint32), pot.clock))


def start(game: Overcooked) -> State:
    """The standard start: everybody at the layout's cells, facing north, nothing anywhere."""
    kitchen = game.kitchen
    nothing = jnp.zeros((), jnp.uint32)
    return State(
        time=jnp.zeros((), jnp.int32),
        score=jnp.zeros((), jnp.int32),
        chefs=tuple(jnp.asarray(np.uint32(kitchen.index(cell))) for cell in kitchen.starts),
        pots=(nothing,) * len(kitchen.places["P"]),
        lying=(nothing,) * -(-kitchen.num_cells // items.SLOTS),
    )
