"""A side that learns against fixed ones: who sits there, whose decisions are learned, and that it learns to win."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.sides import line_up
from coplay.train.learner.dealing import drawn_from
from coplay.train.learner.partners import Block, Opponents, Partners, mixed_teams, shared_by
from coplay.train.learner.rows import Layout
from coplay.train.learner.seating import begin_again, learner_seats, partner_moves, seat_partners
from coplay.train.recipe.sides import with_opponents
from coplay.train.run import train
from coplay.train.settings import TrainError
from tests.own.pullers import Puller
from tests.own.tug import Tug
from tests.train.learner.test_partners import Told
from tests.train.toy import collected, design, opened, quick, random_network, stack, stage_of

OWN = Path(__file__).parents[2] / "own"
TUG, PULLER = f"file:{OWN}/tug.py:Tug", f"file:{OWN}/pullers.py:Puller"
SELF = Opponents()
TINY: dict[str, Any] = {"embed": 16, "actor": 16, "critic": 16, "turns": 12, "learning_rate": 3e-3, "bundle": 100}


def pull(force: int) -> Puller:
    return Puller(force)


def tug(pullers: int = 2) -> Any:
    return coplay.make(Tug(pullers=pullers))  # pyright: ignore[reportArgumentType]


@quick
def moves(game: Any, partners: Partners, seats: Any, states: Any, actions: Any, key: Any) -> Any:
    return partner_moves(game, partners, Layout("side", game.players, True), seats, states, actions, jnp.int32(0), key)


def seated(game: Any, partners: Partners, games: int) -> tuple[Any, Any]:
    states = jax.vmap(game.reset)(jax.random.split(jax.random.key(0), games))
    layout = Layout("side", game.players, True)
    return seat_partners(game, partners, layout, states, jax.random.key(1)), states


def test_teams_of_the_other_side_meet_the_learner_in_every_seat():
    """In the games of a team its players sit at the odd distances, in their order; everybody else is the learner."""
    game, strong = tug(), pull(2)
    mixed = (pull(1), strong)
    partners = Partners(opponents=(Opponents.of([strong, strong]), Opponents.of(mixed), SELF))
    seats, states = seated(game, partners, 24)
    _, found = moves(game, partners, seats, states, jnp.full((24, 4), -1, jnp.int32), jax.random.key(2))
    strongs = [[-1, 2, -1, 2], [2, -1, 2, -1], [-1, 2, -1, 2], [2, -1, 2, -1]]
    mixeds = [[-1, 1, -1, 2], [2, -1, 1, -1], [-1, 2, -1, 1], [1, -1, 2, -1]]
    np.testing.assert_array_equal(found, 2 * [*strongs, *mixeds, *[[-1] * 4] * 4])
    np.testing.assert_array_equal(learner_seats(game, seats), np.asarray(found) == -1)


def test_mates_and_opponents_are_chosen_apart():
    game, strong = tug(), Opponents.of([pull(2)] * 2)
    partners = Partners((Block((None, pull(0), None), 8), Block((None, pull(1), None), 8)), opponents=(strong,))
    seats, states = seated(game, partners, 16)
    _, found = moves(game, partners, seats, states, jnp.full((16, 4), -1, jnp.int32), jax.random.key(2))
    np.testing.assert_array_equal(np.sort(found, axis=1)[:, :2], [[-1, 0]] * 8 + [[-1, 1]] * 8)
    np.testing.assert_array_equal(np.sort(found, axis=1)[:, 2:], [[2, 2]] * 16)
    assert (partners.alone, partners.opposed) == (True, True)
    assert not Partners(partners.blocks, opponents=(strong, SELF)).alone


def test_opponents_forget_when_a_game_begins():
    game = tug()
    partners = Partners(opponents=(Opponents.of([pull(1), pull(2)]), SELF))
    seats, states = seated(game, partners, 16)
    seats, _ = moves(game, partners, seats, states, jnp.zeros((16, 4), jnp.int32), jax.random.key(2))
    begun = jnp.arange(16) < 10
    layout = Layout("side", 4, True)
    again = begin_again(game, partners, layout, seats, begun, states, jnp.int32(1), jax.random.key(3))
    weak, strong = again.opponents[0]
    expected = np.repeat([0, 1], [6, 2])[:, None]  # of the first team: games 0 to 3 and 8 to 11
    np.testing.assert_array_equal(weak, expected)
    np.testing.assert_array_equal(strong, expected)
    assert again.opponents[1] == ()


@pytest.mark.parametrize(("teams", "rows"), [((2,), 2), ((2, None), 4)])
def test_only_the_learners_side_has_rows_where_nobody_else_learns(teams, rows):
    game = tug()
    opponents = tuple(SELF if team is None else Opponents.of([pull(team)] * 2) for team in teams)
    stage = stage_of(game, partners=Partners(opponents=opponents))
    networks = stack(random_network(design(game)))
    _, rollout, done = collected(stage, networks, opened(stage, networks, 16, jax.random.key(0)), 6)
    assert rollout.rows.seat.shape == (6, 16, rows)
    waits = np.asarray(rollout.flow.waits)
    met = np.arange(16) // 4 % len(teams) == 0
    own = (np.asarray(rollout.rows.seat) - (np.arange(16) % 4)[:, None]) % 2 == 0
    np.testing.assert_array_equal(rollout.rows.learns, (own | ~met[:, None]) & ~waits)
    lead = np.asarray(rollout.flow.reward)
    assert (lead[np.asarray(rollout.rows.learns) & met[:, None]] <= 0).all(), "nobody out-pulls the strongest"
    assert done.score.sum() < 0


def test_a_side_learns_to_beat_a_fixed_one(tmp_path):
    teams = f"{PULLER}?force=1,{PULLER}?force=0+{PULLER}?force=1"
    run = train("ippo", TUG, tmp_path / "out", games=64, total_turns=15_000, against=teams, **TINY)
    assert run.metrics[-1]["score"][0] > 2.5, "three rounds, each won by more than the wind"
    side = [f"run:{tmp_path}/out/agent-0.safetensors"] * 2
    assert coplay.play(TUG, line_up(side, [Puller(1)] * 2), games=16).scores.min() == 3
    assert coplay.play(TUG, line_up([Puller(1)] * 2, side), games=16).scores.max() == -3


def test_a_drop_in_player_learns_among_different_mates(tmp_path):
    partners = ",".join(f"{PULLER}?force={force}" for force in (0, 1, 2))
    settings: dict[str, Any] = {"games": 72, "minibatches": 3, "total_turns": 30_000} | TINY
    run = train(
        *("best_response", f"{TUG}?pullers=3", tmp_path / "out"),
        **(settings | {"partner": partners, "mixed": True, "against": f"{PULLER}?force=1,self"}),
    )
    assert run.metrics[-1]["turns"] >= 30_000
    team = [f"run:{tmp_path}/out/agent-0.safetensors", Puller(0), Puller(1)]
    hard = coplay.play(f"{TUG}?pullers=3", line_up(team, [Puller(1)] * 3), games=64)
    slack = coplay.play(f"{TUG}?pullers=3", line_up([Puller(1), *team[1:]], [Puller(1)] * 3), games=64)
    assert hard.scores.mean() > slack.scores.mean() + 0.5


def drawn(forces: list[int], games: int, pullers: int = 3) -> tuple[Any, Partners, Any, Any]:
    game = tug(pullers)
    partners = Partners(drawn_from([pull(force) for force in forces], game.players, games, 1))
    return game, partners, *seated(game, partners, games)


def test_partners_are_dealt_out_to_both_sides_anew_for_every_game():
    """Of as many partners as there are other seats everybody has one, in a place that is drawn."""
    game, partners, seats, states = drawn([0, 1, 2, 3, 4], 60)
    _, found = moves(game, partners, seats, states, jnp.full((60, 6), -1, jnp.int32), jax.random.key(2))
    np.testing.assert_array_equal(np.sort(found, axis=1), [[-1, 0, 1, 2, 3, 4]] * 60)
    np.testing.assert_array_equal(np.argmin(found, axis=1), np.arange(60) % 6)
    assert (partners.alone, partners.opposed) == (True, False)
    mates = (np.asarray(seats.lead, np.int32)[:, None] + np.array([2, 4])) % 6
    pairs = np.sort(np.take_along_axis(np.asarray(found), mates, axis=1), axis=1)
    assert len(np.unique(pairs, axis=0)) == 10, "every pair of mates comes up"


def test_partners_are_dealt_out_again_where_a_game_begins():
    game, partners, seats, states = drawn([0, 1, 2, 3, 4], 24)
    seats, _ = moves(game, partners, seats, states, jnp.zeros((24, 6), jnp.int32), jax.random.key(2))
    begun = jnp.arange(24) < 12
    layout = Layout("side", 6, True)
    again = begin_again(game, partners, layout, seats, begun, states, jnp.int32(1), jax.random.key(3))
    same = (np.asarray(again.places[0]) == np.asarray(seats.places[0])).all(1)
    assert same[12:].all()
    assert same[:12].sum() < 3
    np.testing.assert_array_equal(again.memory[0], np.repeat([0, 1], 12))


def test_of_more_partners_than_seats_some_sit_out_and_of_fewer_some_sit_there_twice():
    game, partners, seats, states = drawn([0, 1, 2, 3, 4, 5, 6], 200)
    _, found = moves(game, partners, seats, states, jnp.full((200, 6), -1, jnp.int32), jax.random.key(2))
    rows = np.sort(found, axis=1)
    assert (np.diff(rows, axis=1) > 0).all()
    shares = np.bincount(rows[rows >= 0], minlength=7) / 200
    np.testing.assert_allclose(shares, 5 / 7, atol=0.12)
    game, partners, seats, states = drawn([0, 1], 200)
    _, found = moves(game, partners, seats, states, jnp.full((200, 6), -1, jnp.int32), jax.random.key(2))
    ones = (np.asarray(found) == 1).sum(1)
    assert set(ones.tolist()) == {2, 3}


def test_drawn_mates_stay_on_the_learners_side_where_a_team_plays_the_other():
    game = tug(3)
    context = SimpleNamespace(games=24, minibatches=1, against=f"{PULLER}?force=9")
    own = Partners(drawn_from([pull(force) for force in range(5)], 6, 24, 1))
    partners = with_opponents(game, context, own)  # pyright: ignore[reportArgumentType]
    seats, states = seated(game, partners, 24)
    _, found = moves(game, partners, seats, states, jnp.full((24, 6), -1, jnp.int32), jax.random.key(2))
    away = (np.arange(6) - np.asarray(seats.lead)[:, None]) % 6
    assert (np.asarray(found)[away % 2 == 1] == 9).all()
    mates = np.asarray(found)[(away % 2 == 0) & (away > 0)].reshape(24, 2)
    assert (mates[:, 0] != mates[:, 1]).all()
    assert set(mates.ravel().tolist()) == set(range(5))
    assert (partners.alone, partners.opposed) == (True, True)


def test_a_drop_in_player_learns_among_strangers_who_are_drawn(tmp_path):
    partners = ",".join(f"{PULLER}?force={force}" for force in (0, 1, 2))
    settings: dict[str, Any] = {"games": 72, "minibatches": 3, "total_turns": 30_000} | TINY
    run = train(
        *("best_response", f"{TUG}?pullers=3", tmp_path / "out"), **(settings | {"partner": partners, "drawn": True})
    )
    assert run.metrics[-1]["score"][0] > 0.6, "who pulls as anybody has 0"


def test_what_drawn_partners_cannot_be_is_said(tmp_path):
    with pytest.raises(TrainError, match="drawn=true: no game has one partner"):
        train(*("best_response", TUG, tmp_path / "out"), partner=PULLER, drawn=True, imitate=1e6, games=64)


@pytest.mark.parametrize(
    ("game", "against", "message"),
    [
        (TUG, f"{PULLER}+{PULLER}+{PULLER}", "names 3 players for a side of 2; name 1 or 2"),
        (TUG, f"{PULLER},self,self", "games=64 cannot be shared by 3 teams, .* in 4 seats; try games=72"),
        ("hanabi-very-small", "random", "has one side"),
    ],
)
def test_what_cannot_be_an_opponent_is_said(tmp_path, game, against, message):
    with pytest.raises(TrainError, match=message):
        train("ippo", game, tmp_path / "out", games=64, minibatches=2, total_turns=100, against=against)


@pytest.mark.parametrize(("players", "sides"), [(3, 1), (5, 1), (4, 2), (10, 2)])
def test_mates_of_a_mixed_team_are_different_and_everybody_is_first_once(players, sides):
    by = mixed_teams(10, players, sides, seed=3)
    assert len(by) == players - 1
    mates = by[sides - 1 :: sides]
    assert mates[0] == 0
    assert len(set(mates)) == len(mates)
    blocks = shared_by([Puller(force) for force in range(10)], players, 20, 2, mixed=by)
    assert [block.others[sides - 1].force for block in blocks] == 2 * list(range(10))
    assert all(len({one.force for one in block.others[sides - 1 :: sides]}) == len(mates) for block in blocks)


def test_mixed_policies_of_one_kind_are_one_program():
    told = [Told(jnp.int32(number)) for number in range(5)]
    (block,) = shared_by(told, 3, 10, 2, mixed=[0, 2])
    assert block.copies == 10
    assert block.others[0].action.tolist() == 2 * [0, 1, 2, 3, 4]
    assert block.others[1].action.tolist() == 2 * [2, 3, 4, 0, 1]
