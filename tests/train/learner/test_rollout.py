"""Rollouts: memories that cross the boundaries of segments, games that begin anew, learners side by side."""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.nets.policy import NetPolicy
from coplay.train.learner.partners import Block, Fellow, Partners, Slipping, one_each, shared_by
from coplay.train.learner.ppo import Setup, _Batch, _in_stretches
from coplay.train.learner.rollout import Finished, Rollout
from coplay.train.learner.rows import Flow, Rows, round_up
from coplay.train.learner.stage import Stage, Tables, event
from coplay.train.learner.terms import Imitation
from coplay.train.settings import PPOSettings, TrainError
from tests.train.toy import (
    Toy,
    collected,
    design,
    opened,
    quick,
    random_network,
    random_rollout,
    replayed,
    stack,
    stage_of,
)

GAMES = 6
KEY = jax.random.key(0)


class Segment(NamedTuple):
    """One rollout."""

    before: Tables
    after: Tables
    rollout: Rollout
    done: Finished

    @property
    def rows(self) -> Rows:
        return self.rollout.rows

    @property
    def flow(self) -> Flow:
        return self.rollout.flow


def segments(stage: Stage, networks: Any, turns: int, count: int = 2, games: int = GAMES) -> list[Segment]:
    tables = opened(stage, networks, games, jax.random.key(3))
    found = []
    for _ in range(count):
        after, rollout, done = collected(stage, networks, tables, turns)
        found.append(Segment(tables, after, rollout, done))
        tables = after
    return found


@pytest.mark.parametrize(
    ("cell", "hears", "players"),
    [("gru", "own", 3), ("lstm", "every", 2)],  # a network without memory: each learner plays its own games only
)
def test_an_update_sees_exactly_what_the_rollout_saw(cell: Any, hears: Any, players: int):
    """Memories at the start of a segment are those the rollout had, not zeros, and a new game empties them."""
    game = Toy(players=players)
    turns = round_up(7, players)
    network = random_network(design(game, cell=cell, hears=hears), seed=1)
    stage = stage_of(game)
    for number, segment in enumerate(segments(stage, stack(network), turns)):
        rows = segment.rows
        logits, value = replayed(stage, network, rows, segment.before.carry)
        log_prob = np.take_along_axis(np.asarray(jax.nn.log_softmax(logits)), np.asarray(rows.action)[..., None], -1)
        np.testing.assert_allclose(value, rows.value, atol=1e-5)
        np.testing.assert_allclose(log_prob[..., 0], rows.log_prob, atol=1e-5)
        assert segment.flow.ends.any(), "games must end inside a segment"
        if number == 1:
            zeros = jax.tree.map(lambda leaf: leaf * 0, segment.before.carry)
            assert np.abs(replayed(stage, network, rows, zeros)[1] - rows.value).max() > 1e-2
            whole = rows._replace(fresh=rows.fresh & False)
            assert np.abs(replayed(stage, network, whole, segment.before.carry)[1] - rows.value).max() > 1e-2


@pytest.mark.parametrize(
    ("cell", "hears", "players", "stretch"),
    [("gru", "own", 3, 6), ("lstm", "every", 2, 2)],
)
def test_each_stretch_is_learned_from_with_the_memory_it_began_with(cell: Any, hears: Any, players: int, stretch: int):
    game = Toy(players=players)
    turns = 12
    network = random_network(design(game, cell=cell, hears=hears), seed=1)
    stage = stage_of(game)
    tables = opened(stage, stack(network), GAMES, jax.random.key(3))
    _, whole, _ = collected(stage, stack(network), tables, turns)
    _, rollout, _ = collected(stage, stack(network), tables, turns, None, stretch)
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), whole.rows, rollout.rows)), "the same games"
    nothing = jnp.zeros_like(rollout.rows.value)
    cut = _in_stretches(_Batch(rollout.rows, nothing, nothing, rollout.memory), stretch)
    parts = turns // stretch
    assert cut.rows.value.shape[:2] == (stretch, GAMES * parts)
    back = np.asarray(cut.rows.value).reshape(stretch, GAMES, parts, -1)
    np.testing.assert_array_equal(np.moveaxis(back, 2, 0).reshape(turns, GAMES, -1), rollout.rows.value)
    memory = jax.tree.map(lambda leaf: leaf[0], cut.memory)
    np.testing.assert_allclose(replayed(stage, network, cut.rows, memory)[1], cut.rows.value, atol=1e-5)
    zeros = jax.tree.map(jnp.zeros_like, memory)
    assert np.abs(replayed(stage, network, cut.rows, zeros)[1] - cut.rows.value).max() > 1e-2


def test_stretches_must_cut_a_rollout_evenly():
    setup = Setup(stage_of(Toy()), settings=PPOSettings(turns=16, stretch=6))
    with pytest.raises(TrainError, match="stretch=6: stretches of 6 turns do not cut a rollout of 16 evenly; try stre"):
        _ = setup.stretch
    assert Setup(stage_of(Toy(players=3)), settings=PPOSettings(turns=16, stretch=2)).stretch == 3


@pytest.mark.parametrize("stretch", [0, 8, 32])
def test_a_rollout_that_is_no_longer_than_a_stretch_is_one(stretch: int):
    assert Setup(stage_of(Toy()), settings=PPOSettings(turns=8, stretch=stretch)).stretch == 8


def test_a_critic_may_see_every_seat_its_own_view_first():
    """MAPPO; the toy shows the seat after the others' numbers and the last of four actions."""
    game = Toy(players=3)
    size = game.observation_shape[0]
    network = random_network(design(game, critic_inputs=3 * size), seed=1)
    stage = stage_of(game)
    (segment,) = segments(stage, stack(network), 9, count=1)
    rows = segment.rows
    views = np.asarray(rows.everything).reshape(*rows.everything.shape[:-1], 3, size)
    np.testing.assert_array_equal(views[..., 0, :], rows.observation)
    seats = views[..., 3 + 4]
    np.testing.assert_array_equal(seats, (seats[..., :1] + np.arange(3)) % 3)
    _, value = replayed(stage, network, rows, segment.before.carry)
    np.testing.assert_allclose(value, rows.value, atol=1e-5)
    others_hidden = rows._replace(everything=rows.everything * 0)
    assert np.abs(replayed(stage, network, others_hidden, segment.before.carry)[1] - rows.value).max() > 1e-2


@pytest.fixture(scope="module")
def pair() -> tuple[Any, list[Segment]]:
    """Two learners with different networks, three segments."""
    game = Toy()
    kind = design(game)
    networks = stack(random_network(kind, 1), random_network(kind, 2))
    return networks, segments(stage_of(game, learners=2), networks, 8, count=3)


def test_each_learner_plays_its_own_games_only(pair: Any):
    networks, played = pair
    one = stage_of(Toy())
    for number in range(2):
        network = jax.tree.map(lambda leaf, number=number: leaf[number], networks)
        mine = slice(number * GAMES, (number + 1) * GAMES)
        for segment in played:
            rows = jax.tree.map(lambda leaf, mine=mine: leaf[:, mine], segment.rows)
            carry = jax.tree.map(lambda leaf, mine=mine: leaf[mine], segment.before.carry)
            np.testing.assert_allclose(replayed(one, network, rows, carry)[1], rows.value, atol=1e-5)
    first, second = (np.asarray(played[0].rows.observation)[:, part] for part in (slice(0, GAMES), slice(GAMES, None)))
    assert (first != second).any(), "the learners were dealt the same games"


def test_games_are_counted_once_and_scored_at_their_end(pair: Any):
    _, played = pair
    for segment in played:
        ends = np.asarray(segment.flow.ends)[..., 0].reshape(-1, 2, GAMES)
        np.testing.assert_array_equal(segment.done.games, ends.sum((0, 2)))
    reward = np.concatenate([np.asarray(segment.flow.reward)[..., 0] for segment in played])
    ends = np.concatenate([np.asarray(segment.flow.ends)[..., 0] for segment in played])
    scores = 0.0
    for game in range(2 * GAMES):
        points = 0.0
        for turn in range(len(ends)):
            points += reward[turn, game]
            if ends[turn, game]:
                scores, points = scores + points, 0.0
    assert scores == pytest.approx(float(sum(segment.done.score.sum() for segment in played)))


def test_only_legal_actions_are_played_and_only_by_the_seat_to_move(pair: Any):
    for segment in pair[1]:
        rows = segment.rows
        legal = np.take_along_axis(np.asarray(rows.legal), np.asarray(rows.action)[..., None], -1)[..., 0]
        assert legal[np.asarray(rows.learns)].all()
        assert not (np.asarray(rows.learns) & np.asarray(segment.flow.waits)).any()


def test_a_clock_is_no_end_and_its_last_position_is_shown_once():
    game = Toy(simultaneous=True, truncates=True, longest=3)
    networks = stack(random_network(design(game, cell="gru"), 1))
    (segment,) = segments(stage_of(game, record=(event("shaped"),)), networks, 9, count=1)
    rows, flow = segment.rows, segment.flow
    assert not flow.ends.any()
    assert flow.events["shaped"].shape == flow.reward.shape
    waits = np.asarray(flow.waits)[..., 0]
    # Three turns of play, one look at the last position, then a new game.
    np.testing.assert_array_equal(waits, np.broadcast_to((np.arange(9) % 4 == 3)[:, None], waits.shape))
    assert not np.asarray(rows.learns)[waits].any()
    assert not np.asarray(flow.reward)[waits].any()
    np.testing.assert_array_equal(
        np.asarray(rows.fresh)[..., 0], np.broadcast_to((np.arange(9) % 4 == 0)[:, None], waits.shape)
    )
    assert float(segment.done.games[0]) == 2 * GAMES


class Quiet(eqx.Module):
    """A partner that counts its own turns, and says a number that anybody can foresee: the seat it sits in."""

    hears: str = eqx.field(static=True, default="own")
    name: str = eqx.field(static=True, default="quiet")

    def start(self) -> Any:
        return jnp.int32(0)

    def act(self, memory: Any, view: Any, key: Any) -> tuple[Any, Any]:
        return memory + 1, (view.seat + view.time + 1) % 4


@pytest.mark.parametrize(
    ("players", "simultaneous", "design_changes", "listens", "kind"),
    [
        (3, False, {"cell": "gru"}, "own", "slots"),
        (2, False, {"cell": "gru"}, "every", "slots"),
        (3, False, {"cell": "lstm", "hears": "every"}, "own", "lead"),
        (2, True, {"cell": "gru"}, "own", "lead"),
    ],
)
def test_a_learner_with_one_seat_has_rows_of_that_seat_alone(
    players: int, simultaneous: bool, design_changes: Any, listens: str, kind: str
):
    """And an update sees exactly what the rollout saw, whoever sits in the other seats."""
    game: Any = Toy(players=players, simultaneous=simultaneous)
    partner = Quiet(listens)
    games, turns = 4 * players, round_up(9, players)
    network = random_network(design(game, **design_changes), seed=1)
    blocks = tuple(Block((partner,) * (players - 1), games // 2) for _ in range(2))
    stage = stage_of(game, partners=Partners(blocks))
    layout = stage.layout(network.design)
    assert layout.kind == kind
    for segment in segments(stage, stack(network), turns, games=games):
        rows, flow = segment.rows, segment.flow
        logits, value = replayed(stage, network, rows, segment.before.carry)
        log_prob = np.take_along_axis(np.asarray(jax.nn.log_softmax(logits)), np.asarray(rows.action)[..., None], -1)
        np.testing.assert_allclose(value, rows.value, atol=1e-5)
        np.testing.assert_allclose(log_prob[..., 0], rows.log_prob, atol=1e-5)
        waits = np.asarray(layout.to_rows(flow.waits, rows.learns))
        seat, to_move = np.asarray(rows.observation)[..., -3], np.asarray(rows.observation)[..., -1]
        np.testing.assert_array_equal(rows.seat, seat)
        np.testing.assert_array_equal(np.asarray(rows.learns), to_move.astype(bool))
        if kind == "slots":
            assert rows.learns.shape[1] == games // players
            np.testing.assert_array_equal(rows.learns, ~waits)  # with slots no row is somebody else's turn
        assert len(np.unique(seat)) == players, "every seat is learned"


class Jumping(Toy):
    """Whoever moves decides by the move who is next."""

    cyclic = False

    def step(self, state: Any, actions: Any) -> Any:
        step = super().step(state, actions)
        moved = step.state.time != state.time
        seat = jnp.where(moved, (state.seat + 1 + actions[state.seat] % 2) % self.players, state.seat)
        return step._replace(state=step.state._replace(seat=seat))


@pytest.mark.parametrize("design_changes", [{}, {"cell": "gru", "hears": "every"}])
def test_where_the_turn_takes_any_way_every_turn_of_the_learner_has_a_row(design_changes: Any):
    game: Any = Jumping(players=3, longest=9)
    network = random_network(design(game, **design_changes), seed=1)
    stage = stage_of(game, partners=Partners((Block((Quiet(), Quiet()), 12),)))
    layout = stage.layout(network.design)
    assert layout.kind != "slots"
    segment = segments(stage, stack(network), 9, games=12)[1]
    logits, _ = replayed(stage, network, segment.rows, segment.before.carry)
    log_prob = np.take_along_axis(
        np.asarray(jax.nn.log_softmax(logits)), np.asarray(segment.rows.action)[..., None], -1
    )
    np.testing.assert_allclose(log_prob[..., 0], segment.rows.log_prob, atol=1e-5)
    states, times = segment.after.states, np.asarray(segment.rows.observation)[..., -2]
    assert np.asarray(segment.rows.learns).any(), "the learner is on turn now and then"
    assert (np.asarray(states.time) > 0).any()
    assert (times < game.longest).all()


def test_a_memory_of_own_turns_needs_to_know_whose_turn_is_next():
    game: Any = Jumping(players=3)
    with pytest.raises(TrainError, match=r"cyclic = True"):
        stage_of(game).layout(design(game, cell="gru"))
    assert stage_of(Toy(players=3)).layout(design(game, cell="gru")).kind == "mover"


def test_partners_are_asked_in_their_own_turns_with_their_own_memory():
    """With slots, a partner that hears own turns counts exactly the turns it had in the game."""
    game: Any = Toy(players=3, longest=30)
    network = random_network(design(game), seed=1)
    stage = stage_of(game, partners=Partners((Block((Quiet(), Quiet()), 12),)))
    (segment,) = segments(stage, stack(network), 9, count=1, games=12)
    states, seats = segment.after.states, segment.after.seats
    time, lead = np.asarray(states.time), np.asarray(seats.lead)
    first = (np.asarray(states.seat) - time) % 3
    for place in range(2):
        seat = (lead + place + 1) % 3
        had = np.asarray([sum((f + t) % 3 == s for t in range(n)) for f, s, n in zip(first, seat, time, strict=True)])
        np.testing.assert_array_equal(seats.memory[place], had)
    assert time.max() > 3


def test_fellows_play_with_their_present_weights():
    """Two learners that sit with each other: what the fellow does in the other seat is what its own network says."""
    game: Any = Toy(simultaneous=True, longest=9)
    kind = design(game)
    sure = [random_network(kind, seed) for seed in (1, 2)]
    sure = [eqx.tree_at(lambda n: n.actor.weight, network, 1e4 * network.actor.weight) for network in sure]
    stage = stage_of(game, learners=2, partners=Partners((Block((Fellow((1, 0)),), 2 * GAMES, copies=2),)))
    (segment,) = segments(stage, stack(*sure), 2, count=1)
    rows, before = segment.rows, segment.before
    lead = np.asarray(before.seats.lead)
    states = before.states
    for number in range(2):
        other = NetPolicy(sure[1 - number], game)
        mine = slice(number * GAMES, (number + 1) * GAMES)
        here = jax.tree.map(lambda leaf, mine=mine: leaf[mine], states)
        act = quick(jax.vmap(lambda state, seat, other=other: other.act((), game.view(state, seat), KEY)[1]))
        fellow = act(here, jnp.asarray(1 - lead[mine]))
        own = np.asarray(rows.action)[0, mine, 0]
        both = np.where(lead[mine][:, None] == np.arange(2), own[:, None], np.asarray(fellow)[:, None])
        expected = jax.vmap(game.step)(here, jnp.asarray(both)).reward
        np.testing.assert_array_equal(np.asarray(segment.flow.reward)[0, mine, 0], expected)


def test_fellows_slip_as_often_as_they_are_told_to():
    game: Any = Toy(simultaneous=True, longest=9)
    sure = random_network(design(game), 1)
    sure = eqx.tree_at(lambda n: n.actor.weight, sure, 1e4 * sure.actor.weight)
    view = game.view(game.reset(jax.random.key(0)), 1)
    keys = jax.random.split(jax.random.key(1), 2000)
    best = int(NetPolicy(sure, game).act((), view, KEY)[1])
    player = Slipping(NetPolicy(sure, game, greedy=False), 0.3)
    moves = np.asarray(quick(jax.vmap(lambda key: player.act((), view, key)[1]))(keys))
    assert (moves != best).mean() == pytest.approx(0.3 * 2 / 3, abs=0.04)  # one slip in three is the best move
    assert np.asarray(game.legal(view))[moves].all()


def test_decisions_weigh_what_their_partner_weighs():
    game: Any = Toy(simultaneous=True)
    told = Partners((Block((Quiet(),), 4), Block((Quiet(),), 4)), weights=jnp.asarray([0.5, 1.5]))
    (segment,) = segments(stage_of(game, partners=told), stack(random_network(design(game))), 4, count=1, games=8)
    learns, weight = np.asarray(segment.rows.learns), np.asarray(segment.rows.weight)
    np.testing.assert_allclose(weight, learns * np.repeat([0.5, 1.5], 4)[:, None])


def test_partners_that_differ_in_numbers_alone_are_compiled_as_one():
    game: Any = Toy(players=3)
    policies = [NetPolicy(random_network(design(game), seed), game, name=f"net {seed}") for seed in range(3)]
    (block,) = shared_by(policies, 3, 12, learners=2)
    assert (block.games, block.copies, len(block.others)) == (24, 6, 2)
    weights = block.others[0].network.actor.weight
    for number in range(6):  # learner by learner, each with all of them
        np.testing.assert_array_equal(weights[number], policies[number % 3].network.actor.weight)
    (own,) = one_each(policies, 3, 12)
    assert (own.games, own.copies) == (36, 3)
    mixed = shared_by([*policies, Quiet()], 3, 12, learners=2)
    assert [block.games for block in mixed] == [9, 3, 9, 3]  # per learner one block of each kind
    assert len(one_each([Quiet(), Quiet()], 3, 12)) == 2  # nothing to stack


def test_a_clock_may_count_as_an_end():
    game = Toy(simultaneous=True, truncates=True, longest=3)
    networks = stack(random_network(design(game), 1))
    (segment,) = segments(stage_of(game, looks_beyond=False), networks, 9, count=1)
    ends = np.asarray(segment.flow.ends)[..., 0]
    np.testing.assert_array_equal(ends, np.broadcast_to((np.arange(9) % 3 == 2)[:, None], ends.shape))
    assert not segment.flow.waits.any()


def test_a_network_may_choose_among_useful_actions_only():
    """Chefs at their start cannot interact with the floor they face, nor walk into a wall that they face."""
    import coplay

    game: Any = coplay.make("overcooked", layout="cramped_room", horizon=8)
    kind = design(game, useful=True)
    stage, networks = stage_of(game), stack(random_network(kind, 1))
    _, rollout, _ = collected(stage, networks, opened(stage, networks, 2, KEY), 4)
    legal = np.asarray(rollout.rows.legal)
    player = NetPolicy(jax.tree.map(lambda leaf: leaf[0], networks), game)

    @quick
    def at_the_start(player: Any, key: Any) -> Any:
        view = game.view(game.reset(key), 0)
        return game.useful_actions(view), player.think((), view)[1]

    useful, logits = map(np.asarray, at_the_start(player, KEY))
    np.testing.assert_array_equal(legal[0, 0, 0], useful)
    assert not legal[0, 0, 0].all()
    np.testing.assert_array_equal(logits > -1e8, useful)


@pytest.mark.parametrize(("players", "listens"), [(3, "own"), (2, "every")])
def test_an_adviser_says_what_it_would_do_in_the_learners_place(players: int, listens: str):
    """With a memory of its own for that seat: `Quiet` says the seat and the turn, and counts its own turns."""
    game: Any = Toy(players=players, longest=30)
    (block,) = one_each([Quiet(listens)], players, 4 * players, advise=True)
    stage = stage_of(game, partners=Partners((block,)))
    networks = stack(random_network(design(game), 1))
    (segment,) = segments(stage, networks, 3 * players, count=1, games=4 * players)
    rows = segment.rows
    seat, time = np.asarray(rows.observation)[..., -3].astype(int), np.asarray(rows.observation)[..., -2].astype(int)
    learns = np.asarray(rows.learns)
    np.testing.assert_array_equal(np.asarray(rows.extra["advice"])[learns], ((seat + time + 1) % 4)[learns])
    states, seats = segment.after.states, segment.after.seats
    lead, count, now = (np.asarray(x) for x in (seats.lead, states.time, states.seat))
    first = (now - count) % players
    own = [sum((f + t) % players == s for t in range(n)) for f, s, n in zip(first, lead, count, strict=True)]
    np.testing.assert_array_equal(seats.advice[0], own if listens == "own" else count)


def test_imitation_fades_away():
    rollout = random_rollout(Toy(), 4, 3, 1)
    advice = jnp.asarray(np.random.default_rng(0).integers(-1, 4, rollout.rows.action.shape), jnp.int32)
    rows = rollout.rows._replace(extra={"advice": advice})
    logits = jnp.asarray(np.random.default_rng(1).normal(size=(*advice.shape, 4)))
    network: Any = None
    counted = np.asarray(rows.learns & (advice >= 0))
    told = np.take_along_axis(np.asarray(jax.nn.log_softmax(logits)), np.maximum(advice, 0)[..., None], -1)[..., 0]
    whole = float(Imitation(100).loss(network, rows, logits, jnp.float32(0)))
    assert whole == pytest.approx(-told[counted].mean(), rel=1e-5)
    assert float(Imitation(100).loss(network, rows, logits, jnp.float32(50))) == pytest.approx(whole / 2, rel=1e-5)
    assert float(Imitation(100).loss(network, rows, logits, jnp.float32(200))) == 0
