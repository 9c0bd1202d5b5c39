"""A person at the keyboard plays by the same rules, with the same partners, and cannot break anything by typing."""

from __future__ import annotations

import re
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from coplay.agents.random import RandomPolicy
from coplay.game import GameError
from coplay.player import Agent, AgentError
from coplay.rollouts.play import play
from coplay.worlds.hanabi import Hanabi
from coplay.worlds.hanabi.people.play import Outcome, play_hanabi
from coplay.worlds.hanabi.recordings.hanablive import from_link, replay

# Small games: what is tested does not depend on their size. Three colours are the fewest that hanab.live plays.
GAME = Hanabi(players=2, colors=3)
TINY = Hanabi(players=2, colors=2, ranks=3, hand_size=2, life_tokens=9)


class FirstLegal(Agent):
    """Takes the legal action with the lowest id, and counts what it is shown."""

    name = "first"
    hears = "every"

    def reset(self, seat: int, players: int) -> None:
        self.acted, self.watched = 0, 0

    def act(self, view) -> int:
        self.acted += 1
        return int(np.flatnonzero(view.legal)[0])

    def watch(self, view) -> None:
        self.watched += 1


class CountingPolicy:
    """Plays its oldest card; its memory counts how often it was asked."""

    name = "counting"

    def __init__(self, hears: str) -> None:
        self.hears = hears

    def start(self):
        return jnp.int32(0)

    def act(self, memory, view, key):
        return memory + 1, jnp.int32(view.game.hand_size)


def sit(lines: list[str], partners: Any = "random", game: Hanabi = TINY, **settings) -> tuple[Outcome, str]:
    """A game with typed lines; all that was shown, as one text."""
    typed, shown = iter(lines), []

    def keyboard(prompt: str) -> str:
        shown.append(prompt)
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    return play_hanabi(game, partners, input=keyboard, output=shown.append, **settings), "\n".join(shown)


def test_a_person_who_moves_like_an_agent_gets_the_agents_game():
    episodes = play(GAME, "random", games=1, seed=11, progress=False)
    length = int(episodes.lengths[0])
    moves = episodes.actions[0, :length].tolist()
    outcome, shown = sit([str(move) for move in moves[0::2]], game=GAME, seed=11)
    assert outcome.finished
    assert outcome.actions == tuple(moves)
    assert outcome.score == episodes.scores[0]
    assert f"Final score: {outcome.score} of 15." in shown
    assert outcome.link is not None
    assert shown.endswith(f"See it on hanab.live: {outcome.link}")
    recording = from_link(outcome.link)
    assert recording.actions == outcome.actions
    assert int(GAME.score(replay(GAME, recording.deck, recording.actions))) == outcome.score


def test_bad_input_changes_nothing_and_is_explained():
    outcome, shown = sit(["", "p9", "d1", "h1 purple", "xyz", "99", "?", "l", "t", "p1", "q"], seed=2)
    assert not outcome.finished
    assert len(outcome.actions) == 2  # one move typed, one answered
    assert outcome.actions[0] == 2
    for help in ("There is no slot 9", "all 8 hint tokens are there", "is no colour", "'xyz' is not a move", "l lists"):
        assert help in shown
    assert "What you can type:" in shown
    assert "  2: play slot 1" in shown
    assert "You left at " in shown
    assert re.search(r"You played \w\d from slot 1", shown)


@pytest.mark.parametrize("leave", [["q"], ["quit"], []])
def test_leaving_before_the_first_move_is_no_error(leave):
    outcome, shown = sit(leave)
    assert outcome[:-1] == (False, 0, (), None)
    assert outcome.episodes.lengths.tolist() == [0]
    assert "hanab.live" not in shown


def test_a_person_may_sit_in_any_seat_with_several_partners():
    game = Hanabi(players=3, colors=2, ranks=3, hand_size=2, life_tokens=9)
    outcome, shown = sit(["p1", "q"], [FirstLegal(), FirstLegal()], game, seat=1)
    assert "Hanabi with first 1, first 2." in shown
    # Seat 0 moved before the person, seats 2 and 0 after it.
    assert len(outcome.actions) == 4
    assert outcome.actions[1] == 2
    assert "human (you)" in shown
    assert "first 1 (+2)" in shown


def test_plain_agents_that_listen_see_every_turn():
    partner = FirstLegal()
    sit(["p1", "p1", "q"], partner)
    assert (partner.acted, partner.watched) == (2, 3)


@pytest.mark.parametrize(("hears", "asked"), [("own", 2), ("every", 5)])
def test_policies_are_asked_as_often_as_they_say(hears, asked, monkeypatch):
    made = []
    from coplay.rollouts.people import person as human

    class Spy(human.Partner):
        def __init__(self, *arguments) -> None:
            super().__init__(*arguments)
            made.append(self)

    monkeypatch.setattr(human, "Partner", Spy)
    sit(["p1", "p1", "q"], CountingPolicy(hears))
    assert int(made[0].memory) == asked


def test_wrong_seats_and_partners_are_refused_before_the_game():
    with pytest.raises(GameError, match="seat=2: seats are 0 to 1"):
        sit([], seat=2)
    with pytest.raises(AgentError, match="2 players need 1 partners beside you, but 2 are given"):
        sit([], ["random", "random"])
    with pytest.raises(AgentError, match="unknown agent 'randon'"):
        sit([], "randon")


def test_a_partner_that_breaks_the_rules_is_named():
    class Cheat(FirstLegal):
        name = "cheat"

        def act(self, view) -> int:
            return 0 if view.legal[0] else 99

    with pytest.raises(AgentError, match="cheat in seat 1: action 99 does not exist"):
        sit(["p1"], Cheat())


def test_partner_objects_are_taken_as_they_are():
    outcome, _ = sit(["p1", "q"], RandomPolicy(TINY))
    assert len(outcome.actions) == 2
