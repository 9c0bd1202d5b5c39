"""Behaviour read off games: the published rates, what follows what, conventions, a pool's map and distances."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.measure import MeasureError
from coplay.measure.behaviour.pool import PoolBehaviour, behaviour
from coplay.measure.behaviour.population import features, pool_map
from coplay.player import AgentError
from coplay.rollouts.episode import Episodes
from coplay.rollouts.lockstep import _step
from coplay.rollouts.replay import states_of
from coplay.worlds.hanabi.actions import split
from coplay.worlds.hanabi.bots.hgroup.analyse import read_game
from coplay.worlds.hanabi.rates.action_table import action_table, kind_table
from coplay.worlds.hanabi.rates.conventions import adherence, readings
from coplay.worlds.hanabi.rates.moves import Moves, moves_of
from coplay.worlds.hanabi.rates.style import RATES, style
from coplay.worlds.overcooked.rates import event_counts

GOLDEN = Path(__file__).parents[2] / "golden" / "bots"


@pytest.fixture(scope="module")
def recorded() -> Episodes:
    """Games of a program that plays by the H-Group conventions, three players."""
    found = np.load(GOLDEN / "hgroup.npz")
    game = coplay.make("hanabi", players=3)
    decks = np.stack([found["decks_3p"] // 5, found["decks_3p"] % 5], -1)
    starts = jax.device_get(jax.vmap(lambda deck: game.deal(deck, 0))(jnp.asarray(decks, jnp.int32)))
    actions = found["actions_3p"].astype(np.int16)
    lengths = (actions >= 0).sum(1)
    empty = Episodes(game, ("h",) * 3, starts, actions, lengths, np.zeros(len(actions), np.float32))
    scores = (moves_of(empty).scored & moves_of(empty).made).sum(1)
    return Episodes(game, ("h",) * 3, starts, actions, lengths, scores.astype(np.float32))


@pytest.fixture(scope="module")
def moves(recorded: Episodes) -> Moves:
    return moves_of(recorded)


@pytest.fixture(scope="module")
def pool() -> PoolBehaviour:
    return behaviour(coplay.make("hanabi-very-small"), ["random", "simplebot"], games=12, seed=1)


@pytest.fixture(scope="module")
def small(pool: PoolBehaviour) -> Episodes:
    return pool.members[0].episodes


def test_rates_are_what_counting_by_hand_gives(recorded: Episodes, moves: Moves):
    game, states = recorded.game, states_of(recorded, 0)
    hints = tokens = known = plays = 0
    for state, action in zip(states, recorded.actions[0].tolist(), strict=False):
        if action < 0:
            break
        move = split(game, action)  # pyright: ignore[reportArgumentType]
        tokens += int(state.info) > 0
        hints += move.kind in ("color", "rank")
        if move.kind == "play":
            word = int(state.hands[int(state.seat)][move.slot])
            possible = [divmod(identity, 5) for identity in range(25) if word >> identity & 1]
            plays += 1
            known += (len({color for color, _ in possible}) == 1) / 2 + (len({rank for _, rank in possible}) == 1) / 2
    one = style(game, Moves(*(leaf[:1] for leaf in moves)))  # pyright: ignore[reportArgumentType]
    assert one["communicativeness"].value == pytest.approx(hints / tokens)
    assert one["information per play"].value == pytest.approx(known / plays)
    assert one["plays"].n == one["discards"].n == int(moves.made[0].sum())


def test_all_rates_are_shares_with_intervals(recorded: Episodes, moves: Moves):
    found = style(recorded.game, moves)  # pyright: ignore[reportArgumentType]
    assert list(found) == [rate.name for rate in RATES]
    for one in found.values():
        assert 0 <= one.low <= one.value <= one.high <= 1
    # Published for this program with three players, 200 games: 0.404 and 0.482.
    assert found["communicativeness"].low < 0.404 < found["communicativeness"].high
    assert found["information per play"].low < 0.482 < found["information per play"].high


def test_seats_can_be_looked_at_alone(recorded: Episodes, moves: Moves):
    parts = [style(recorded.game, moves, [seat]) for seat in range(3)]  # pyright: ignore[reportArgumentType]
    whole = style(recorded.game, moves)  # pyright: ignore[reportArgumentType]
    assert sum(part["plays"].n for part in parts) == whole["plays"].n


def test_no_occasion_is_not_a_rate_of_zero(small: Episodes, recorded: Episodes, moves: Moves):
    none = style(recorded.game, moves._replace(kind=np.zeros_like(moves.kind)))  # pyright: ignore[reportArgumentType]
    assert np.isnan(none["information per play"].value)
    assert none["information per play"].n == 0
    assert np.isfinite(features(small).values).all()


def test_what_follows_what_is_counted_in_pairs(recorded: Episodes, moves: Moves):
    table = action_table(recorded.game, moves)  # pyright: ignore[reportArgumentType]
    assert table.labels[:2] == ("discard 1", "discard 2")
    assert table.labels[-6:] == ("hint B", "hint 1", "hint 2", "hint 3", "hint 4", "hint 5")
    assert table.pairs.sum() == recorded.lengths.sum() - len(recorded)
    assert table.moves.sum() == recorded.lengths.sum()
    rows = table.given[table.pairs.sum(1) > 0]
    assert rows.sum(1) == pytest.approx(1)
    first, second = recorded.actions[0, :2]
    assert table.pairs[_row(recorded, first), _row(recorded, second)] >= 1
    kinds = kind_table(moves)
    assert kinds.pairs.sum() == table.pairs.sum()
    assert kinds.pairs[1].sum() == table.pairs[5:10].sum()  # plays


def _row(episodes: Episodes, action: int) -> int:
    parts = split(episodes.game, int(action))  # pyright: ignore[reportArgumentType]
    start = {"discard": 0, "play": 5, "color": 10, "rank": 15}[parts.kind]
    return start + max(parts.slot, 0) + max(parts.value, 0)


def test_a_convention_player_follows_them_and_a_stranger_does_not(recorded: Episodes):
    read = readings(recorded, 6)
    found = adherence(read)
    assert found.games == 6
    assert found.moves == recorded.lengths[:6].sum() == sum(found.labels.values())
    assert found.share.value == pytest.approx(np.mean([not row.violations for row in read]))
    assert found.share.value > 0.8
    assert adherence(read, seats=[0]).moves < found.moves
    stranger = np.load(GOLDEN / "smartbot.npz")
    decks = stranger["decks"][..., 0] * 5 + stranger["decks"][..., 1]
    moves = [
        move for deck, line in zip(decks, stranger["actions_2p"], strict=True) for move in read_game(deck, line, 2)
    ]
    assert np.mean([not move.violations for move in moves]) < found.share.low


def test_conventions_are_for_standard_games(small: Episodes):
    with pytest.raises(MeasureError, match="not standard Hanabi"):
        readings(small)


def test_kitchen_events_are_those_of_the_engine():
    game = coplay.make("overcooked", layout="cramped_room", horizon=30)
    episodes = coplay.play(game, "random", games=3, seed=0, engine="lockstep")
    counts = event_counts(episodes)
    states, total, everybody = episodes.starts, 0, np.ones(3, bool)
    for turn in range(30):
        step = _step(game, states, jnp.asarray(episodes.actions[:, turn], jnp.int32), everybody)
        states, total = step.state, total + np.asarray(step.events.flags, np.int64)
    np.testing.assert_array_equal(counts, total)
    assert features(episodes).values == pytest.approx(counts.mean((0, 1)))


def test_the_map_keeps_distances_and_forgets_what_nobody_differs_in():
    rows = np.array([[0.0, 0, 7], [4, 0, 7], [0, 2, 7], [4, 2, 7]])
    found = pool_map(rows)
    assert found.explained.sum() == pytest.approx(1)
    assert np.abs(found.axes[:, 2]).max() == 0
    apart = np.linalg.norm(found.places[:, None] - found.places[None], axis=-1)
    assert apart[0, 1] == pytest.approx(apart[0, 2]) == pytest.approx(2)  # both columns count the same
    with pytest.raises(MeasureError, match="two members"):
        pool_map(rows[:1])


def test_a_pool_has_a_map_distances_and_a_most_diverse_subset(pool: PoolBehaviour):
    assert [member.name for member in pool.members] == ["random", "simplebot"]
    assert pool.map is not None
    assert pool.distance is not None
    assert pool.distance[1, 1] == 0  # it never draws its moves
    assert 0.3 < pool.distance[1, 0] <= 1
    assert 0.3 < pool.distance[0, 0] <= 1
    assert [row.size for row in pool.curve] == [1, 2]
    assert pool.diversity == pool.curve[-1].diversity > 0
    assert pool.members[0].conventions is None  # the reader knows the standard game only


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"agents": ["simplebto"]}, "Did you mean 'simplebot'"),
        ({"agents": ["hatbot"]}, "hatbot"),
        ({"agents": ["random", "random"]}, "two agents are called random"),
        ({"agents": []}, "nobody to look at"),
        ({"games": 0}, "games must be a whole number of at least 1; got 0"),
    ],
)
def test_mistakes_are_told(changed: dict[str, object], words: str):
    settings = {"agents": ["random"], "games": 2} | changed
    with pytest.raises((MeasureError, AgentError), match=words):
        behaviour(coplay.make("hanabi-very-small"), **settings)  # pyright: ignore[reportArgumentType]


def test_recordings_of_another_game_are_refused(recorded: Episodes):
    with pytest.raises(MeasureError, match="holds games of hanabi for 3"):
        behaviour(coplay.make("hanabi", players=2), [], recorded={"people": recorded})
