"""A person at the keyboard plays the match that agents would play; matches are drawn, told and played back."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import jax.numpy as jnp
import pytest
from rich.console import Console

import coplay
from coplay.game import GameError
from coplay.report.replay import page, terminal_frames
from coplay.worlds.football.actions import NUM_ACTIONS, action_text, mirrored
from coplay.worlds.football.people.play import play_football
from tests.worlds.football.matches import placed, small, start_of


def sit(keys: str, **settings):
    """A match with scripted keys; all that was shown, as one text."""
    pressed, shown = iter(keys), []

    def read(timeout: float | None) -> str:
        try:
            return next(pressed)
        except StopIteration:
            raise EOFError from None

    return play_football(small(), "supporter", read_key=read, output=shown.append, **settings), "\n".join(shown)


@pytest.fixture(scope="module")
def episodes():
    return coplay.play(small(), "supporter", games=1, seed=1, progress=False)


def test_keys_run_on_for_four_steps_and_the_match_ends():
    match, shown = sit("dwa.sg", seed=3)
    assert match.finished
    played = match.episodes.actions[0, :, 0].tolist()
    assert played[:13] == [0, *[1] * 4, *[7] * 4, *[5] * 4]
    assert "Full time: blue" in shown
    again = coplay.play(small(), ["supporter"] * 4, games=1, seed=3, progress=False)
    assert (match.episodes.actions[0, 0] == again.actions[0, 0]).all()


def test_leaving_keeps_what_was_played():
    match, shown = sit("d?x", seed=3)
    assert not match.finished
    assert len(match.episodes.actions[0]) == 5
    assert "shoot at the goal" in shown
    assert "You left at blue 0 : 0 red." in shown


def test_what_cannot_be_done_is_said_and_not_done():
    match, shown = sit("t" + "l" + "p", seed=3)
    assert "'l' does nothing here" in shown
    assert match.episodes.forfeits == ()


def test_a_speed_needs_single_keys():
    with pytest.raises(GameError, match="speed=90"):
        sit("", speed=90)


def test_a_match_is_a_page(episodes):
    told = page(episodes, 0)
    svg = re.search(r"<svg.*?</svg>", told, re.DOTALL)
    assert svg is not None
    ElementTree.fromstring(svg[0])
    assert "full time" in told
    assert "http" not in told.replace("http://www.w3.org", "")


def test_a_match_is_played_back_in_the_terminal(episodes):
    frames = list(terminal_frames(episodes, 0))
    assert len(frames) == 26
    console = Console(width=90, color_system=None)
    with console.capture() as capture:
        console.print(frames[0])
    text = capture.get()
    assert text.startswith("blue 0 : 0 red   line-up")
    assert all(len(line) <= 61 for line in text.splitlines()[1:22])


def test_a_picture_shows_everybody_and_a_view_only_whom_it_sees():
    state = placed(start_of(), goals=[1, 2])
    picture = coplay.show(small(), state).svg
    assert picture.count('href="#p') == 4
    assert "blue 1 : 2 red" in picture
    spec = "football?players=2&half=12&sight=2"
    narrow = small(spec).view(placed(start_of(spec), x=[0, 3000, -3000, 3000]), 0)
    assert narrow._repr_svg_().count('href="#p') == 1


def test_actions_read_as_words():
    assert action_text(0) == "stay"
    assert action_text(3) == "run S"
    assert action_text(9) == "pass 0°"
    assert action_text(26) == "shoot 22°"
    assert [mirrored(mirrored(action)) for action in range(NUM_ACTIONS)] == list(range(NUM_ACTIONS))
    with pytest.raises(GameError, match="actions are 0 to 41"):
        action_text(42)


def test_the_view_of_the_other_side_is_drawn_turned():
    state = start_of()
    assert int(small().view(state, 1).x[0]) == -int(jnp.asarray(state.bodies.x)[1])
