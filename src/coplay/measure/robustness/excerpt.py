"""Games that begin anywhere and stop early: a given start, moves that are fixed beforehand, a number of turns.

An excerpt is a game whose state carries these three along, so that `coplay.play` runs it as it runs any other. Players
are seated for the game inside and see its views: they cannot tell an excerpt from the whole.

Excerpts step together on the host: then a player's decision is compiled once for all tests and partners, which is most
of the time that a suite takes. A loop over the turns inside one compiled function would be compiled for each partner.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.games.game import Game, Step
from coplay.measure import MeasureError
from coplay.play.episode import Episodes, Forfeit
from coplay.play.lockstep import LockStep
from coplay.play.team import Player, agent_name, is_policy

Array = jax.Array
MOVE_SECONDS = 60.0


class Starts(NamedTuple):
    """Where a batch of excerpts begins."""

    states: Any  # pytree of numpy arrays [rows, ...]
    turns: np.ndarray  # int32 [rows]: how long each lasts, fixed moves included
    script: np.ndarray  # int16 [rows, moves]: what the seat on turn must do first; -1: as it likes
    watched: np.ndarray  # int32 [rows]: something to look for at the end, if the test needs that; else -1


class Moment(NamedTuple):
    """The state of an excerpt."""

    state: Any
    taken_over: Any  # the state when the fixed moves were over
    turn: Array  # int32: turns played
    turns: Array  # int32
    script: Array  # int16 [moves]


@dataclasses.dataclass(frozen=True)
class Excerpt:
    """A game played from a `Moment`; what is not said here is as in the game inside."""

    game: Game
    max_steps: int

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.game, name)

    def step(self, moment: Moment, actions: Array) -> Step:
        """The fixed move of this turn, if there is one, takes the place of what the players chose."""
        fixed = jnp.int32(-1)
        moves = moment.script.shape[-1]
        if moves:
            given = moment.script[jnp.minimum(moment.turn, moves - 1)].astype(jnp.int32)
            fixed = jnp.where(moment.turn < moves, given, fixed)
            actions = jnp.where(fixed >= 0, fixed, actions)
        step = self.game.step(moment.state, actions)
        taken_over = jax.tree.map(lambda new, old: jnp.where(fixed >= 0, new, old), step.state, moment.taken_over)
        after = moment._replace(state=step.state, taken_over=taken_over, turn=moment.turn + 1)
        return step._replace(state=after, done=step.done | (after.turn >= moment.turns))

    def view(self, moment: Moment, seat: Array | int) -> Any:
        return self.game.view(moment.state, seat)

    def turn(self, moment: Moment) -> Array:
        return self.game.turn(moment.state) & (moment.turn < moment.turns)

    def score(self, moment: Moment) -> Array:
        return self.game.score(moment.state)


class Ended(NamedTuple):
    """Excerpts that were played."""

    episodes: Episodes  # of the game itself: they replay like any others
    before: Any  # states when the fixed moves were over, numpy [rows, ...]
    after: Any  # states at the end


def play_from(
    game: Game, team: tuple[Player, ...], starts: Starts, keys: Array, max_steps: int, room: int = 0
) -> Ended:
    """Plays every excerpt once. Batches of policies are filled up to `room` rows, so that they share what compiles."""
    rows = len(starts.turns)
    size = max(rows, room) if all(map(is_policy, team)) else rows
    fill = np.minimum(np.arange(size), rows - 1)
    filled: Any = jax.tree.map(lambda leaf: jnp.asarray(leaf[fill]), starts)
    begin = Moment(filled.states, filled.states, jnp.zeros_like(filled.turns), filled.turns, filled.script)
    excerpt: Any = Excerpt(game, max_steps)
    # Picked by NumPy, which compiles nothing for every number of rows.
    picked = jax.random.wrap_key_data(jax.device_put(np.asarray(jax.random.key_data(keys))[fill]))
    loop = LockStep(excerpt, team, begin, picked, 0, MOVE_SECONDS)
    actions, lengths, scores, forfeits = loop.run()
    actions, lengths, scores = actions[:rows], lengths[:rows], scores[:rows]
    forfeits = tuple(forfeit for forfeit in forfeits if forfeit.game < rows)
    end: Moment = jax.tree.map(lambda leaf: leaf[:rows], jax.device_get(loop.states))
    moves = starts.script.shape[1]
    for forfeit in forfeits:
        if forfeit.turn < moves:
            _check_script(game, end, forfeit)
    if not game.simultaneous:
        actions = actions.max(-1)
        within = np.arange(moves) < lengths[:, None]
        actions[:, :moves] = np.where(within & (starts.script >= 0), starts.script, actions[:, :moves])
    names = tuple(map(agent_name, team))
    episodes = Episodes(game, names, starts.states, actions, lengths, scores, forfeits)
    return Ended(episodes, end.taken_over, end.state)


def _check_script(game: Game, end: Moment, forfeit: Forfeit) -> None:
    """A game that broke off at a fixed move: it is the test's fault if the rules refuse that move there."""
    here: Moment = jax.tree.map(lambda leaf: jnp.asarray(leaf[forfeit.game]), end)
    move = int(here.script[forfeit.turn])
    if move >= 0 and bool(game.step(here.state, jnp.full(game.players, move)).events.illegal.any()):
        raise MeasureError(
            f"fixed move {forfeit.turn + 1} of start {forfeit.game} is action {move}, which the rules of {game.name} "
            "refuse there. Correct the script of the test."
        )
