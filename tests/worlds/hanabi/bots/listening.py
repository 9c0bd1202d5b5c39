"""Seats one bot everywhere, lets it watch games, and notes what it would do in each position."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.player import Policy
from coplay.worlds.hanabi.settings import Hanabi

GOLDEN = Path(__file__).parents[3] / "golden" / "bots"
STRANGE_GAMES = 30


class Watched(NamedTuple):
    """Per turn and game, [turns, games]."""

    choices: np.ndarray  # what the bot in the acting seat chose
    legal: np.ndarray  # whether that was legal
    over: np.ndarray  # whether the game had ended before, so that the rest means nothing
    hands: np.ndarray  # the true cards as one-element sets, [turns, games, seats, slots]; 0 where there is none
    memories: Any  # of all seats [turns, games, seats, ...], after the choice


def recorded(name: str, players: int) -> tuple[np.ndarray, np.ndarray]:
    """(decks, actions [games, turns]) of games played by the original program, -1 after the end."""
    with np.load(GOLDEN / f"{name}.npz") as data:
        return data["decks"].astype(np.int32), data[f"actions_{players}p"].astype(np.int32)


def watch(game: Hanabi, bot: Policy, decks: np.ndarray, actions: np.ndarray) -> Watched:
    """Plays the given actions; where they are -1, each move is by chance the bot's own or a stranger's random one."""
    random = np.random.default_rng(0)
    seats = jnp.arange(game.players)
    states = jax.vmap(game.deal)(decks)
    memories = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (len(decks), game.players, *leaf.shape)), bot.start())

    def decide(state, memories):
        def one(memory, seat):
            view = game.view(state, seat)
            return *bot.act(memory, view, jax.random.key(0)), game.legal(view)

        return jax.vmap(one)(memories, seats)

    # Compiled apart and lightly: a quarter of the time of one optimised loop over so few games.
    quick: dict[str, str | bool] = {"xla_backend_optimization_level": "0"}
    decide = jax.jit(jax.vmap(decide)).lower(states, memories).compile(compiler_options=quick)
    one_action = jnp.zeros((len(decks), game.players), jnp.int32)
    step = jax.jit(jax.vmap(game.step)).lower(states, one_action).compile(compiler_options=quick)

    turns = []
    game_index = np.arange(len(decks))
    for given in actions.T:
        memories, choices, legal = decide(states, memories)
        acting = np.asarray(states.seat)
        choice, legal = np.asarray(choices)[game_index, acting], np.asarray(legal)[game_index, acting]
        over, hands = np.asarray(states.done), _true_cards(states.hands)
        turns.append(Watched(choice, legal[game_index, choice], over, hands, jax.device_get(memories)))
        strange = np.argmax(legal * random.random(legal.shape), axis=1)
        free = np.where(random.random(len(decks)) < 0.5, strange, choice)
        action = np.where(given >= 0, given, free).astype(np.int32)
        states = step(states, np.repeat(action[:, None], game.players, axis=1)).state
    return jax.tree.map(lambda *leaves: np.stack(leaves), *turns)


def _true_cards(hands: Any) -> np.ndarray:
    words = np.stack([np.stack([np.asarray(card) for card in hand], axis=-1) for hand in hands], axis=-2)
    identity = (words >> np.uint32(25)) & np.uint32(31)
    return np.where(words != 0, np.uint32(1) << identity, np.uint32(0))


def check_bot(game: Hanabi, bot: Policy, name: str, beliefs: Callable[[Any], np.ndarray] | None = None) -> Watched:
    """Asserts that the bot repeats the recorded games move for move and chooses legal moves among strangers; returns
    what was watched of the strange games.

    `beliefs` takes the sets [..., players, slots] of possible identities out of memories. Given that, no belief may
    exclude the truth in self-play, and every card must have some possible identity among strangers.
    """
    decks, actions = recorded(name, game.players)
    games, turns = actions.shape
    strange = np.full((STRANGE_GAMES, turns), -1, np.int32)
    more_decks = np.resize(decks, (STRANGE_GAMES, *decks.shape[1:]))
    watched = watch(game, bot, np.concatenate([decks, more_decks]), np.concatenate([actions, strange]))
    np.testing.assert_array_equal(np.where(actions >= 0, watched.choices[:, :games].T, -1), actions)
    assert (watched.legal | watched.over).all()
    if beliefs is not None:
        # Seat 0 numbers the players as the table does, so its sets and the true hands line up.
        sets = beliefs(watched.memories)[:, :, 0]
        over = watched.over[:, :, None, None]
        assert (((sets & watched.hands) == watched.hands) | over)[:, :games].all()
        assert (((sets != 0) == (watched.hands != 0)) | over).all()
    return jax.tree.map(lambda leaf: leaf[:, games:], watched)
