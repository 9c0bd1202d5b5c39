"""Games that begin anywhere, with fixed moves, and stop early."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.measure import MeasureError
from coplay.measure.robustness.excerpt import Starts, play_from
from coplay.player import Agent
from coplay.rollouts.replay import states_of
from coplay.rollouts.team import seat_team

GAME = coplay.make("hanabi", players=2)
HINT_TWO = 2 * GAME.hand_size + GAME.colors + 1  # rank 2 to the other player
DISCARD_OLDEST = 0


def starts(script: list[int], turns: int, rows: int = 3) -> Starts:
    deck = GAME.sorted_deck[::-1].copy()  # the highest blue cards for seat 0, twos and ones for seat 1
    pairs = np.stack([deck // GAME.ranks, deck % GAME.ranks], 1)
    states = jax.device_get(jax.vmap(GAME.deal)(jnp.asarray(np.stack([pairs] * rows), jnp.int32)))
    moves = np.tile(np.asarray(script, np.int16), (rows, 1))
    return Starts(states, np.full(rows, turns, np.int32), moves, np.full(rows, -1, np.int32))


def play(team, begin: Starts):
    keys = jax.random.split(jax.random.key(0), len(begin.turns))
    return play_from(GAME, seat_team(GAME, team), begin, keys, max_steps=8, room=4)


class Oldest(Agent):
    """Discards its oldest card."""

    name = "oldest"

    def act(self, view) -> int:
        assert view.legal[DISCARD_OLDEST]
        return DISCARD_OLDEST


def test_fixed_moves_come_first_and_the_clock_stops_the_game():
    ended = play("random", starts([HINT_TWO, DISCARD_OLDEST], turns=3))
    assert ended.episodes.lengths.tolist() == [3, 3, 3]
    assert (ended.episodes.actions[:, :2] == [HINT_TWO, DISCARD_OLDEST]).all()
    assert (ended.before.info == 8).all()
    assert (ended.before.seat == 0).all()
    assert (ended.after.seat == 1).all()


def test_excerpts_replay_like_any_game():
    ended = play("random", starts([HINT_TWO], turns=4))
    for row in range(3):
        last = states_of(ended.episodes, row)[-1]
        same = jax.tree.map(lambda a, b, row=row: np.array_equal(a, b[row]), jax.device_get(last), ended.after)
        assert all(jax.tree.leaves(same))


def test_plain_agents_play_excerpts_too():
    ended = play(["random", Oldest()], starts([HINT_TWO], turns=2, rows=2))
    assert ended.episodes.actions[:, :2].tolist() == [[HINT_TWO, DISCARD_OLDEST]] * 2
    assert not ended.episodes.forfeits


class Broken(Agent):
    """Cannot act."""

    name = "broken"

    def act(self, view) -> int:
        raise KeyError("nothing")


def test_an_agent_that_breaks_during_the_fixed_moves_forfeits():
    ended = play([Broken(), "random"], starts([HINT_TWO], turns=2, rows=2))
    assert [forfeit.agent for forfeit in ended.episodes.forfeits] == ["broken", "broken"]


def test_a_script_against_the_rules_is_refused():
    with pytest.raises(MeasureError, match=r"fixed move 1 .* refuse"):
        play("random", starts([DISCARD_OLDEST], turns=2))  # all tokens are there
