"""Partners: who sits where, with what luck and what memory."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.agents.random import RandomPolicy
from coplay.nets.policy import NetPolicy
from coplay.train.learner.advantage import forget_blind_tail
from coplay.train.learner.partners import Block, Partners, Slipping, shared_by
from coplay.train.learner.rows import Layout
from coplay.train.learner.seating import begin_again, learner_seats, partner_moves, seat_partners
from tests.train.toy import Toy, collected, design, opened, quick, random_network, random_rollout, stack, stage_of

Array = jax.Array
GAMES = 32


class Told(eqx.Module):
    """Always plays what it is told, and counts its turns."""

    action: Array
    name: str = eqx.field(static=True, default="told")
    hears: str = eqx.field(static=True, default="own")

    def start(self) -> Array:
        return jnp.int32(0)

    def act(self, memory: Array, view: Any, key: Array) -> tuple[Array, Array]:
        return memory + 1, self.action


class Dice(eqx.Module):
    """Uniform over a thousand actions, so that two with the same luck are noticed."""

    name: str = eqx.field(static=True, default="dice")
    hears: str = eqx.field(static=True, default="own")

    def start(self) -> None:
        return None

    def act(self, memory: None, view: Any, key: Array) -> tuple[None, Array]:
        return None, jax.random.randint(key, (), 0, 1000)


EVERYWHERE = Layout("seats", 0)  # partners are asked in all games


@quick
def moves(game: Toy, partners: Partners, seats: Any, states: Any, actions: Array, key: Array) -> Any:
    return partner_moves(game, partners, EVERYWHERE, seats, states, actions, jnp.int32(0), key)  # pyright: ignore[reportArgumentType]


def seated(game: Toy, partners: Partners, games: int, key: Array | None = None) -> Any:
    key = jax.random.key(0) if key is None else key
    return seat_partners(game, partners, EVERYWHERE, starts(game, games), key)  # pyright: ignore[reportArgumentType]


def seated_again(game: Toy, partners: Partners, seats: Any, begun: Array, turn: int, key: Array) -> Any:
    states = starts(game, begun.size)
    return begin_again(game, partners, EVERYWHERE, seats, begun, states, jnp.int32(turn), key)  # pyright: ignore[reportArgumentType]


def starts(game: Toy, games: int) -> Any:
    return jax.jit(jax.vmap(game.reset))(jax.random.split(jax.random.key(0), games))


def moved(game: Toy, partners: Partners, games: int) -> np.ndarray:
    """int [games, players]: the moves after the partners have spoken; -1 where they did not."""
    seats = seated(game, partners, games, jax.random.key(1))
    actions = jnp.full((games, game.players), -1, jnp.int32)
    _, found = moves(game, partners, seats, starts(game, games), actions, jax.random.key(2))
    return np.asarray(found)


def test_the_learners_seat_goes_round_and_the_others_are_the_partners():
    game = Toy(players=3)
    told = [Told(jnp.int32(number)) for number in range(3)]
    partners = Partners((Block((told[0], told[1]), 4), Block((None, told[2]), 2)))
    seats = seated(game, partners, 6)
    np.testing.assert_array_equal(seats.lead, [0, 1, 2, 0, 1, 2])
    expected = np.zeros((6, 3), bool)
    expected[np.arange(6), [0, 1, 2, 0, 1, 2]] = True
    expected[[4, 5], [2, 0]] = True  # in the second block the learner has the seat next to its first one too
    np.testing.assert_array_equal(learner_seats(game, seats), expected)
    np.testing.assert_array_equal(
        moved(game, partners, 6), [[-1, 0, 1], [1, -1, 0], [0, 1, -1], [-1, 0, 1], [2, -1, -1], [-1, 2, -1]]
    )


def test_a_mixed_population_is_a_program_for_each_kind_and_everybody_has_a_share():
    told = [Told(np.int32(number)) for number in range(200)]  # pyright: ignore[reportArgumentType]
    (block,) = shared_by(told, 2, 400, 1)
    assert (block.copies, block.games) == (200, 400)
    mixed = [told[0], Dice(), *told[1:3]]
    blocks = shared_by(mixed, 2, 8, 2)
    assert [(one.copies, one.games) for one in blocks] == [(3, 6), (0, 2)] * 2
    found = moved(Toy(), Partners(blocks), 16).max(1)
    assert found[:6].tolist() == found[8:14].tolist() == [0, 0, 1, 1, 2, 2]


def test_no_two_partners_share_their_luck():
    game = Toy(players=3)
    found = moved(game, Partners((Block((Dice(), Dice()), GAMES), Block((Dice(), None), GAMES))), 2 * GAMES)
    dice = found[found >= 0]
    assert dice.size == 3 * GAMES
    assert len(np.unique(dice)) > 0.9 * dice.size
    again = moved(game, Partners((Block((Dice(), Dice()), GAMES), Block((Dice(), None), GAMES))), 2 * GAMES)
    np.testing.assert_array_equal(found, again)


@pytest.fixture(scope="module")
def rolled() -> tuple[Any, Any, Any]:
    """A rollout with random partners in every game: (tables before, rows, tables after)."""
    game = Toy()
    random = RandomPolicy(game)  # pyright: ignore[reportArgumentType]
    stage = stage_of(game, partners=Partners((Block((random,), GAMES),)))
    networks = stack(random_network(design(game)))
    tables = opened(stage, networks, GAMES, jax.random.key(0))
    after, rollout, _ = collected(stage, networks, tables, 6)
    return tables, rollout, after


def test_a_random_partner_plays_differently_in_every_game(rolled: Any):
    tables, _, _ = rolled
    game = Toy()
    partners = Partners((Block((RandomPolicy(game),), GAMES),))  # pyright: ignore[reportArgumentType]
    same = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf[1], leaf.shape), tables.states)  # one deal for all
    seats = tables.seats._replace(lead=jnp.broadcast_to((1 - same.seat[0]).astype(jnp.int32), (GAMES,)))
    _, found = moves(game, partners, seats, same, jnp.full((GAMES, 2), -1, jnp.int32), jax.random.key(5))
    mine = np.asarray(found)[:, int(same.seat[0])]
    counts = np.bincount(mine, minlength=4)
    assert (counts > 0).sum() == 3, "three actions are legal, and chance must find each of them"
    assert counts.max() < 0.7 * GAMES


def test_the_learner_learns_from_its_own_turns_only():
    """Where it may have several seats, as when self-play is annealed away, every turn has a row."""
    game: Any = Toy()
    always = Partners((Block((RandomPolicy(game),), GAMES),), joining=jnp.ones_like)
    stage, networks = stage_of(game, partners=always), stack(random_network(design(game)))
    _, rollout, _ = collected(stage, networks, opened(stage, networks, GAMES, jax.random.key(0)), 6)
    lead = np.arange(GAMES) % 2
    seat = np.asarray(rollout.rows.observation)[..., 0, -3]  # the toy shows each seat its number
    learns, waits = (np.asarray(column)[..., 0] for column in (rollout.rows.learns, rollout.flow.waits))
    np.testing.assert_array_equal(learns, (seat == lead) & ~waits)
    assert 0.3 < learns.mean() < 0.7


def count_seated(joining: Any, games: int = 500) -> float:
    game = Toy(players=3)
    told = Told(jnp.int32(0))
    partners = Partners((Block((told, told), games),), joining)
    seats = seated(game, partners, games)
    begun = jnp.arange(games) < games // 2
    later = seated_again(game, partners, seats, begun, 1000 // games, jax.random.key(1))
    kept = np.asarray(later.joined)[games // 2 :]
    np.testing.assert_array_equal(kept, np.asarray(seats.joined)[games // 2 :])  # no toss in the middle of a game
    return float(np.asarray(later.joined)[: games // 2].mean())


def test_a_coin_decides_whether_a_partner_comes():
    assert count_seated(None) == 1
    assert count_seated(lambda turns: 0 * turns) == 0
    assert count_seated(lambda turns: turns / 1000) == 1
    assert count_seated(lambda turns: turns / 2000) == pytest.approx(0.5, abs=0.1)


def test_each_seat_has_its_own_coin():
    game = Toy(players=3)
    told = Told(jnp.int32(0))
    partners = Partners((Block((told, told), 400),), lambda turns: 0 * turns + 0.5)
    joined = np.asarray(seated(game, partners, 400).joined)
    assert len(np.unique(joined, axis=0)) == 4  # none, either, both


def test_partners_forget_when_a_game_begins():
    game = Toy(players=2)
    partners = Partners((Block((Told(jnp.int32(0)),), 4),))
    seats = seated(game, partners, 4)
    states = starts(game, 4)
    for _ in range(2):
        seats, _ = moves(game, partners, seats, states, jnp.zeros((4, 2), jnp.int32), jax.random.key(0))
    its_turn = np.asarray(states.seat) == (np.arange(4) + 1) % 2
    assert its_turn.any()
    assert not its_turn.all()
    np.testing.assert_array_equal(seats.memory[0], 2 * its_turn)  # hears "own": off turn nothing advances
    begun = jnp.asarray([True, True, False, False])
    again = seated_again(game, partners, seats, begun, 0, jax.random.key(0))
    np.testing.assert_array_equal(again.memory[0], np.where(begun, 0, 2 * its_turn))


def test_a_stack_of_copies_plays_as_each_would_alone():
    game = Toy()
    kind = design(game, cell="gru")
    networks = [random_network(kind, seed) for seed in range(3)]
    policies = [NetPolicy(network, game, greedy=False) for network in networks]  # pyright: ignore[reportArgumentType]
    together = NetPolicy(stack(*networks), game, greedy=False)  # pyright: ignore[reportArgumentType]
    states = starts(game, 12)
    stacked = Partners((Block((together,), 12, copies=3),))
    seats = seated(game, stacked, 12)
    empty = jnp.full((12, 2), -1, jnp.int32)
    key = jax.random.key(2)
    after, found = moves(game, stacked, seats, states, empty, key)
    for number, policy in enumerate(policies):
        alone = Partners((Block((policy,), 12),))
        its_after, its = moves(game, alone, seated(game, alone, 12, key), states, empty, key)
        part = slice(4 * number, 4 * number + 4)
        np.testing.assert_array_equal(its[part], found[part])
        np.testing.assert_allclose(its_after.memory[0][0][0][part], after.memory[0][0][0][part], atol=1e-5)


def test_a_last_decision_before_a_partners_turn_has_no_estimate():
    # Columns: a partner moves next / the learner moves next / the game ended after its last decision.
    learns = [[True, True, True], [False, False, False], [True, True, True], [False, False, False]]
    ends = [[False, False, False], [False, False, False], [False, False, True], [False, False, False]]
    blank = random_rollout(Toy(), 4, 3, 1)
    decided, over, never = (jnp.asarray(x)[..., None] for x in (learns, ends, np.zeros((4, 3), bool)))
    rollout = blank._replace(
        rows=blank.rows._replace(learns=decided, weight=decided.astype(jnp.float32)),
        flow=blank.flow._replace(ends=over, waits=never),
        next_learns=jnp.asarray([[False], [True], [False]]),
    )
    after = forget_blind_tail(Layout("mover", 2), rollout)
    lost = np.zeros((4, 3), bool)
    lost[2, 0] = True
    np.testing.assert_array_equal(after.rows.learns[..., 0], np.asarray(learns) & ~lost)
    np.testing.assert_array_equal(after.rows.weight[..., 0], np.asarray(learns) & ~lost)
    np.testing.assert_array_equal(after.flow.waits[..., 0], lost)  # its value still serves the decision before


@pytest.mark.parametrize("rate", [0.0, 0.5])
def test_a_slip_is_any_legal_move_at_its_rate(rate: float):
    game: Any = Toy()
    player = NetPolicy(random_network(design(game), 0), game)  # greedy: without a slip always the same
    state = game.reset(jax.random.key(0))
    view = game.view(state, int(np.argmax(game.turn(state))))
    decide = quick(lambda keys: jax.vmap(lambda key: Slipping(player, rate).act((), view, key)[1])(keys))
    moves = np.asarray(decide(jax.random.split(jax.random.key(1), 4000)))
    legal = np.flatnonzero(np.asarray(game.legal(view)))
    usual = int(player.act((), view, jax.random.key(2))[1])
    shares = np.bincount(moves, minlength=game.num_actions) / moves.size
    expected = np.zeros(game.num_actions)
    expected[legal] = rate / legal.size
    expected[usual] += 1 - rate
    np.testing.assert_allclose(shares, expected, atol=0.03)
