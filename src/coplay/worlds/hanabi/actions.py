"""Action ids in plain integers: taken apart for words and pictures, put together for people and other formats.

The ids are the reference engine's: discards by slot, plays by slot, then colour hints and rank hints by target, counted
from the acting seat. `rules.decode` is the same table for arrays.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Literal, NamedTuple

from coplay.game import GameError

if TYPE_CHECKING:
    from coplay.worlds.hanabi.settings import Hanabi

Kind = Literal["discard", "play", "color", "rank"]


class Action(NamedTuple):
    """What an action id means; fields that do not apply are -1."""

    kind: Kind
    slot: int = -1  # of the card played or discarded
    offset: int = -1  # of the hinted player, counted from the actor: 1 is the next player
    value: int = -1  # the hinted colour or rank, from 0


def split(game: Hanabi, action: int) -> Action:
    """The parts of an action id."""
    action = whole_number("action", action, game.num_actions)
    size, others = game.hand_size, game.players - 1
    if action < size:
        return Action("discard", slot=action)
    if action < 2 * size:
        return Action("play", slot=action - size)
    hint = action - 2 * size
    if hint < others * game.hint_colors:
        return Action("color", offset=1 + hint // game.hint_colors, value=hint % game.hint_colors)
    hint -= others * game.hint_colors
    return Action("rank", offset=1 + hint // game.ranks, value=hint % game.ranks)


def join(game: Hanabi, action: Action) -> int:
    """The id of an action; the inverse of `split`."""
    size, others = game.hand_size, game.players - 1
    if action.kind == "discard":
        return action.slot
    if action.kind == "play":
        return size + action.slot
    if action.kind == "color":
        return 2 * size + (action.offset - 1) * game.hint_colors + action.value
    return 2 * size + others * game.hint_colors + (action.offset - 1) * game.ranks + action.value


def whole_number(what: str, value: object, count: int) -> int:
    """`value` as an int below `count`; anything else is a GameError that says what would have been right."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = -1
    if isinstance(value, bool) or not 0 <= number < count:
        raise GameError(f"{what}={value!r}: this game takes whole numbers from 0 to {count - 1}.")
    return number
