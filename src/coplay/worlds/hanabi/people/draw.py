"""Pictures of a Hanabi table as static SVG.

The SVG brings its own dark table, so it looks the same on light and dark pages. It has presentation attributes only, no
style sheet, ids or outside fonts, so that any number of them can stand in one page. Colours always come with a letter.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from coplay.worlds.hanabi.people.table import Card, Table, read_state, read_view
from coplay.worlds.hanabi.people.words import Names, card_text, checked_names, move_text, turn_text

if TYPE_CHECKING:
    from coplay.worlds.hanabi.rules import State
    from coplay.worlds.hanabi.settings import Hanabi
    from coplay.worlds.hanabi.variants import Suit
    from coplay.worlds.hanabi.view import View

FELT, PANEL, BACK, EDGE = "#1b2330", "#243042", "#3a475c", "#56657d"
LIGHT, MUTED, GOLD = "#eef2f7", "#93a1b5", "#ffd166"
CARD_WIDTH, CARD_HEIGHT, GAP, MARGIN = 56, 76, 8, 18
HAND_HEIGHT = 158


def table_svg(view: View, names: Names = None) -> str:
    """The table as the view's seat sees it: its own cards face down, with what hints told about them."""
    return _svg(read_view(view), short_names(view.game, names))


def state_svg(game: Hanabi, state: State, names: Names = None, seat: int = 0) -> str:
    """The table with all hands open, for replays, drawn from the side of `seat`."""
    return _svg(read_state(game, state, seat), short_names(game, names))


def label(table: Table, position: int, names: Names) -> tuple[str, str]:
    """How a picture calls a player: a name, and a small addition."""
    seat = table.seat_of(position)
    you = position == 0 and not table.open
    if names is not None:
        place = "you" if you else f"seat {seat}" if table.open else f"+{position}"
        return names[seat], place
    if table.open:
        return f"Seat {seat}", ""
    return ("You" if you else f"Player +{position}"), f"seat {seat}"


def short_names(game: Hanabi, names: Names, room: int = 18) -> Names:
    """The names, checked, and cut where they would not fit."""
    checked_names(game, names)
    return names and [name if len(name) <= room else name[: room - 1] + "…" for name in names]


def _svg(table: Table, names: Names) -> str:
    game = table.game
    columns = 1 if game.players < 4 else 2
    hand_width = game.hand_size * (CARD_WIDTH + GAP) - GAP
    order = [*range(1, game.players), 0]  # the reader sits at the bottom
    rows = -(-len(order) // columns)
    left = columns * (hand_width + 2 * MARGIN)
    body = max(rows * HAND_HEIGHT, _board_height(game))
    width, height = left + _board_width(game) + 3 * MARGIN, body + 2 * MARGIN + 54
    story = move_text(table, table.last, names) if table.last else "No move yet."
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, DejaVu Sans, sans-serif">',
        f"<title>Hanabi table, {game.players} players, score {table.score}</title>",
        f"<desc>{escape(story)} {escape(turn_text(table, names))}</desc>",
        _rect(0, 0, width, height, FELT, radius=14),
    ]
    for place, position in enumerate(order):
        x = MARGIN + (place % columns) * (hand_width + 2 * MARGIN)
        parts += _svg_hand(table, position, names, x, MARGIN + (place // columns) * HAND_HEIGHT)
    parts += _svg_board(table, left + MARGIN, MARGIN)
    parts.append(_text(MARGIN, height - 44, story, size=15))
    parts.append(_text(MARGIN, height - 20, turn_text(table, names), size=15, fill=GOLD, weight=600))
    return "\n".join([*parts, "</svg>\n"])


def _svg_hand(table: Table, position: int, names: Names, x: float, y: float) -> list[str]:
    game, last = table.game, table.last
    name, addition = label(table, position, names)
    active = position == table.to_move and not table.done
    marker = "▶ " if active else ""
    parts = [
        f'<text x="{x}" y="{y + 16}" font-size="15" font-weight="600" fill="{GOLD if active else LIGHT}">'
        f'{marker}{escape(name)}<tspan font-size="12" font-weight="400" fill="{MUTED}" dx="8">{escape(addition)}'
        "</tspan></text>"
    ]
    for slot, card in enumerate(table.hands[position]):
        left, top = x + slot * (CARD_WIDTH + GAP), y + 26
        touched = last is not None and last.target == position and slot in last.touched
        if card is None:
            parts.append(_rect(left, top, CARD_WIDTH, CARD_HEIGHT, "none", stroke=EDGE, dash=True))
            continue
        if card.face is None:
            parts += _svg_hidden(game, card, left, top, touched)
        else:
            parts += _svg_face(game, card.face, left, top, touched)
        parts += _svg_knowledge(game, card, left, top + CARD_HEIGHT + 4)
    return parts


def _svg_face(game: Hanabi, face: int, x: float, y: float, marked: bool = False) -> list[str]:
    color, rank = divmod(face, game.ranks)
    suit = game.suits[color]
    return [
        *_mark(x, y, CARD_WIDTH, CARD_HEIGHT, marked),
        _rect(x, y, CARD_WIDTH, CARD_HEIGHT, suit.fill),
        *_svg_stripes(game, suit, x, y),
        _text(x + 8, y + 19, suit.letter, size=14, fill=suit.ink, weight=700),
        _text(x + CARD_WIDTH / 2, y + 53, str(rank + 1), size=36, fill=suit.ink, weight=700, anchor="middle"),
    ]


def _svg_stripes(game: Hanabi, suit: Suit, x: float, y: float) -> list[str]:
    """On a rainbow card the colours that touch it."""
    if not suit.rainbow:
        return []
    step = (CARD_WIDTH - 12) / game.hint_colors
    fills = [other.fill for other in game.suits[: game.hint_colors]]
    return [_rect(x + 6 + i * step, y + CARD_HEIGHT - 13, step, 8, fill, radius=0) for i, fill in enumerate(fills)]


def _mark(x: float, y: float, width: float, height: float, marked: bool) -> list[str]:
    """A golden frame around what the last move touched, a little apart so that it shows around a yellow card too."""
    return [_rect(x - 3, y - 3, width + 6, height + 6, "none", stroke=GOLD, thick=2, radius=9)] if marked else []


def _svg_hidden(game: Hanabi, card: Card, x: float, y: float, marked: bool) -> list[str]:
    """A card its owner cannot see: coloured and numbered only as far as hints settle it."""
    known = game.suits[card.colors[0]] if len(card.colors) == 1 and game.colors > 1 else None
    rank = str(card.ranks[0] + 1) if len(card.ranks) == 1 and game.ranks > 1 else "?"
    fill, ink = (BACK, LIGHT) if known is None else (known.fill, known.ink)
    parts = [
        *_mark(x, y, CARD_WIDTH, CARD_HEIGHT, marked),
        _rect(x, y, CARD_WIDTH, CARD_HEIGHT, fill, stroke=EDGE, thick=1),
        _rect(x + 5, y + 5, CARD_WIDTH - 10, CARD_HEIGHT - 10, "none", stroke=ink, dash=True, faint=True),
        _text(x + CARD_WIDTH / 2, y + 51, rank, size=32, fill=ink, weight=700, anchor="middle"),
    ]
    if known is not None:
        parts.append(_text(x + 10, y + 22, known.letter, size=14, fill=ink, weight=700))
    return parts


def _svg_knowledge(game: Hanabi, card: Card, x: float, y: float) -> list[str]:
    """Two rows of marks under a card: colours and ranks that hints leave open; on a plate if a hint named it."""
    parts = [_rect(x, y, CARD_WIDTH, 36, PANEL, radius=5)]
    rows = (
        (card.colors, card.color_told, [(suit.letter, suit.fill, suit.ink) for suit in game.suits]),
        (card.ranks, card.rank_told, [(str(rank + 1), LIGHT, FELT) for rank in range(game.ranks)]),
    )
    for row, (possible, told, marks) in enumerate(rows):
        step, middle = CARD_WIDTH / len(marks), y + 10 + row * 16
        wide = min(14, step)
        for i, (sign, fill, ink) in enumerate(marks):
            center = x + (i + 0.5) * step
            if i not in possible:
                parts.append(f'<circle cx="{center:g}" cy="{middle:g}" r="1.5" fill="{EDGE}"/>')
                continue
            if told:
                parts.append(_rect(center - wide / 2, middle - 8, wide, 16, fill, radius=3))
            shown = ink if told else fill
            parts.append(_text(center, middle + 4, sign, size=11, fill=shown, weight=700, anchor="middle"))
    return parts


def _board_width(game: Hanabi) -> int:
    """Room for the stacks, and never less than for five of them."""
    return max(game.colors, 5) * (CARD_WIDTH + GAP) - GAP


def _board_height(game: Hanabi) -> int:
    return 26 + CARD_HEIGHT + 16 + 3 * 26 + 30 + 26 * game.colors + 22


def _svg_board(table: Table, x: float, y: float) -> list[str]:
    game, width = table.game, _board_width(table.game)
    parts = [
        _text(x, y + 16, "Fireworks", size=13, fill=MUTED),
        _text(x + width, y + 16, f"{table.score} / {game.max_score}", size=17, weight=700, anchor="end"),
    ]
    for color, height in enumerate(table.stacks):
        parts += _svg_stack(table, color, height, x + color * (CARD_WIDTH + GAP), y + 26)
    y += 26 + CARD_HEIGHT + 16
    deck = game.num_cards - game.players * game.hand_size
    parts += _svg_gauge("Hint tokens", table.info, game.info_tokens, "#7cc4ff", x, y, width)
    parts += _svg_gauge("Lives", table.lives, game.life_tokens, "#ff7b7b", x, y + 26, width)
    parts += _svg_gauge("Deck", table.deck, max(deck, 1), "#b9c4d4", x, y + 52, width, bar=True)
    y += 3 * 26 + 18
    parts.append(_text(x, y, "Discarded, of all copies", size=13, fill=MUTED))
    parts += _svg_discards(table, x, y + 8)
    legend = "Under a card: what hints allow; boxed: told by a hint."
    return [*parts, _text(x, y + 28 + 26 * game.colors, legend, size=11, fill=MUTED)]


def _svg_stack(table: Table, color: int, height: int, x: float, y: float) -> list[str]:
    game, last = table.game, table.last
    suit = game.suits[color]
    if height == 0:
        return [
            _rect(x, y, CARD_WIDTH, CARD_HEIGHT, "none", stroke=suit.fill, dash=True),
            _text(x + CARD_WIDTH / 2, y + 47, suit.letter, size=24, fill=suit.fill, weight=700, anchor="middle"),
        ]
    scored = last is not None and last.scored and last.face // game.ranks == color
    below = [_rect(x + 2, y + 4, CARD_WIDTH - 4, CARD_HEIGHT, suit.fill, faint=True)] if height > 1 else []
    return below + _svg_face(game, color * game.ranks + height - 1, x, y, scored)


def _svg_gauge(
    name: str, now: int, most: int, fill: str, x: float, y: float, width: float, bar: bool = False
) -> list[str]:
    """A row with a name, a number and as many filled marks as there are tokens."""
    start, room = x + 130, width - 130
    number = str(now) if bar else f"{now} / {most}"
    parts = [
        _text(x, y + 13, name, size=13, fill=MUTED),
        _text(start - 12, y + 13, number, size=13, weight=600, anchor="end"),
    ]
    if bar:
        parts.append(_rect(start, y + 3, room, 11, BACK, radius=5))
        return [*parts, _rect(start, y + 3, room * min(now / most, 1), 11, fill, radius=5)] if now else parts
    step = min(22, room / most)
    for i in range(most):
        look = f'fill="{fill}"' if i < now else f'fill="none" stroke="{EDGE}" stroke-width="1.5"'
        parts.append(f'<circle cx="{start + (i + 0.5) * step:g}" cy="{y + 8.5:g}" r="{step * 0.32:.3g}" {look}/>')
    return parts


def _svg_discards(table: Table, x: float, y: float) -> list[str]:
    game, last = table.game, table.last
    fresh = last.face if last is not None and last.target is None and not last.scored else None
    step = _board_width(game) / game.ranks
    parts = []
    for color, pile in enumerate(table.discards):
        for rank, count in enumerate(pile):
            left, top = x + rank * step, y + color * 26
            face = color * game.ranks + rank
            if not count:
                parts.append(_text(left + 17, top + 16, card_text(game, face), size=12, fill=EDGE, anchor="middle"))
                continue
            parts += _mark(left, top + 1, 34, 20, face == fresh)
            parts.append(_rect(left, top + 1, 34, 20, game.suits[color].fill, radius=4))
            name, ink, copies = card_text(game, face), game.suits[color].ink, int(game.copies_of[color, rank])
            parts.append(_text(left + 17, top + 16, name, size=13, fill=ink, weight=700, anchor="middle"))
            gone = count == copies
            note = f"{count}/{copies}"
            parts.append(_text(left + 38, top + 15, note, size=11, fill=LIGHT if gone else MUTED, weight=600))
    return parts


def _rect(
    x: float,
    y: float,
    width: float,
    height: float,
    fill: str,
    *,
    stroke: str = "",
    thick: float = 1.5,
    radius: float = 7,
    dash: bool = False,
    faint: bool = False,
) -> str:
    edge = f' stroke="{stroke}" stroke-width="{thick:g}"' if stroke else ""
    edge += ' stroke-dasharray="4 3"' if dash else ""
    edge += ' opacity="0.45"' if faint else ""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" fill="{fill}"{edge}/>'


def _text(
    x: float, y: float, text: str, *, size: float, fill: str = LIGHT, weight: int = 400, anchor: str = "start"
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" font-weight="{weight}" fill="{fill}" '
        f'text-anchor="{anchor}">{escape(text)}</text>'
    )
