"""The game object: settings, derived sizes and the protocol's functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import GameError, Step
from coplay.inputs import checked_seat, joint_action
from coplay.worlds.overcooked import encode, events, features, mask, minimal, rules
from coplay.worlds.overcooked.faces import FACES, OvercookedFaces
from coplay.worlds.overcooked.kitchen import place
from coplay.worlds.overcooked.kitchen.anywhere import anywhere
from coplay.worlds.overcooked.kitchen.layouts import Cell, Layout, find
from coplay.worlds.overcooked.kitchen.recorded import recorded_states, somebodys
from coplay.worlds.overcooked.rules import State
from coplay.worlds.overcooked.symmetry import Mirrors
from coplay.worlds.overcooked.view import View, view

Array = jax.Array
Dynamics = Literal["old", "new"]
Encoding = Literal["lossless", "minimal", "lossless_2019", "bc_features"]


@dataclasses.dataclass(frozen=True)
class Overcooked:
    """Overcooked as the papers play it, in any kitchen, with any number of chefs."""

    layout: str | Path = "cramped_room"  # a name of layouts.txt, a text file, or the ASCII art itself
    horizon: int = 400
    dynamics: Dynamics = "old"  # old: full pots cook by themselves; new: an empty-handed interact starts them
    events: events.Scheme = "overcooked_ai"
    encoding: Encoding = "lossless"
    chefs: int | None = None  # None: as many as the layout has start cells
    random_starts: float = 0.0  # share of episodes that begin in a random state; the rest at the layout's start
    cluttered_starts: float = 0.0  # share of these in which things lie on counters
    starts: str = ""  # recorded games; episodes that do not begin in a random state may begin in one of theirs
    recorded_starts: float = 1.0  # share of those that do
    name: str = "overcooked"

    version = 1
    simultaneous = True
    truncates = True
    num_actions = len(rules.ACTIONS)
    max_score = None
    players_setting = "chefs"

    @property
    def faces(self) -> OvercookedFaces:
        return FACES

    def __post_init__(self) -> None:
        if not isinstance(self.horizon, int) or isinstance(self.horizon, bool) or self.horizon < 1:
            raise GameError(f"horizon={self.horizon!r}: give the number of steps of an episode, at least 1.")
        for setting, kind in (("dynamics", Dynamics), ("events", events.Scheme), ("encoding", Encoding)):
            if getattr(self, setting) not in get_args(kind):
                raise GameError(f"{setting}={getattr(self, setting)!r}: choose one of {', '.join(get_args(kind))}.")
        for share in ("random_starts", "cluttered_starts", "recorded_starts"):
            if not 0 <= getattr(self, share) <= 1:
                raise GameError(f"{share}={getattr(self, share)!r}: give a share of the episodes, from 0 to 1.")
        kitchen = self.kitchen  # found and checked now, not at first use; so are recorded starts
        if self.starts:
            assert self._recorded is not None
        if self.encoding not in ("lossless", "minimal") and kitchen.places["T"]:
            raise GameError(f'encoding="{self.encoding}" cannot show tomatoes ({kitchen.name}); use "lossless".')
        if self.encoding == "bc_features" and self.players != 2:
            raise GameError(f'encoding="bc_features" is made for 2 chefs, not {self.players}; use "lossless".')

    @cached_property
    def kitchen(self) -> Layout:
        """The checked layout."""
        return find(self.layout).seat(self.chefs)

    @property
    def players(self) -> int:
        return len(self.kitchen.starts)

    @property
    def max_steps(self) -> int:
        return self.horizon

    @property
    def event_names(self) -> tuple[str, ...]:
        """Names of the columns of `events.flags`."""
        return events.NAMES[self.events]

    @property
    def observation_shape(self) -> tuple[int, ...]:
        if self.encoding == "bc_features":
            return (features.SIZE,)
        if self.encoding == "minimal":
            return (len(minimal.choice(self.kitchen, self.players).cells),)
        layers = len(encode.plan(self.kitchen, self.players, self.encoding).names)
        return (self.kitchen.width, self.kitchen.height, layers)

    @cached_property
    def symmetries(self) -> Mirrors:
        """The mirrorings of the kitchen that leave it as it is; number 0 is the identity."""
        return Mirrors(self)

    def reset(self, key: Array) -> State:
        """The layout's standard start, where nothing is left to chance; see `random_starts` and `starts`."""
        begun = rules.start(self)
        if self.starts:
            share, which = jax.random.split(jax.random.fold_in(key, 1))
            theirs = jax.random.uniform(share) < self.recorded_starts
            begun = _either(theirs, somebodys(self._recorded, which), begun)
        if self.random_starts:
            share, key = jax.random.split(key)
            begun = _either(jax.random.uniform(share) < self.random_starts, anywhere(self, key), begun)
        return begun

    @cached_property
    def _recorded(self) -> State:
        """The states that `starts` names."""
        return recorded_states(Overcooked(self.layout, self.horizon, self.dynamics, chefs=self.chefs), self.starts)

    def place(
        self,
        positions: Sequence[Cell],
        facings: Sequence[int] | None = None,
        held: Sequence[int] | None = None,
        held_soups: Sequence[place.Soup | None] | None = None,
        objects: Mapping[Cell, place.Thing] | None = None,
        time: int = 0,
    ) -> State:
        """A state from plain values.

        Codes are 0 nothing, 1 onion, 2 dish, 3 soup, 4 tomato; a soup is described as (onions, tomatoes, tick), in
        `objects` as (3, onions, tomatoes, tick), tick -1 while not cooking. Facings are 0 north, 1 south, 2 east,
        3 west. What is left out is empty, and faces north.
        """
        return place.place(self, positions, facings, held, held_soups, objects, time)

    def snapshot(self, state: State) -> dict[str, np.ndarray]:
        """The state as plain arrays: pos, ori, held, held_soup, obj, onions, tomatoes, tick."""
        return place.snapshot(self, state)

    def step(self, state: State, actions: Array) -> Step:
        """See `Game.step`; all chefs act at once."""
        after, deeds, moves, points, illegal = rules.play(self, state, joint_action(actions, self.players))
        done = after.time >= self.horizon
        shaped, flags = events.observe(self, state, deeds, moves)
        return Step(after, points.astype(jnp.float32), done, events.Events(illegal, done, shaped, flags))

    def view(self, state: State, seat: Array | int) -> View:
        """See `Game.view`."""
        return view(self, state, checked_seat(seat, self.players))

    def encode(self, view: View) -> Array:
        """uint8 [x, y, layer]; for encoding="minimal" uint8 [entries], for "bc_features" int8 [62]."""
        return _ENCODERS[self.encoding](view)

    def legal(self, view: View) -> Array:
        """All six actions until the horizon, then none."""
        return jnp.broadcast_to(view.time < self.horizon, (self.num_actions,))

    def useful_actions(self, view: View) -> Array:
        """bool [6]: ZSC-Eval's training mask, which leaves out actions that cannot change anything."""
        return mask.useful_actions(view)

    def turn(self, state: State) -> Array:
        """Everybody acts in every step; nobody after the end."""
        return jnp.broadcast_to(state.time < self.horizon, (self.players,))

    def score(self, state: State) -> Array:
        """int32: points so far."""
        return state.score

    def relabel(self, state: State, index: Array | int) -> State:
        """The state as it looks under symmetry number `index`."""
        return self.symmetries.state(state, index)

    def describe(self, entry: int) -> str:
        """What an entry of the flattened encoding means."""
        from coplay.worlds.overcooked.people.words import describe_entry

        return describe_entry(self, entry)

    def action_text(self, action: int) -> str:
        """An action id in words."""
        if not 0 <= action < self.num_actions:
            raise GameError(f"action {action}: actions are 0 to {self.num_actions - 1} ({', '.join(rules.ACTIONS)}).")
        return rules.ACTIONS[action]


def _either(first: Array, one: State, other: State) -> State:
    return jax.tree.map(lambda a, b: jnp.where(first, a, b), one, other)


_ENCODERS = {
    "lossless": encode.lossless,
    "minimal": minimal.minimal,
    "lossless_2019": encode.lossless_2019,
    "bc_features": features.bc_features,
}
