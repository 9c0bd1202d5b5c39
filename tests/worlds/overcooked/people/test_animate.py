"""Episodes become pages and animations that show every step."""

from __future__ import annotations

import functools
import json
import re

import jax
import numpy as np
import pytest
from PIL import Image

from coplay.game import GameError
from coplay.worlds.overcooked import Overcooked, State
from coplay.worlds.overcooked.people.animate import kitchen_gif, kitchen_png, replay_html, replay_states
from tests.worlds.overcooked.kitchens import DISH, INTERACT, NORTH, SOUP, SOUTH, STAY, make, same, step


@functools.cache
def served() -> tuple[Overcooked, State, tuple[tuple[int, int], ...]]:
    """Seat 0 plates a ready soup, and seat 1 walks about."""
    game = make(horizon=12)
    start = game.place([(2, 1), (1, 2)], [0, 1], [DISH, 0], objects={(2, 0): (SOUP, 3, 0, 20)})
    carry = [INTERACT, SOUTH, 2, SOUTH, INTERACT, STAY]
    return game, start, tuple(zip(carry, [NORTH, SOUTH, STAY, NORTH, SOUTH, STAY], strict=True))


def test_an_episode_has_one_state_more_than_actions():
    game, start, actions = served()
    states = replay_states(game, start, actions)
    assert len(states) == len(actions) + 1
    assert int(states[-1].score) == 20
    assert same(game.snapshot(states[1]), game.snapshot(step(game, start, *actions[0]).state))
    padded = np.vstack([actions, np.full((3, 2), -1)])  # as `coplay.play` fills up shorter games
    assert len(replay_states(game, start, padded)) == len(states)
    with pytest.raises(GameError, match=r"give \[steps, 2\]"):
        replay_states(game, start, [[0, 1, 2]])


def test_a_page_is_self_contained_and_holds_every_step():
    game, start, actions = served()
    page = replay_html(game, start, actions, names=["</script><b>", "b"])
    assert "</script><b>" not in page
    assert not re.findall(r"(?:src|href)=|https?://(?!www\.w3\.org/2000/svg)", page)
    assert not re.findall("<!--[A-Z]+-->", page)
    found = re.search(r'id="episode">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    story = json.loads(found[1])
    assert len(story["frames"]) == len(actions) + 1
    assert story["points"] == [0, 0, 0, 0, 0, 20, 0]
    assert len(story["captions"]) == len(actions) + 1
    assert story["captions"][0] == "start"
    assert max(max(frame) for frame in story["frames"]) == len(story["parts"]) - 1
    shown = "".join(story["parts"][part] for part in story["frames"][-1])
    assert ">20<" in shown
    assert ">step 6 of 12<" in shown


def test_a_gif_moves_and_a_png_is_a_frame(tmp_path):
    game, start, actions = served()
    states = replay_states(game, start, actions)
    kitchen_gif(game, states, tmp_path / "a.gif", ["a", "b"])
    with Image.open(tmp_path / "a.gif") as gif:
        assert getattr(gif, "n_frames", 1) == len(states)
        size = gif.size
    kitchen_png(game, states[0], tmp_path / "a.png", ["a", "b"])
    with Image.open(tmp_path / "a.png") as png:
        assert png.size == (2 * size[0], 2 * size[1])
    with pytest.raises(GameError, match="at least one state"):
        kitchen_gif(game, [], tmp_path / "b.gif")
    with pytest.raises(GameError, match="speed=0"):
        kitchen_gif(game, states, tmp_path / "b.gif", speed=0)


def test_a_start_alone_makes_a_page():
    game = make(layout="centre_pots")
    page = replay_html(game, game.reset(jax.random.key(0)), np.zeros((0, 2), np.int32))
    assert "centre_pots" in page
