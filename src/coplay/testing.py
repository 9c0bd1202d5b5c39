"""Laws every game must keep, as one call: `coplay.testing.check_game(game)`.

Shipped with the package, so that a game written elsewhere can be held to the same laws.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from coplay.agents.random import random_legal
from coplay.game import Game, GameError, Step
from coplay.games import make
from coplay.sides import sides_of

Array = jax.Array


class GameLawBroken(AssertionError):
    """A game does not keep its promises; the message says which."""


def check_game(
    game: Any, games: int = 16, seed: int = 0, change_hidden: Callable[[Any, Array, Array], Any] | None = None
) -> None:
    """Plays `games` random games and raises GameLawBroken at the first law that does not hold.

    `game` is a game or its spec; what a game of one's own leaves out is filled in first, as everywhere.

    `change_hidden(state, seat, key)` returns a state that differs only in what `seat` cannot see; games with hidden
    information pass it (or have it as a method) so that the information boundary is tested too.
    """
    try:
        game = make(game)
    except GameError as error:
        raise GameLawBroken(str(error)) from error
    probe = _Probe(game, games, seed)
    probe.check_any_seat()
    probe.check_dtypes_and_shapes()
    probe.check_episodes()
    probe.check_frozen_end()
    probe.check_illegal_actions()
    hidden = change_hidden or getattr(game, "change_hidden", None)
    if hidden is not None:
        probe.check_information_boundary(hidden)
    probe.check_symmetries()
    probe.check_one_compilation()


def _require(condition: Any, law: str) -> None:
    if not np.all(np.asarray(condition)):
        raise GameLawBroken(law)


@jax.jit
def _same(a: Any, b: Any) -> Array:
    """bool [batch]: are two batched pytrees equal, game by game?"""
    leaves = [
        (x == y).reshape(x.shape[0], -1).all(1) for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True)
    ]
    return jnp.stack(leaves).all(0)


@jax.jit
def _of_seat(tree: Any, seat: Array | int) -> Any:
    """What is known of every seat [games, players, ...], of one of them."""
    return jax.tree.map(lambda leaf: leaf[:, seat], tree)


class _Probe:
    """Jitted, batched functions of one game, and the number of times each was traced."""

    def __init__(self, game: Game, games: int, seed: int) -> None:
        self.game, self.games = game, games
        self.key = jax.random.key(seed)
        self.traces: dict[str, int] = {}
        self.reset = self._jit("reset", jax.vmap(game.reset))
        self.step = self._jit("step", jax.vmap(game.step))
        self.look = self._jit("view, encode, legal", jax.vmap(self._look_one))
        self.turn = self._jit("turn", jax.vmap(game.turn))
        self.score = self._jit("score", jax.vmap(game.score))
        self.choose = jax.jit(self._choose)
        self.starts = self.reset(jax.random.split(self.key, games))

    def _jit(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:
            self.traces[name] = self.traces.get(name, 0) + 1
            return function(*arguments)

        return jax.jit(counted)

    def _look_one(self, state: Any) -> tuple[Any, Array, Array]:
        """The view of every seat, its encoding and its legal actions, [players, ...]."""

        def one(seat: Array) -> tuple[Any, Array, Array]:
            view = self.game.view(state, seat)
            return jax.tree.map(jnp.asarray, view), self.game.encode(view), self.game.legal(view)

        return jax.vmap(one)(jnp.arange(self.game.players))

    def _choose(self, legal: Array, key: Array) -> Array:
        bits = jax.random.bits(key, legal.shape[:2], jnp.uint32)
        return jax.vmap(jax.vmap(random_legal))(legal, bits)

    def check_any_seat(self) -> None:
        """Networks and plain agents are asked with a seat that is only known when the program runs."""
        start = jax.tree.map(lambda leaf: leaf[0], self.starts)
        views = jax.jit(jax.vmap(self.game.view, (None, 0)))(start, jnp.arange(self.game.players))

        @jax.jit
        def fixed(start: Any) -> Any:
            every = [self.game.view(start, seat) for seat in range(self.game.players)]
            return jax.tree.map(lambda *leaves: jnp.stack([jnp.asarray(leaf) for leaf in leaves]), *every)

        _require(_same(views, fixed(start)), "view shows a seat something else when the seat is traced")

    def check_dtypes_and_shapes(self) -> None:
        game = self.game
        _, encoding, legal = self.look(self.starts)
        shape = (self.games, game.players, *game.observation_shape)
        _require(encoding.shape == shape, f"encode gives {encoding.shape[2:]}, not observation_shape {shape[2:]}")
        _require(legal.shape == (self.games, game.players, game.num_actions), f"legal gives shape {legal.shape[2:]}")
        _require(
            sides_of(game) in (1, 2), f"sides is {sides_of(game)}; a game has one side, or two that play each other"
        )
        _require(game.players % sides_of(game) == 0, f"two sides cannot share {game.players} seats equally")
        _require(legal.dtype == bool, f"legal is {legal.dtype}, not bool")
        step: Step = self.step(self.starts, jnp.zeros((self.games, game.players), jnp.int32))
        _require(step.reward.dtype == jnp.float32, f"reward is {step.reward.dtype}, not float32")
        _require(step.done.dtype == bool, f"done is {step.done.dtype}, not bool")
        _require(step.events.illegal.shape == (self.games, game.players), "events.illegal is not [players]")
        if hasattr(step.events, "shaped"):
            _require(step.events.shaped.shape == (self.games, game.players), "events.shaped is not [players]")
        before, after = jax.tree.map(jnp.result_type, self.starts), jax.tree.map(jnp.result_type, step.state)
        _require(before == after, "step changes the types of the state's leaves")

    def check_episodes(self) -> None:
        """Random games: legal moves are accepted, rewards sum to the score, everything ends in time."""
        game, states = self.game, self.starts
        total = self.score(states).astype(jnp.float32)
        for t in range(game.max_steps):
            states, reward = self._random_turn(states, jax.random.fold_in(self.key, t))
            total = total + reward
        _require(~self.turn(states).any(1), f"a game goes on after max_steps={game.max_steps} steps")
        _require(jnp.abs(total - self.score(states)) < 1e-3, "the rewards of a game do not sum to its score")
        if game.max_score is not None:
            _require(self.score(states) <= game.max_score, f"a score exceeds max_score={game.max_score}")
        self.ends = states

    def _random_turn(self, states: Any, key: Array) -> tuple[Any, Array]:
        turn = self.turn(states)
        _, _, legal = self.look(states)
        if not self.game.simultaneous:
            _require(turn.sum(1) <= 1, "several seats are on turn at once; say `simultaneous = True`")
        _require(legal.any(2) == turn, "the seats with a legal action are not those whose turn it is")
        step: Step = self.step(states, self.choose(legal, key))
        _require(~step.events.illegal, "an action from `legal` is called illegal by `step`")
        if getattr(self.game, "cyclic", False):
            around = self.turn(step.state) == jnp.roll(turn, 1, axis=1)
            _require(step.done | around.all(1), "the turn does not go round the table; leave `cyclic = True` out")
        _require(step.done == ~self.turn(step.state).any(1), "`done` and `turn` disagree about the end")
        return step.state, step.reward

    def check_frozen_end(self) -> None:
        for action in range(self.game.num_actions):
            step: Step = self.step(self.ends, np.full((self.games, self.game.players), action, jnp.int32))
            _require(_same(step.state, self.ends), f"action {action} changes a finished game")
            _require((step.reward == 0) & step.done, "a finished game gives a reward or is no longer done")

    def check_illegal_actions(self) -> None:
        """Every action outside `legal`, and ids that do not exist, are marked and change nothing."""
        states, game = self.starts, self.game
        for t in range(min(8, game.max_steps)):
            _, _, legal = self.look(states)
            turn = self.turn(states)
            for action in [*range(game.num_actions), -1, game.num_actions, 10**6]:
                exists = 0 <= action < game.num_actions
                refused = turn & ~legal[:, :, action] if exists else turn
                step: Step = self.step(states, np.full((self.games, game.players), action, np.int32))
                _require(step.events.illegal == refused, f"action {action}: events.illegal and legal disagree")
                unchanged = _same(step.state, states) & (step.reward == 0)
                _require(~refused.any(1) | unchanged, f"illegal action {action} changes the state")
            states, _ = self._random_turn(states, jax.random.fold_in(self.key, 1000 + t))

    def check_information_boundary(self, change_hidden: Callable[[Any, Array, Array], Any]) -> None:
        """What a seat cannot see does not change its view."""
        states = self.starts
        change = jax.jit(lambda states, seat, key: jax.vmap(change_hidden, (0, None, 0))(states, seat, key))
        for t in range(min(24, self.game.max_steps)):
            key = jax.random.fold_in(self.key, 2000 + t)
            seen = self.look(states)
            for seat in range(self.game.players):
                changed = change(states, seat, jax.random.split(jax.random.fold_in(key, seat), self.games))
                before, after = _of_seat(seen, seat), _of_seat(self.look(changed), seat)
                leaks = ("'s view shows something it cannot see", "'s encoding leaks", "'s legal actions leak")
                for one, other, leak in zip(before, after, leaks, strict=True):
                    _require(_same(one, other), f"seat {seat}{leak}")
            states, _ = self._random_turn(states, key)

    def check_symmetries(self) -> None:
        """Relabelling is a permutation that composes to the identity at index 0 and preserves the number of actions."""
        game = self.game
        for index in range(min(len(game.symmetries), 6)):
            symmetry = game.symmetries[index]
            size = int(np.prod(game.observation_shape))
            _require(np.sort(symmetry.bits) == np.arange(size), f"symmetry {index} does not permute the encoding")
            _require(np.sort(symmetry.actions) == np.arange(game.num_actions), f"symmetry {index} loses actions")
            if index == 0:
                _require(np.asarray(symmetry.bits) == np.arange(size), "symmetry 0 is not the identity")
        relabel = getattr(game, "relabel", None)
        if relabel is not None:
            self._check_relabelled_play(relabel)

    def _check_relabelled_play(self, relabel: Callable[[Any, Array | int], Any]) -> None:
        """The relabelled game, played with relabelled actions, shows the relabelled views and earns the same."""
        game, states = self.game, self.starts
        index = len(game.symmetries) - 1
        symmetry = game.symmetries[index]
        back = jnp.argsort(symmetry.actions)  # original action -> relabelled action
        others = jax.jit(lambda states: jax.vmap(relabel, (0, None))(states, index))(states)
        for t in range(min(24, game.max_steps)):
            _, encoding, legal = self.look(states)
            _, other_encoding, other_legal = self.look(others)
            flat = encoding.reshape(*encoding.shape[:2], -1)[..., symmetry.bits]
            _require(flat == other_encoding.reshape(flat.shape), "a relabelled game is not encoded as relabelled bits")
            _require(legal[..., symmetry.actions] == other_legal, "a relabelled game has other legal actions")
            actions = self.choose(legal, jax.random.fold_in(self.key, 3000 + t))
            step, other = self.step(states, actions), self.step(others, back[actions])
            _require(step.reward == other.reward, "a relabelled game gives other rewards")
            states, others = step.state, other.state

    def check_one_compilation(self) -> None:
        for name, count in self.traces.items():
            _require(
                count == 1,
                f"{name} was traced {count} times; "
                "shapes and types must be the same at every step, so give arrays a dtype: jnp.zeros(3, jnp.int32)",
            )
