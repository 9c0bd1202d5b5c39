"""What happened, under the names other engines use, and the shaped reward of the papers.

"Useful" compares the pots as they were before the step with hands and counters as the chef's turn finds them. The
reference engines define it for two chefs; with more, "the partner" below means any of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import jax
import jax.numpy as jnp

from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.kitchen.items import DISH, NOTHING, ONION, TOMATO, word
from coplay.worlds.overcooked.rules import Deed, Moved, Pot, State

if TYPE_CHECKING:
    from coplay.worlds.overcooked.settings import Overcooked

Array = jax.Array
Scheme = Literal["overcooked_ai", "zsc_eval"]

POTTING_REWARD, DISH_REWARD, SOUP_REWARD = 3, 3, 5

OVERCOOKED_AI = (
    *("tomato_pickup", "useful_tomato_pickup", "tomato_drop", "useful_tomato_drop", "potting_tomato"),
    *("onion_pickup", "useful_onion_pickup", "onion_drop", "useful_onion_drop", "potting_onion"),
    *("dish_pickup", "useful_dish_pickup", "dish_drop", "useful_dish_drop"),
    *("soup_pickup", "soup_delivery", "soup_drop"),
    *("optimal_onion_potting", "optimal_tomato_potting", "viable_onion_potting", "viable_tomato_potting"),
    *("catastrophic_onion_potting", "catastrophic_tomato_potting", "useless_onion_potting", "useless_tomato_potting"),
)
ZSC_EVAL = (
    *("put_onion_on_X", "put_dish_on_X", "put_soup_on_X", "pickup_onion_from_X", "pickup_onion_from_O"),
    *("pickup_dish_from_X", "pickup_dish_from_D", "pickup_soup_from_X", "USEFUL_DISH_PICKUP", "SOUP_PICKUP"),
    *("PLACEMENT_IN_POT", "delivery", "STAY", "MOVEMENT", "IDLE_MOVEMENT", "IDLE_INTERACT_X", "IDLE_INTERACT_EMPTY"),
)
NAMES: dict[str, tuple[str, ...]] = {"overcooked_ai": OVERCOOKED_AI, "zsc_eval": ZSC_EVAL}


class Events(NamedTuple):
    """Beside the reward: who did what in this step."""

    illegal: Array  # bool [players]: the id was no action, so the whole step was refused
    truncated: Array  # bool []: the episode was cut off by the horizon, which is no outcome of play
    shaped: Array  # int32 [players]: 3 for potting, 3 for a useful dish, 5 for plating a soup
    flags: Array  # uint8 [players, len(game.event_names)]


class Need(NamedTuple):
    """What the pots called for before the step."""

    begun: Array  # int32: pots with something in them, full ones that nobody started apart
    all_full: Array  # bool: no pot takes an ingredient
    none_full: Array  # bool


def observe(game: Overcooked, before: State, deeds: list[Deed], moves: list[Moved]) -> tuple[Array, Array]:
    """(shaped int32 [players], flags uint8 [players, events])"""
    need = _need(before)
    naming = _overcooked_ai if game.events == "overcooked_ai" else _zsc_eval
    flags, shaped = [], []
    for seat, (deed, moved) in enumerate(zip(deeds, moves, strict=True)):
        useful_dish = _useful_dish(need, deed)
        found = naming(game, need, seat, deed, moved, useful_dish)
        never = jnp.zeros_like(deed.interact)
        flags.append(jnp.stack([found.get(name, never) for name in game.event_names]))
        shaped.append(
            deed.potted * POTTING_REWARD + (deed.dish & useful_dish) * DISH_REWARD + deed.plated * SOUP_REWARD
        )
    return jnp.stack(shaped).astype(jnp.int32), jnp.stack(flags).astype(jnp.uint8)


def _need(before: State) -> Need:
    begun = jnp.zeros_like(before.time)
    all_full = none_full = jnp.ones_like(before.time, bool)
    for pot in map(Pot.of, before.pots):
        on = pot.clock > word(0)
        full = on | items.is_full(pot.contents)
        begun = begun + ((pot.contents != word(NOTHING)) & (on | ~full))
        all_full, none_full = all_full & full, none_full & ~full
    return Need(begun, all_full, none_full)


def _useful_dish(need: Need, deed: Deed) -> Array:
    """No dish lies about, and fewer dishes are in hands than there are soups under way."""
    held = sum((hand == word(DISH)).astype(jnp.int32) for hand in deed.hands)
    return ~deed.dish_lay & (held < need.begun)


def _partner_holds(deed: Deed, seat: int, code: int) -> Array:
    found = jnp.zeros_like(deed.interact)
    for other, hand in enumerate(deed.hands):
        if other != seat:
            found = found | (hand == word(code))
    return found


def _overcooked_ai(
    game: Overcooked, need: Need, seat: int, deed: Deed, moved: Moved, useful_dish: Array
) -> dict[str, Array]:
    del moved
    dish_wanted = need.all_full & ~_partner_holds(deed, seat, DISH)
    found: dict[str, Array] = {
        "soup_pickup": deed.plated | (deed.taken & items.is_soup(deed.met)),
        "soup_drop": deed.dropped & items.is_soup(deed.item),
        "soup_delivery": deed.served,
        "dish_pickup": deed.dish | (deed.taken & (deed.met == word(DISH))),
        "dish_drop": deed.dropped & (deed.item == word(DISH)),
        "onion_pickup": deed.onion | (deed.taken & (deed.met == word(ONION))),
        # fresh tomatoes are not logged: an omission of Overcooked-AI that recordings share
        "tomato_pickup": deed.taken & (deed.met == word(TOMATO)),
    }
    found["useful_dish_pickup"] = found["dish_pickup"] & useful_dish
    found["useful_dish_drop"] = found["dish_drop"] & need.none_full & ~_partner_holds(deed, seat, ONION)
    for name, kind in (("onion", ONION), ("tomato", TOMATO)):
        found[f"{name}_drop"] = deed.dropped & (deed.item == word(kind))
        found[f"useful_{name}_drop"] = found[f"{name}_drop"] & dish_wanted
        found[f"useful_{name}_pickup"] = found[f"{name}_pickup"] & ~dish_wanted
        found[f"potting_{name}"] = deed.potted & (deed.item == word(kind))
        for outcome, contents in game.kitchen.orders.potting(kind).items():
            found[f"{outcome}_{name}_potting"] = found[f"potting_{name}"] & items.among(deed.contents, contents)
    return found


def _zsc_eval(
    game: Overcooked, need: Need, seat: int, deed: Deed, moved: Moved, useful_dish: Array
) -> dict[str, Array]:
    del game, need, seat
    full_hand = deed.item != word(NOTHING)
    idle = (deed.dispenser & full_hand) | ((deed.pot | deed.serving) & ~full_hand & ~deed.started) | deed.floor
    return {
        "put_onion_on_X": deed.dropped & (deed.item == word(ONION)),
        "put_dish_on_X": deed.dropped & (deed.item == word(DISH)),
        "put_soup_on_X": deed.dropped & items.is_soup(deed.item),
        "pickup_onion_from_X": deed.taken & (deed.met == word(ONION)),
        "pickup_onion_from_O": deed.onion,
        "pickup_dish_from_X": deed.taken & (deed.met == word(DISH)),
        "pickup_dish_from_D": deed.dish,
        "pickup_soup_from_X": deed.taken & items.is_soup(deed.met),
        "USEFUL_DISH_PICKUP": deed.dish & useful_dish,
        "SOUP_PICKUP": deed.plated,
        "PLACEMENT_IN_POT": deed.potted,
        "delivery": deed.served,
        "STAY": moved.stay,
        "MOVEMENT": moved.direction,
        "IDLE_MOVEMENT": moved.direction & ~moved.changed,
        "IDLE_INTERACT_X": deed.interact & deed.counter & ~deed.dropped & ~deed.taken,
        "IDLE_INTERACT_EMPTY": deed.interact & idle,
    }
