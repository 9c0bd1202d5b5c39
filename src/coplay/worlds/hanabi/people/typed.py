"""A Hanabi move as a person types it: "p3", "d1", "h1 red", or its number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from coplay.worlds.hanabi.actions import Action, join, split
from coplay.worlds.hanabi.people.table import Table
from coplay.worlds.hanabi.people.words import action_text, touched_by

if TYPE_CHECKING:
    from coplay.worlds.hanabi.settings import Hanabi

HELP = """What you can type:
  p3         play the card in slot 3 (slot 1 is your oldest card)
  d1         discard the card in slot 1
  h1 red     hint the next player all red cards; h1 r is the same
  h2 4       hint the player after that all fours; with one partner, h red and h 4 will do
  17         the move with that number in the list of legal moves"""


class Mistake(ValueError):
    """Something typed that is no move; the message says what would be."""


def read_move(table: Table, text: str) -> int:
    """The legal action that a person typed; a Mistake says what is wrong and what to type."""
    action = read_action(table.game, text)
    if action not in table.legal:
        raise Mistake(why_illegal(table, action))
    return action


def read_action(game: Hanabi, text: str) -> int:
    """The action that was typed, whether or not the rules allow it now."""
    words = re.findall(r"[a-z]+|[0-9]+", text[:80].lower())
    words = [word for word in words if word not in ("slot", "player", "colour", "color", "rank", "to")]
    if not words:
        raise Mistake("Type a move such as p1, d1 or h1 red; ? shows them all.")
    verb, rest = words[0], words[1:]
    if verb.isdigit() and not rest:
        if int(verb) >= game.num_actions:
            raise Mistake(f"There is no move {verb}; l lists the moves with their numbers.")
        return int(verb)
    if verb in ("p", "play"):
        return join(game, Action("play", slot=_slot(game, rest, "p")))
    if verb in ("d", "discard"):
        return join(game, Action("discard", slot=_slot(game, rest, "d")))
    if verb in ("h", "hint", "c", "clue"):
        return join(game, _hint(game, rest))
    raise Mistake(f"{text.strip()[:40]!r} is not a move; type p1, d1 or h1 red, or ? for help.")


def why_illegal(table: Table, action: int) -> str:
    """Why the rules refuse an action of the reader on turn, and what is open instead."""
    parts = split(table.game, action)
    what = action_text(table.game, action)
    if parts.kind in ("play", "discard") and table.hands[0][parts.slot] is None:
        return f"You cannot {what}: there is no card in it."
    if parts.kind == "discard":
        return f"You cannot {what}: all {table.info} hint tokens are there. Play a card or give a hint."
    if table.info == 0:
        return f"You cannot {what}: no hint token is left. Play or discard a card."
    if parts.kind in ("color", "rank") and not touched_by(table, parts):
        return f"You cannot {what}: it would touch no card. l lists the hints that do."
    return f"You cannot {what} now; l lists the legal moves."


def _slot(game: Hanabi, words: list[str], verb: str) -> int:
    if len(words) != 1 or not words[0].isdigit():
        raise Mistake(f"Say which slot: {verb}1 to {verb}{game.hand_size}.")
    slot = int(words[0])
    if not 1 <= slot <= game.hand_size:
        raise Mistake(f"There is no slot {slot}; your slots are 1 (oldest) to {game.hand_size}.")
    return slot - 1


def _hint(game: Hanabi, words: list[str]) -> Action:
    partners = game.players - 1
    if partners == 1 and len(words) == 1:
        words = ["1", *words]
    if len(words) != 2 or not words[0].isdigit():
        raise Mistake(f"Say to whom and what: h1 red or h1 2, with 1 (next player) to {partners}, then colour or rank.")
    offset, value = int(words[0]), words[1]
    if not 1 <= offset <= partners:
        raise Mistake(f"There is no player +{offset}; the others are +1 to +{partners}.")
    if value.isdigit():
        if not 1 <= int(value) <= game.ranks:
            raise Mistake(f"There is no rank {value}; ranks are 1 to {game.ranks}.")
        return Action("rank", offset=offset, value=int(value) - 1)
    hinted = game.suits[: game.hint_colors]
    for color, suit in enumerate(hinted):
        if value in (suit.name, suit.letter.lower()):
            return Action("color", offset=offset, value=color)
    colors = ", ".join(
        suit.name if suit.letter == suit.name[0].upper() else f"{suit.name} ({suit.letter.lower()})" for suit in hinted
    )
    raise Mistake(f"{value!r} is no colour of this game; they are {colors} (or their first letters).")
