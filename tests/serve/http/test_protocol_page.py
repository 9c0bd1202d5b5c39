"""What docs/protocol.md says of actions and views is what the server sends."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from coplay.games import make
from coplay.serve.http.hello import action_names
from coplay.views.packed import view_record

PAGE = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text()


def _section(title: str) -> str:
    return PAGE.split(f"### {title}\n")[1].split("\n## ")[0].split("\n### ")[0]


def _fields(title: str) -> set[str]:
    rows = re.findall(r"^\| (`.*?) \|", _section(title), re.M)
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def _of(record: dict[str, Any]) -> set[str]:
    """The names of a view's fields, those of cards and of the last move too."""
    found = set(record)
    for hand in record.get("hands", [[]]):
        found |= {f"hands[][].{name}" for card in hand if card for name in card}
    return found | {f"last.{name}" for name in record.get("last") or {}}


@pytest.mark.parametrize(
    ("title", "spec"),
    [
        ("Hanabi", "hanabi?players=2"),
        ("Kitchens", "overcooked?layout=cramped_room"),
        ("Football", "football?per_side=2"),
    ],
)
def test_the_page_names_every_action_and_every_field(title: str, spec: str) -> None:
    game = make(spec)
    (listed,) = re.findall(r"```json\n(.*?)```", _section(title), re.S)
    assert json.loads(listed) == action_names(game)
    state = game.reset(jax.random.key(0))
    state = game.step(state, jnp.full(game.players, 5 if title == "Hanabi" else 4))[0]
    record = json.loads(json.dumps(view_record(game, jax.device_get(game.view(state, 0)))))
    assert _fields(title) - {"view", "discard", "play", "color", "rank"} == _of(record)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_order_of_hanabis_ids_is_as_the_page_says(players: int) -> None:
    game = make(f"hanabi?players={players}")
    slots, others = range(1, game.hand_size + 1), range(1, players)
    names = [f"discard slot {slot}" for slot in slots] + [f"play slot {slot}" for slot in slots]
    names += [
        f"hint player +{who} colour {color}" for who in others for color in ("red", "yellow", "green", "white", "blue")
    ]
    names += [f"hint player +{who} rank {rank}" for who in others for rank in range(1, 6)]
    assert action_names(game) == names


def test_a_move_in_a_view_is_what_was_played() -> None:
    game = make("hanabi?players=3")
    state = game.reset(jax.random.key(0))
    for kind, ids in (("color", range(10, 15)), ("rank", range(20, 25)), ("play", [7]), ("discard", [0])):
        mover = int(jnp.argmax(game.turn(state)))
        legal = game.legal(game.view(state, mover))
        action = next(id for id in ids if legal[id])
        state = game.step(state, jnp.full(3, action))[0]
        last = json.loads(json.dumps(view_record(game, jax.device_get(game.view(state, 0)))["last"]))
        hint = [kind, -1, 1, action - ids[0]]
        assert last["action"] == {"play": ["play", 2, -1, -1], "discard": ["discard", 0, -1, -1]}.get(kind, hint)
        assert last["actor"] == mover
