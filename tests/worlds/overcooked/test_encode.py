"""What networks read."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.worlds.overcooked import encode, minimal
from tests.worlds.overcooked.kitchens import DISH, EAST, NOTHING, ONION, SOUP, make

POT = (2, 0)


def layer(game, name: str) -> int:
    return encode.plan(game.kitchen, game.players, game.encoding).names.index(name)


def test_every_entry_has_a_description() -> None:
    game = make()
    state = game.place([(1, 1), (2, 1)], facings=[EAST, 0], held=[ONION, NOTHING], objects={POT: (SOUP, 3, 0, 5)})
    view = game.view(state, 0)
    lit = {game.describe(int(i)): int(v) for i, v in enumerate(np.asarray(view.vector).reshape(-1)) if v}
    assert lit["self stands here facing east, at x=1, y=1"] == 1
    assert lit["onion, at x=1, y=1"] == 1
    assert lit["steps until soup is ready, at x=2, y=0"] == 15
    assert lit["onions in soup, at x=2, y=0"] == 3


def test_the_2019_encoding_hides_what_is_held() -> None:
    game = make(encoding="lossless_2019")
    things = {(0, 0): ONION, (1, 0): DISH, POT: (SOUP, 3, 0, 20)}
    seen = game.encode(game.view(game.place([(1, 1), (2, 1)], objects=things), 0))
    assert int(seen[0, 0, layer(game, "onion")]) == 1
    assert int(seen[2, 0, layer(game, "steps cooked")]) == 20
    holding = game.place([(1, 1), (2, 1)], held=[0, 3], held_soups=[None, (3, 0, 20)], objects=things)
    hidden = game.encode(game.view(holding, 0))
    assert int(hidden[2, 0, layer(game, "steps cooked")]) == 0
    assert int(hidden[0, 0, layer(game, "onion")]) == 1
    carried = game.encode(game.view(game.place([(1, 1), (2, 1)], held=[1, 0], objects=things), 1))
    assert int(carried[0, 0, layer(game, "onion")]) == 0
    assert int(carried[1, 1, layer(game, "onion")]) == 1


def test_four_bytes_at_a_time_write_what_single_bytes_write() -> None:
    for game in (make(), make(chefs=3)):
        plan = encode.plan(game.kitchen, game.players, "lossless")
        words = list(jax.random.bits(jax.random.key(0), (plan.words, 20), jnp.uint32))
        by_byte = encode._write(*words, layout=plan, unit=1, group=2)
        by_word = encode._write(*words, layout=plan, unit=4, group=4)
        assert (by_byte == by_word).all()


def test_a_traced_seat_sees_the_same_as_a_fixed_one() -> None:
    game = make()
    state = game.place([(1, 1), (2, 1)], facings=[EAST, 0], held=[ONION, DISH])
    traced = jax.jit(jax.vmap(lambda seat: game.encode(game.view(state, seat))))(jnp.arange(2))
    fixed = jnp.stack([game.encode(game.view(state, seat)) for seat in range(2)])
    assert (traced == fixed).all()


def test_hand_made_features_of_a_known_scene() -> None:
    game = make(encoding="bc_features")
    state = game.place([(1, 1), (3, 2)], facings=[0, EAST], held=[NOTHING, DISH], objects={POT: (SOUP, 3, 0, 20)})
    for seat in range(2):
        seen = np.asarray(game.encode(game.view(state, seat))).tolist()
        named = {game.describe(i): value for i, value in enumerate(seen)}
        own, other = ("self", "partner") if seat == 0 else ("partner", "self")
        assert (named[f"{own} faces north"], named[f"{other} faces east"], named[f"{other} holds a dish"]) == (1, 1, 1)
        ways = {what: (named[f"{own} dx to the nearest {what}"], named[f"{own} dy to the nearest {what}"])
                for what in ("onion", "empty pot", "ready pot", "dish", "serving place")}  # fmt: skip
        assert ways == {
            "onion": (-1, 0),
            "empty pot": (0, 0),
            "ready pot": (1, -1),
            "dish": (0, 2),
            "serving place": (2, 2),
        }
        assert named[f"{other} dx to the nearest dish"] == 0  # it holds one
        assert [named[f"{own} is blocked {way}"] for way in ("north", "south", "east", "west")] == [1, 0, 0, 1]
        assert (named["x of seat 0"], named["y of seat 0"]) == (1, 1)
        assert named["partner's x minus own x"] == (2 if seat == 0 else -2)


@pytest.mark.parametrize("layout", ["coordination_ring", "forced_coordination", "inverse_marshmallow_experiment"])
def test_the_minimal_encoding_leaves_out_only_what_never_changes(layout: str) -> None:
    """From random starts and by random moves everything is reached that can be; what is left out stays as it was."""
    game = make(layout=layout, random_starts=0.7, horizon=60, dynamics="new")
    small = dataclasses.replace(game, encoding="minimal")

    def episode(key: jax.Array) -> tuple[jax.Array, jax.Array]:
        def turn(state, key):
            view = game.view(state, 0)
            moves = jax.random.randint(key, (game.players,), 0, game.num_actions)
            return game.step(state, moves).state, (
                game.encode(view),
                small.encode(dataclasses.replace(view, game=small)),
            )

        keys = jax.random.split(key, game.horizon)
        return jax.lax.scan(turn, game.reset(key), keys)[1]

    seen, kept = jax.jit(jax.vmap(episode))(jax.random.split(jax.random.key(0), 200))
    seen = np.asarray(seen).reshape(-1, int(np.prod(game.observation_shape)))
    kept = np.asarray(kept).reshape(-1, *small.observation_shape)
    places = minimal.positions(game.kitchen, game.players)
    assert (seen[:, places] == kept).all()
    rest = np.delete(seen, places, axis=1)
    changing = np.delete(np.arange(seen.shape[1]), places)[(rest != rest[0]).any(0)]
    assert {game.describe(int(entry)).split(",")[0] for entry in changing} <= {minimal.CLOCK}
    assert kept.shape[1] < 0.5 * seen.shape[1]


def test_entries_of_the_minimal_encoding_are_described_and_mirrored_as_those_of_the_lossless_one() -> None:
    game = make(layout="inverse_marshmallow_experiment", dynamics="new")
    small = dataclasses.replace(game, encoding="minimal")
    places = minimal.positions(game.kitchen, game.players)
    assert [small.describe(i) for i in range(len(places))] == [game.describe(int(p)) for p in places]
    state = game.place([(1, 1), (2, 1)], facings=[EAST, 0], held=[ONION, NOTHING], time=game.horizon - 3)
    for index in range(len(small.symmetries)):
        seen = small.encode(small.view(small.relabel(state, index), 1))
        assert (seen == small.encode(small.view(state, 1))[small.symmetries[index].bits]).all()
