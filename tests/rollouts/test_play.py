"""Seating a team and playing games, compiled or in lock-step."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.rollouts.episode import Episodes, forfeited_score

GAME: Any = coplay.make("hanabi-small", life_tokens=3)


class FirstLegal(coplay.Agent):
    """Takes the legal action with the lowest id."""

    name = "first legal"

    def act(self, view: Any) -> int:
        return int(np.flatnonzero(view.legal)[0])


class FirstLegalPolicy(eqx.Module):
    """The same as a pure policy."""

    name: str = eqx.field(static=True, default="first legal")
    hears = "own"

    def start(self) -> None:
        return None

    def act(self, memory: None, view: Any, key: Any) -> tuple[None, Any]:
        return memory, jnp.argmax(view.legal)


class Counting(eqx.Module):
    """Plays by the number of times it was called, which tells whether its memory advances when it should."""

    hears: Any = eqx.field(static=True)
    name: str = eqx.field(static=True, default="counting")

    def start(self) -> Any:
        return jnp.int32(0)

    def act(self, memory: Any, view: Any, key: Any) -> tuple[Any, Any]:
        legal = view.legal
        wanted = memory % jnp.maximum(legal.sum(), 1)
        return memory + 1, jnp.argmax(legal & (jnp.cumsum(legal) == wanted + 1))


class CountingAgent(coplay.Agent):
    """The plain twin of Counting."""

    name = "counting"

    def __init__(self, hears: Any) -> None:
        self.hears = hears

    def reset(self, seat: int, players: int) -> None:
        self.calls = 0

    def act(self, view: Any) -> int:
        options = np.flatnonzero(view.legal)
        self.calls += 1
        return int(options[(self.calls - 1) % len(options)])

    def watch(self, view: Any) -> None:
        self.calls += 1


def same_games(a: Episodes, b: Episodes) -> None:
    np.testing.assert_array_equal(a.decks, b.decks)
    width = min(a.actions.shape[1], b.actions.shape[1])
    np.testing.assert_array_equal(a.actions[:, :width], b.actions[:, :width])
    np.testing.assert_array_equal(a.lengths, b.lengths)
    np.testing.assert_array_equal(a.scores, b.scores)


def test_policies_and_plain_agents_play_the_same_games():
    compiled = coplay.play(GAME, [FirstLegalPolicy(), FirstLegalPolicy()], games=20, seed=3)
    mixed = coplay.play(GAME, [FirstLegalPolicy(), FirstLegal()], games=20, seed=3)
    same_games(compiled, mixed)


@pytest.mark.parametrize("hears", ["own", "every"])
def test_memory_advances_when_the_policy_says_so(hears: str):
    compiled = coplay.play(GAME, Counting(hears), games=10, seed=1)
    hosted = coplay.play(GAME, CountingAgent(hears), games=10, seed=1)
    same_games(compiled, hosted)


def test_the_two_ways_of_memory_differ():
    own = coplay.play(GAME, Counting("own"), games=10, seed=1)
    every = coplay.play(GAME, Counting("every"), games=10, seed=1)
    assert (own.lengths != every.lengths).any()


def test_random_choices_do_not_depend_on_the_engine():
    scan = coplay.play(GAME, "random", games=30, seed=5)
    lockstep = coplay.play(GAME, "random", games=30, seed=5, engine="lockstep")
    same_games(scan, lockstep)


def test_every_team_meets_the_same_deals_and_more_games_keep_the_first():
    few = coplay.play(GAME, "random", games=4, seed=9)
    many = coplay.play(GAME, FirstLegalPolicy(), games=30, seed=9)
    np.testing.assert_array_equal(few.decks, many.decks[:4])
    assert (coplay.play(GAME, "random", games=4, seed=10).decks != few.decks).any()


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch):
    whole = coplay.play(GAME, "random", games=25, seed=2)
    import coplay.rollouts.play as module

    monkeypatch.setattr(module, "CHUNK", 7)
    same_games(whole, coplay.play(GAME, "random", games=25, seed=2))


def test_given_decks_are_played_once_each():
    first = coplay.play(GAME, "random", games=6, seed=4)
    again = coplay.play(GAME, FirstLegalPolicy(), decks=first.decks)
    np.testing.assert_array_equal(again.decks, first.decks)
    assert len(again) == 6


def test_actions_replay_to_the_score():
    result = coplay.play(GAME, "random", games=5, seed=0)
    for g in range(5):
        state = GAME.deal(result.decks[g])
        for action in result.actions[g, : result.lengths[g]]:
            state = GAME.step(state, jnp.full(2, action)).state
        assert state.done
        assert GAME.score(state) == result.scores[g]
        assert (result.actions[g, result.lengths[g] :] == -1).all()


class Crashing(FirstLegal):
    name = "crashing"

    def act(self, view: Any) -> int:
        if view.deck_size < 15:
            raise RuntimeError("no more cards for me")
        return super().act(view)


class Returns(FirstLegal):
    name = "odd"

    def __init__(self, value: Any) -> None:
        self.value = value

    def act(self, view: Any) -> int:
        return self.value


class IllegalPolicy(FirstLegalPolicy):
    """Discards with all tokens in hand, which is illegal."""

    def act(self, memory: None, view: Any, key: Any) -> tuple[None, Any]:
        return memory, jnp.int32(0)


def test_a_crashing_agent_forfeits_its_game_and_the_others_go_on():
    result = coplay.play(GAME, [Crashing(), FirstLegalPolicy()], games=12, seed=0)
    assert len(result) == 12
    assert 0 < len(result.forfeits) <= 12
    forfeit = result.forfeits[0]
    assert forfeit.agent == "crashing"
    assert "no more cards for me" in str(forfeit)
    assert "hand" in str(forfeit).lower()  # the view as text
    assert result.scores[forfeit.game] == 0


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (999, "ids run from 0 to 10"),
        (10**30, "ids run from 0 to 10"),
        (-1, "ids run from 0 to 10"),
        (0, "not legal here"),
        (2.5, "whole number"),
        (None, "TypeError"),
        ("play", "invalid literal"),
    ],
)
def test_an_impossible_action_forfeits_with_a_clear_reason(value: Any, words: str):
    result = coplay.play(GAME, [Returns(value), "random"], games=2, seed=0)
    assert [forfeit.game for forfeit in result.forfeits] == [0, 1]
    assert words in str(result.forfeits[0])
    assert result.forfeits[0].turn == 0


def test_an_illegal_policy_forfeits_too():
    result = coplay.play(GAME, [IllegalPolicy(), "random"], games=3, seed=0)
    assert len(result.forfeits) == 3
    assert "action 0 is not legal here" in str(result.forfeits[0])
    assert (result.lengths == 0).all()


class Debts(type(coplay.make("file:tests/own/levers.py:Levers").own)):
    """Every round costs a point, whatever is pulled."""

    def step(self, state: Any, actions: Any) -> Any:
        after, _, over = super().step(state, actions)
        return after._replace(points=state.points - 1), -1.0, over


class LeavesInRoundTwo:
    def act(self, view: Any) -> int:
        return 99 if view.round == 2 else 0


class BreaksInRoundTwo(FirstLegalPolicy):
    def act(self, memory: None, view: Any, key: Any) -> tuple[None, Any]:
        return memory, jnp.where(view["round"] == 2, 99, 0)


@pytest.mark.parametrize("leaver", [LeavesInRoundTwo, BreaksInRoundTwo])
def test_whoever_leaves_a_game_loses_what_was_lost(leaver: type):
    result = coplay.play(Debts(), [leaver(), "random"], games=2)
    assert len(result.forfeits) == 2
    assert result.scores.tolist() == [-2, -2]


def test_a_game_that_was_won_so_far_counts_nothing_if_it_is_left():
    assert forfeited_score(7.5) == 0


def test_a_team_of_the_wrong_size_is_refused():
    with pytest.raises(coplay.AgentError, match=r"seats 2 players but the team has 3 \(random, random, first legal\)"):
        coplay.play(GAME, ["random", "random", FirstLegal()])


@pytest.mark.parametrize("games", [0, -3, 1.5, "many"])
def test_an_impossible_number_of_games_is_refused(games: Any):
    with pytest.raises(coplay.GameError, match="at least 1 game"):
        coplay.play(GAME, "random", games=games)


def test_impossible_decks_are_refused_before_anything_is_played():
    decks = coplay.play(GAME, "random", games=2).decks
    decks[1, 0] = decks[1, 1]
    decks[1, 2] = decks[1, 1]
    decks[1, 3] = decks[1, 1]
    with pytest.raises(coplay.GameError, match="impossible deck"):
        coplay.play(GAME, "random", decks=decks)
    with pytest.raises(coplay.GameError, match="each deck is played once"):
        coplay.play(GAME, "random", games=5, decks=decks)


def test_given_decks_start_with_the_seat_the_game_names():
    decks = coplay.play(coplay.make("hanabi-small"), "random", games=2, seed=0).decks
    result = coplay.play(coplay.make("hanabi-small", start_player=1), "random", decks=decks, seed=0)
    assert (np.asarray(result.starts.seat) == 1).all()


def test_chosen_deals_are_those_of_their_numbers():
    whole = coplay.play(GAME, "random", games=6, seed=4, engine="lockstep")
    some = coplay.play(GAME, "random", deals=[5, 0, 3], seed=4, engine="lockstep")
    assert some.scores.tolist() == whole.scores[[5, 0, 3]].tolist()
    assert (some.decks == whole.decks[[5, 0, 3]]).all()
    for row, number in enumerate([5, 0, 3]):
        length = whole.lengths[number]
        assert some.actions[row, :length].tolist() == whole.actions[number, :length].tolist()


@pytest.mark.parametrize("deals", [[], [-1], [0.5], [[1]]])
def test_numbers_of_deals_are_checked(deals: Any):
    with pytest.raises(coplay.GameError, match="give numbers of games"):
        coplay.play(GAME, "random", deals=deals)
