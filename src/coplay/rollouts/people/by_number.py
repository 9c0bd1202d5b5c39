"""A person plays a game that has no words of its own: it shows the numbers of the view, and asks for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game
from coplay.rollouts.episode import Episodes
from coplay.rollouts.people.person import Partners, Quit, record, seat_partners
from coplay.rollouts.seeds import derive
from coplay.views.host import host_views, numbers_of


class Outcome(NamedTuple):
    """How a person's game went."""

    finished: bool
    score: float
    episodes: Episodes  # the game as it was played


def play_by_number(
    game: Game,
    partners: Partners,
    seat: int = 0,
    seed: int = 0,
    input: Callable[[str], str] = input,
    output: Callable[[str], Any] = print,
) -> Outcome:
    """One game with a person in `seat`; the deal is that of game 0 of `coplay.play` with the same seed."""
    others = seat_partners(game, partners, seat, seed)
    start = state = game.reset(jax.random.fold_in(derive(seed, "deal"), 0))
    played: list[tuple[int, ...]] = []
    try:
        while bool(np.asarray(game.turn(state)).any()):
            joint = np.full(game.players, -1, np.int32)
            for other in others:
                action = other.choose(state, len(played))
                joint[other.seat] = -1 if action is None else action
            if bool(game.turn(state)[seat]):
                joint[seat] = _ask(game, state, seat, input, output)
            state = _step(game, state, jnp.asarray(joint))
            played.append(tuple(joint.tolist()))
    except Quit:
        pass
    finished = not np.asarray(game.turn(state)).any()
    score = float(game.score(state))
    output(f"Final score: {score:g}." if finished else f"You left at {score:g} points.")
    return Outcome(bool(finished), score, record(game, others, start, played, score))


def _ask(game: Game, state: Any, seat: int, input: Callable[[str], str], output: Callable[[str], Any]) -> int:
    batch = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], state)
    view = host_views(game, batch, seat, np.asarray([0]))[0]
    legal = np.flatnonzero(view.legal).tolist()
    output(view.text())
    while True:
        try:
            text = input(f"Your action ({', '.join(map(str, legal))}; q leaves): ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            raise Quit from None
        if text in ("q", "quit", "exit"):
            raise Quit
        if text.isdigit() and int(text) in legal:
            return int(text)
        output(f"{text!r} is not one of them.")


@eqx.filter_jit
def _step(game: Game, state: Any, actions: Any) -> Any:
    return game.step(state, actions).state


def plain_frame(game: Game, state: Any) -> str:
    """A position of a game without words: its numbers by name, and the points so far."""
    return "\n".join([*(f"  {line}" for line in numbers_of(state)), f"{float(game.score(state)):g} points"])


class _ByNumber:
    """The terminal of a game without one."""

    def frame(self, game: Game, state: Any, names: Sequence[str]) -> str:
        del names
        return plain_frame(game, state)

    def play(self, game: Game, partner: str, seat: int, seed: int, speed: float | None) -> Episodes:
        del speed
        return play_by_number(game, partner or "random", seat, seed).episodes


BY_NUMBER = _ByNumber()
