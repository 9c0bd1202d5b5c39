"""A person at the keyboard cooks by the same rules, with the same partners, and the terminal is left as it was."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable

import pytest

from coplay.game import GameError
from coplay.player import AgentError
from coplay.rollouts.people.keyboard import has_keys, keyboard
from coplay.rollouts.play import play
from coplay.worlds.hanabi.people.play import Partners
from coplay.worlds.overcooked import Overcooked
from coplay.worlds.overcooked.people.play import KEYS, Shift, play_overcooked

GAME = Overcooked(horizon=8)
KEY_OF = {action: key for key, action in KEYS.items()}


def sit(
    keys: Iterable[str | None], partners: Partners = "random", game: Overcooked = GAME, **settings
) -> tuple[Shift, str]:
    """A game with scripted keys; all that was shown, as one text."""
    pressed, shown = iter(keys), []

    def read(timeout: float | None) -> str | None:
        try:
            return next(pressed)
        except StopIteration:
            raise EOFError from None

    return play_overcooked(game, partners, read_key=read, output=shown.append, **settings), "\n".join(shown)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_person_who_moves_like_an_agent_gets_the_agents_game(seat):
    episodes = play(GAME, "random", games=1, seed=3, progress=False)
    joint = episodes.actions[0].tolist()
    shift, shown = sit([KEY_OF[row[seat]] for row in joint], seat=seat, seed=3)
    assert shift.finished
    assert shift.actions == tuple(map(tuple, joint))
    assert shift.score == episodes.scores[0]
    assert "Final score: 0." in shown
    assert "Step 8 of 8" in shown


def test_other_keys_change_nothing_and_are_explained():
    shift, shown = sit(["x", "?", "", "W", "q"])
    assert not shift.finished
    assert [joint[0] for joint in shift.actions] == [0]
    assert "'x' does nothing here; ? helps, q leaves." in shown
    assert "use what you face" in shown
    assert "you: north, random:" in shown
    assert "You left at 0 points." in shown


def test_arrows_letters_and_space_mean_the_six_actions():
    shift, _ = sit(["up", "down", "right", "left", ".", " ", "e", "q"])
    assert [joint[0] for joint in shift.actions] == [0, 1, 2, 3, 4, 5, 5]


def test_with_a_clock_the_last_key_before_the_tick_counts_and_none_means_waiting():
    shift, _ = sit([None, "up", "down", None, "left", None, "q"], speed=20)
    assert [joint[0] for joint in shift.actions] == [4, 1, 3]


def test_a_kitchen_of_ones_own_and_three_chefs():
    alone, _ = sit(["up", "q"], [], Overcooked(layout="cramped_room", chefs=1))
    assert alone.actions == ((0,),)
    three, shown = sit(["up", "q"], "random", Overcooked(layout="large_room", chefs=3, dynamics="new"), seat=2)
    assert len(three.actions[0]) == 3
    assert three.actions[0][2] == 0
    assert "you" in shown


def test_wrong_settings_are_refused_before_the_game():
    with pytest.raises(GameError, match="seat=2: seats are 0 to 1"):
        sit([], seat=2)
    with pytest.raises(AgentError, match="unknown agent 'randon'"):
        sit([], "randon")
    with pytest.raises(GameError, match="speed=0"):
        sit([], speed=0)


def test_lines_count_as_keys_where_there_is_no_terminal():
    with keyboard(io.StringIO("wa\n \n")) as read:
        assert [read(None) for _ in range(3)] == ["w", "a", " "]
        with pytest.raises(EOFError):
            read(None)
    assert not has_keys(io.StringIO())


def test_a_terminal_sends_single_keys_and_is_left_as_it_was():
    termios = pytest.importorskip("termios")
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    with os.fdopen(theirs) as terminal:
        before = termios.tcgetattr(theirs)
        with keyboard(terminal) as read:
            assert termios.tcgetattr(theirs) != before
            os.write(ours, b"w\x1b[A\x1bOC\x1b[3~q")  # after the switch, which drops what was typed before
            assert [read(0.3) for _ in range(6)] == ["w", "up", "right", "", "q", None]
        assert termios.tcgetattr(theirs) == before
        with pytest.raises(KeyboardInterrupt), keyboard(terminal):
            raise KeyboardInterrupt
        assert termios.tcgetattr(theirs) == before
    os.close(ours)
