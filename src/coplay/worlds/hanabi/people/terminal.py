"""Pictures of a Hanabi table as coloured text, for `rich.print`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from coplay.worlds.hanabi.people.draw import BACK, FELT, LIGHT, label, short_names
from coplay.worlds.hanabi.people.table import Card, Table, read_state, read_view
from coplay.worlds.hanabi.people.words import Names, card_text, move_text, turn_text

if TYPE_CHECKING:
    from coplay.worlds.hanabi.rules import State
    from coplay.worlds.hanabi.settings import Hanabi
    from coplay.worlds.hanabi.variants import Suit
    from coplay.worlds.hanabi.view import View

NAME_ROOM = 12  # keeps the full game within 80 columns
ACTIVE = "bold magenta"  # reads on light and dark terminals


def table_terminal(view: View, names: Names = None) -> Group:
    """The table as the view's seat sees it, for `rich.print`."""
    return _table(read_view(view), short_names(view.game, names, NAME_ROOM))


def state_terminal(game: Hanabi, state: State, names: Names = None, seat: int = 0) -> Group:
    """The table with all hands open, for `rich.print`."""
    return _table(read_state(game, state, seat), short_names(game, names, NAME_ROOM))


def _table(table: Table, names: Names) -> Group:
    game = table.game
    lines = [_board(table), _discards(table), Text()]
    cell = game.colors + game.ranks + 2
    labels = [_label(table, position, names) for position in range(game.players)]
    indent = max(len(text) for text in labels) + 4
    header = Text(" " * indent + "".join(f"slot {slot + 1}".ljust(cell) for slot in range(game.hand_size)), "dim")
    lines.append(header)
    for position in [*range(1, game.players), 0]:
        active = position == table.to_move and not table.done
        faces = Text(("▶ " if active else "  ") + labels[position].ljust(indent - 2), ACTIVE if active else "bold")
        known = Text(" " * indent)
        for slot, card in enumerate(table.hands[position]):
            marked = table.last is not None and table.last.target == position and slot in table.last.touched
            faces.append_text(_padded(_card(game, card, marked), cell))
            known.append_text(_padded(_knowledge(game, card), cell))
        lines += [faces, known]
    lines.append(Text())
    lines.append(Text(move_text(table, table.last, names) if table.last else "No move yet."))
    lines.append(Text(turn_text(table, names), ACTIVE))
    return Group(*lines)


def _label(table: Table, position: int, names: Names) -> str:
    name, addition = label(table, position, names)
    return name if names is None or not addition else f"{name} ({addition})"


def _paint(suit: Suit) -> str:
    """The colour as a card."""
    return f"bold {suit.ink} on {suit.fill}"


def _ink(suit: Suit) -> str:
    """The colour as a letter, on the table's own ground, since white is no ink on a white terminal."""
    return f"bold {suit.fill} on {FELT}"


def _padded(text: Text, width: int) -> Text:
    return Text.assemble(text, " " * (width - text.cell_len))


def _card(game: Hanabi, card: Card | None, marked: bool) -> Text:
    if card is None:
        return Text("--", "dim")
    if card.face is not None:
        text = Text(f" {card_text(game, card.face)} ", _paint(game.suits[card.face // game.ranks]))
    else:
        known = game.suits[card.colors[0]] if len(card.colors) == 1 and game.colors > 1 else None
        rank = str(card.ranks[0] + 1) if len(card.ranks) == 1 and game.ranks > 1 else "?"
        style = f"bold {LIGHT} on {BACK}" if known is None else _paint(known)
        text = Text(f" {'?' if known is None else known.letter}{rank} ", style)
    return Text.assemble(text, (" ◀", ACTIVE)) if marked else text


def _knowledge(game: Hanabi, card: Card | None) -> Text:
    """Colours and ranks that hints leave open; underlined if a hint named it."""
    text = Text()
    if card is None:
        return text
    for color, suit in enumerate(game.suits):
        sign = suit.letter if color in card.colors else "·"
        style = _ink(suit) + (" underline" if card.color_told else "")
        text.append(sign, style if color in card.colors else f"dim {LIGHT} on {FELT}")
    text.append(" ")
    for rank in range(game.ranks):
        sign = str(rank + 1) if rank in card.ranks else "·"
        text.append(sign, ("bold underline" if card.rank_told else "bold") if rank in card.ranks else "dim")
    return text


def _board(table: Table) -> Text:
    game = table.game
    text = Text("Fireworks ")
    for suit, height in zip(game.suits, table.stacks, strict=True):
        text.append(f" {suit.letter}{height or '-'} ", _paint(suit) if height else _ink(suit))
        text.append(" ")
    text.append(f" score {table.score}/{game.max_score}", "bold")
    text.append(f"  hints {table.info}/{game.info_tokens}  lives {table.lives}/{game.life_tokens}  deck {table.deck}")
    return text


def _discards(table: Table) -> Text:
    text = Text("Discards  ")
    for suit, pile in zip(table.game.suits, table.discards, strict=True):
        for rank, count in enumerate(pile):
            if count:
                text.append(f"{suit.letter}{rank + 1}" + (f"x{count}" if count > 1 else ""), _ink(suit))
                text.append(" ")
    if not any(map(any, table.discards)):
        text.append("none", "dim")
    return text
