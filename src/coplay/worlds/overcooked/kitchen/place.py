"""States from plain values and back: any start a test or a recording asks for, checked before it is built."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from coplay.game import GameError
from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.kitchen.items import NOTHING, POT_SIZE, RECORDED, SLOTS, SOUPS
from coplay.worlds.overcooked.kitchen.layouts import LETTERS, Cell
from coplay.worlds.overcooked.rules import CELL_BITS, FACING_BITS, State

if TYPE_CHECKING:
    from coplay.worlds.overcooked.settings import Overcooked

Soup = tuple[int, int, int]  # onions, tomatoes, cooking tick (-1: not cooking)
Thing = int | tuple[int, int, int, int]  # code, or (3, onions, tomatoes, tick)

_CODES = {recorded: code for code, recorded in RECORDED.items() if recorded != 3}
_SOUP = 3
_LEGEND = "0 nothing, 1 onion, 2 dish, 3 soup, 4 tomato"


def place(
    game: Overcooked,
    positions: Sequence[Cell],
    facings: Sequence[int] | None,
    held: Sequence[int] | None,
    held_soups: Sequence[Soup | None] | None,
    objects: Mapping[Cell, Thing] | None,
    time: int,
) -> State:
    """The state described; impossible ones are refused."""
    players = game.players
    cells = _check_positions(game, positions)
    ways = _per_chef("facings", facings, [0] * players)
    for seat, way in enumerate(ways):
        _whole(f"facings[{seat}]", way, 0, 3, "0 north, 1 south, 2 east, 3 west")
    soups = _per_chef("held_soups", held_soups, [None] * players)
    hands = [
        _outside_pot(game, f"held[{seat}]", code, soup)
        for seat, (code, soup) in enumerate(zip(_per_chef("held", held, [0] * players), soups, strict=True))
    ]
    _whole("time", time, 0, game.horizon, "steps already played, at most the horizon")
    pots, lying = _set_down(game, objects or {})
    return State(
        time=jnp.asarray(time, jnp.int32),
        score=jnp.zeros((), jnp.int32),
        chefs=tuple(
            jnp.asarray(np.uint32(cell | int(way) << CELL_BITS | hand << (CELL_BITS + FACING_BITS)))
            for cell, way, hand in zip(cells, ways, hands, strict=True)
        ),
        pots=tuple(jnp.asarray(np.uint32(pot)) for pot in pots),
        lying=tuple(jnp.asarray(np.uint32(block)) for block in lying),
    )


def snapshot(game: Overcooked, state: State) -> dict[str, np.ndarray]:
    """The state in the coding of recordings; grids are [height, width]."""
    kitchen = game.kitchen
    chefs = np.asarray([int(chef) for chef in state.chefs])
    cells, hands = chefs & ((1 << CELL_BITS) - 1), chefs >> (CELL_BITS + FACING_BITS)
    lying = np.asarray([int(block) for block in state.lying], np.uint64)
    shifts = np.arange(0, SLOTS * items.ITEM_BITS, items.ITEM_BITS, dtype=np.uint64)
    codes = ((lying[:, None] >> shifts) & np.uint64(items.CODES - 1)).reshape(-1)[: kitchen.num_cells].astype(np.int64)
    ticks = np.where(_IS_SOUP[codes], _times(game)[codes], -1)
    for index, pot in zip(kitchen.indices("P"), (int(pot) for pot in state.pots), strict=True):
        codes[index], ticks[index] = pot % items.CODES, pot // items.CODES - 1
    held_ticks = np.where(_IS_SOUP[hands], _times(game)[hands], -1)

    def grid(values: np.ndarray) -> np.ndarray:
        return values.reshape(kitchen.width, kitchen.height).T.astype(np.int8)

    return {
        "pos": np.stack([cells // kitchen.height, cells % kitchen.height], axis=-1).astype(np.int8),
        "ori": ((chefs >> CELL_BITS) & 3).astype(np.int8),
        "held": _RECORDED[hands],
        "held_soup": np.stack([_ONIONS[hands], _TOMATOES[hands], held_ticks], axis=-1).astype(np.int8),
        "obj": grid(_RECORDED[codes]),
        "onions": grid(_ONIONS[codes]),
        "tomatoes": grid(_TOMATOES[codes]),
        "tick": grid(ticks).astype(np.int16 if max(game.kitchen.orders.times) > 127 else np.int8),
    }


_RECORDED = np.asarray([RECORDED.get(code, 0) for code in range(items.CODES)], np.int8)
_IS_SOUP = np.asarray([code in SOUPS for code in range(items.CODES)])
_ONIONS = np.where(_IS_SOUP, np.arange(items.CODES) % 4, 0)
_TOMATOES = np.where(_IS_SOUP, np.arange(items.CODES) // 4, 0)


def _times(game: Overcooked) -> np.ndarray:
    return np.asarray(game.kitchen.orders.times)


def _per_chef(name: str, values: Sequence | None, default: list) -> list:
    """One value per chef; None stands for the default."""
    if values is None:
        return default
    if len(values) != len(default):
        raise GameError(f"{name}={list(values)}: give one entry per chef, {len(default)} in all.")
    return list(values)


def _check_positions(game: Overcooked, positions: Sequence[Cell]) -> list[int]:
    kitchen, taken = game.kitchen, set()
    for seat, spot in enumerate(_per_chef("positions", positions, [None] * game.players)):
        x, y = _check_cell(game, f"positions[{seat}]", spot)
        if kitchen.letter((x, y)) != " ":
            what = LETTERS[kitchen.letter((x, y))]
            raise GameError(f"positions[{seat}]={(x, y)} is {what} in {kitchen.name}; chefs stand on floor.")
        if (x, y) in taken:
            raise GameError(f"positions[{seat}]={(x, y)} is taken by an earlier chef; two chefs never share a cell.")
        taken.add((x, y))
    return [kitchen.index((int(x), int(y))) for x, y in positions]


def _check_cell(game: Overcooked, what: str, spot: object) -> Cell:
    kitchen = game.kitchen
    try:
        x, y = (operator.index(value) for value in spot)  # pyright: ignore[reportGeneralTypeIssues]
    except (TypeError, ValueError):
        raise GameError(f"{what}={spot!r}: a cell is a pair (x, y), counted from the north-west corner.") from None
    if not (0 <= x < kitchen.width and 0 <= y < kitchen.height):
        raise GameError(
            f"{what}={(x, y)} lies outside {kitchen.name}; x runs from 0 to {kitchen.width - 1} and y from 0 to "
            f"{kitchen.height - 1}."
        )
    return x, y


def _whole(what: str, value: object, low: int, high: int, meaning: str) -> int:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not low <= value <= high:
        raise GameError(f"{what}={value!r}: give a whole number from {low} to {high} ({meaning}).")
    return int(value)


def _outside_pot(game: Overcooked, what: str, code: object, soup: Soup | None) -> int:
    """The code of a thing in a hand or on a counter; a soup there must be ready."""
    number = _whole(what, code, 0, 4, _LEGEND)
    if number != _SOUP:
        return _CODES[number]
    if soup is None:
        raise GameError(f"{what}=3: say which soup, as (onions, tomatoes, tick).")
    contents, tick = _soup(game, what, soup)
    time = game.kitchen.orders.time(contents)
    if tick != time:
        raise GameError(f"{what}: soup {tuple(soup)} outside a pot must be ready; this one is at tick {time}.")
    return contents


def _soup(game: Overcooked, what: str, soup: Sequence[int]) -> tuple[int, int]:
    """(contents, tick) of a described soup."""
    if len(soup) != 3:
        raise GameError(f"{what}: a soup is (onions, tomatoes, tick), got {soup!r}.")
    onions, tomatoes, tick = (int(value) for value in soup)
    if min(onions, tomatoes) < 0 or not 1 <= onions + tomatoes <= POT_SIZE:
        raise GameError(f"{what}: {onions} onions and {tomatoes} tomatoes are no soup; it takes 1 to {POT_SIZE}.")
    contents = items.soup(onions, tomatoes)
    time = game.kitchen.orders.time(contents)
    if not -1 <= tick <= time:
        raise GameError(f"{what}: tick {tick} of a soup that cooks {time}; give -1 (not cooking) to {time} (ready).")
    return contents, tick


def _set_down(game: Overcooked, objects: Mapping[Cell, Thing]) -> tuple[list[int], list[int]]:
    """Words of the pots and of the things on counters."""
    kitchen = game.kitchen
    pots = dict.fromkeys(kitchen.indices("P"), 0)
    lying = [0] * -(-kitchen.num_cells // SLOTS)
    if not isinstance(objects, Mapping):
        raise GameError(f"objects={objects!r}: give a dictionary from cells (x, y) to things ({_LEGEND}).")
    for spot, thing in objects.items():
        cell = _check_cell(game, "objects", spot)
        what, letter, index = f"objects[{cell}]", kitchen.letter(cell), kitchen.index(cell)
        code, *soup = (thing,) if isinstance(thing, int | np.integer) else thing
        if letter == "P" and code == _SOUP and soup:
            contents, tick = _soup(game, what, soup)
            if game.dynamics == "old" and tick >= 0 and soup[0] + soup[1] < POT_SIZE:
                raise GameError(f"{what}: with old dynamics only full pots cook; give tick -1 or more ingredients.")
            pots[index] = contents | (tick + 1) << items.ITEM_BITS
        elif letter == "X":
            item = _outside_pot(game, what, code, (soup[0], soup[1], soup[2]) if len(soup) == 3 else None)
            lying[index // SLOTS] |= item << (index % SLOTS * items.ITEM_BITS)
        elif letter != "P" or code != NOTHING:
            rule = (
                "pots hold soups (3, onions, tomatoes, tick)" if letter == "P" else "things lie on counters or in pots"
            )
            raise GameError(f"{what}={thing!r} on {LETTERS[letter]}: {rule} only.")
    return list(pots.values()), lying
