"""Hanabi in words: views, moves and observation bits, for people and language models.

Slots are numbered from 1, the oldest card, to the newest; ranks are the printed 1 to 5; a card is its colour's letter
and its rank, R2. Players are "you", "player +1" (the next one), "player +2" and so on, or their names, given by seat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from coplay.game import GameError
from coplay.worlds.hanabi import actions
from coplay.worlds.hanabi.actions import Action, whole_number
from coplay.worlds.hanabi.people.table import Card, LastMove, Table, read_state, read_view
from coplay.worlds.hanabi.variants import describe

if TYPE_CHECKING:
    from coplay.worlds.hanabi.rules import State
    from coplay.worlds.hanabi.settings import Hanabi
    from coplay.worlds.hanabi.view import View

Names = Sequence[str] | None  # by seat


def card_text(game: Hanabi, face: int) -> str:
    """R2 for the red card printed 2."""
    return f"{game.suits[face // game.ranks].letter}{face % game.ranks + 1}"


def action_text(game: Hanabi, action: int, actor: int = 0, names: Names = None) -> str:
    """An action id in words: "play slot 3", "hint player +1 colour red"; with names, "hint Bob colour red"."""
    parts = actions.split(game, action)
    if parts.kind in ("play", "discard"):
        return f"{parts.kind} slot {parts.slot + 1}"
    checked_names(game, names)
    target = f"player +{parts.offset}" if names is None else names[(actor + parts.offset) % game.players]
    return f"hint {target} {hint_text(game, parts)}"


def hint_text(game: Hanabi, action: Action) -> str:
    """What a hint tells: "colour red", "rank 2"."""
    return f"colour {game.suits[action.value].name}" if action.kind == "color" else f"rank {action.value + 1}"


def move_text(table: Table, move: LastMove, names: Names = None) -> str:
    """A move and what came of it: "Player +1 hinted you rank 2, touching slots 1 and 4."."""
    game = table.game
    who = _player(table, move.actor, names, first=True)
    if move.target is not None:
        target = _player(table, move.target, names)
        return f"{who} hinted {target} {hint_text(game, move.action)}, touching {_slots(move.touched)}."
    card, slot = card_text(game, move.face), move.action.slot + 1
    if move.action.kind == "discard":
        return f"{who} discarded {card} from slot {slot}; a hint token came back."
    if not move.scored:
        return f"{who} played {card} from slot {slot}; it did not fit and a life was lost."
    bonus = "; a hint token came back" if move.token else ""
    return f"{who} played {card} from slot {slot} and it scored{bonus}."


def knowledge_text(game: Hanabi, card: Card) -> str:
    """What hints say about a card: "red (told); rank 1 or 3"; "nothing" when they say nothing."""
    parts = []
    if len(card.colors) == 1 and (card.color_told or game.colors > 1):
        parts.append(f"{game.suits[card.colors[0]].name} ({'told' if card.color_told else 'deduced'})")
    elif len(card.colors) < game.colors:
        parts.append(_any_of([game.suits[c].name for c in card.colors]) + (" (told)" if card.color_told else ""))
    if len(card.ranks) == 1 and (card.rank_told or game.ranks > 1):
        parts.append(f"rank {card.ranks[0] + 1} ({'told' if card.rank_told else 'deduced'})")
    elif len(card.ranks) < game.ranks:
        parts.append("rank " + _any_of([str(r + 1) for r in card.ranks]))
    return "; ".join(parts) or "nothing"


def view_text(view: View, names: Names = None) -> str:
    """A whole view in words: the table, the hands, what is known about them, the last move and the legal moves."""
    table = read_view(view)
    checked_names(view.game, names)
    return "\n".join([*_table_lines(table, names), *_legal_lines(table, names)])


def state_text(game: Hanabi, state: State, names: Names = None) -> str:
    """A position with all hands open, for replays; positions are counted from seat 0."""
    checked_names(game, names)
    return "\n".join(_table_lines(read_state(game, state), names))


def legal_moves_text(view: View, names: Names = None) -> str:
    """The legal moves in words, one per line, each after its action id."""
    checked_names(view.game, names)
    return "\n".join(_legal_lines(read_view(view), names))


def turn_text(table: Table, names: Names = None) -> str:
    """Whose turn it is, or how the game ended."""
    game = table.game
    if table.done:
        if table.lives == 0:
            how = "the last life was lost"
        elif sum(table.stacks) == game.max_score:
            how = "every firework is complete"
        else:
            how = "the last round is over"
        return f"The game is over: {how}. Score {table.score} of {game.max_score}."
    if table.to_move == 0 and not table.open:
        turn = "It is your turn."
    else:
        turn = f"It is {_player(table, table.to_move, names)}'s turn."
    if table.turns_left is None:
        return turn
    moves = "1 move is" if table.turns_left == 1 else f"{table.turns_left} moves are"
    return f"{turn} Last round: the deck is empty and {moves} left."


def checked_names(game: Hanabi, names: Names) -> None:
    """Names come one per seat."""
    if names is not None and (isinstance(names, str) or len(names) != game.players):
        raise GameError(f"names={names!r}: give one name per seat, {game.players} in all.")


def _table_lines(table: Table, names: Names) -> list[str]:
    game = table.game
    letters = ", ".join(f"{suit.letter} {suit.name}" for suit in game.suits)
    special = "".join(f"{sentence} " for sentence in describe(game.suits))
    you = f"seat {table.seat}" if names is None else f"{names[table.seat]}, seat {table.seat}"
    reader = "All hands are open." if table.open else f"You are {you}."
    stacks = ", ".join(f"{suit.name} {height}" for suit, height in zip(game.suits, table.stacks, strict=True))
    tops = [card_text(game, c * game.ranks + height) for c, height in enumerate(table.stacks) if height < game.ranks]
    discards = [
        card_text(game, c * game.ranks + r) + (f" x{count}" if count > 1 else "")
        for c, pile in enumerate(table.discards)
        for r, count in enumerate(pile)
        if count
    ]
    lines = [
        f"Hanabi, {game.players} players. {reader} Colours: {letters}. Ranks: 1 to {game.ranks}. "
        f"{special}Slot 1 is the oldest card of a hand.",
        f"Score: {table.score} of {game.max_score}. Hint tokens: {table.info} of {game.info_tokens}. "
        f"Lives: {table.lives} of {game.life_tokens}. Cards in the deck: {table.deck}.",
        f"Fireworks: {stacks}. Playable now: {', '.join(tops) or 'nothing'}.",
        f"Discard pile: {', '.join(discards) or 'empty'}.",
        "Last move: " + (move_text(table, table.last, names) if table.last else "none yet."),
    ]
    for position, hand in enumerate(table.hands):
        own = position == 0 and not table.open
        lines.append("Your hand (hidden from you):" if own else f"{_seat(table, position, names)}:")
        lines += [_card_line(game, slot, card, own) for slot, card in enumerate(hand)]
    lines.append(turn_text(table, names))
    return lines


def _card_line(game: Hanabi, slot: int, card: Card | None, own: bool) -> str:
    if card is None:
        return f"  slot {slot + 1}: empty"
    known = knowledge_text(game, card)
    if own:
        return f"  slot {slot + 1}: you know {known}"
    face = "??" if card.face is None else card_text(game, card.face)
    return f"  slot {slot + 1}: {face}, its owner knows {known}"


def _legal_lines(table: Table, names: Names) -> list[str]:
    if not table.legal:
        return ["Legal moves: none."]
    lines = ["Legal moves (action id: move):"]
    for action in table.legal:
        parts = actions.split(table.game, action)
        text = action_text(table.game, action, table.seat, names)
        if parts.kind in ("color", "rank"):
            text += f" (touches {_slots(touched_by(table, parts))})"
        lines.append(f"  {action}: {text}")
    return lines


def touched_by(table: Table, hint: Action) -> tuple[int, ...]:
    """The slots a hint by the reader would touch."""
    members = (table.game.color_sets if hint.kind == "color" else table.game.rank_sets)[hint.value]
    hand = table.hands[hint.offset]
    return tuple(slot for slot, card in enumerate(hand) if card and card.face is not None and members >> card.face & 1)


def _player(table: Table, position: int, names: Names, first: bool = False) -> str:
    """How a sentence calls a player; `first`: as its first word."""
    if position == 0 and not table.open:
        return "You" if first else "you"
    if names is not None:
        return names[table.seat_of(position)]
    who = f"seat {table.seat_of(position)}" if table.open else f"player +{position}"
    return who.capitalize() if first else who


def _seat(table: Table, position: int, names: Names) -> str:
    """A heading that says everything about who it is: "Player +1 (seat 2), Bob"."""
    seat = table.seat_of(position)
    place = f"Seat {seat}" if table.open or position == 0 else f"Player +{position} (seat {seat})"
    return place if names is None else f"{place}, {names[seat]}"


def _slots(slots: Sequence[int]) -> str:
    return ("slot " if len(slots) == 1 else "slots ") + _join([str(slot + 1) for slot in slots], "and")


def _any_of(words: Sequence[str]) -> str:
    return _join(words, "or")


def _join(words: Sequence[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def describe_bit(game: Hanabi, bit: int) -> str:
    """What entry `bit` of the observation vector says when it is set."""
    bit = whole_number("bit", bit, game.observation_shape[0])
    for section, size in game.observation_sections.items():
        if bit < size:
            return _SECTIONS[section](game, bit)
        bit -= size
    raise AssertionError("the sections fill the vector")


def _viewer(position: int) -> str:
    return "you" if position == 0 else f"player +{position}"


def _whose(position: int) -> str:
    return "your" if position == 0 else f"player +{position}'s"


def _named(game: Hanabi, face: int) -> str:
    color, rank = divmod(face, game.ranks)
    return f"{game.suits[color].name} {rank + 1}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _others_card(game: Hanabi, bit: int) -> str:
    place, face = divmod(bit, game.num_identities)
    position, slot = divmod(place, game.hand_size)
    return f"Player +{position + 1}'s card in slot {slot + 1} is {_named(game, face)}."


def _discard(game: Hanabi, bit: int) -> str:
    face, copies = 0, game.copies_of.reshape(-1).tolist()
    while bit >= copies[face]:
        bit -= copies[face]
        face += 1
    card = _named(game, face)
    if copies[face] == 1:
        return f"The only copy of {card} is in the discard pile."
    verb = "is" if bit == 0 else "are"
    return f"At least {bit + 1} of the {copies[face]} copies of {card} {verb} in the discard pile."


def _knowledge(game: Hanabi, bit: int) -> str:
    place, inside = divmod(bit, game.num_identities + game.colors + game.ranks)
    position, slot = divmod(place, game.hand_size)
    card = f"{_whose(position)} card in slot {slot + 1}"
    if inside >= game.num_identities:
        value = inside - game.num_identities
        what = game.suits[value].name if value < game.colors else f"a {value - game.colors + 1}"
        verb = "may be" if value < game.colors and game.rainbow_cards else "is"
        return f"A hint has told {_viewer(position)} that {card} {verb} {what}."
    face = _named(game, inside)
    if game.encoding == "jaxmarl":
        return (
            f"The chance that {card} is {face}, judged by the hints on it and the copies "
            "neither discarded nor played (a number from 0 to 1)."
        )
    return f"The hints on {card} leave open that it is {face}."


_MOVES = ("a play", "a discard", "a colour hint", "a rank hint")
_SECTIONS: dict[str, Callable[[Hanabi, int], str]] = {
    "others' cards": _others_card,
    "short hands": lambda game, i: f"{_whose(i).capitalize()} hand is short of a card.",
    "deck size": lambda game, i: f"At least {_count(i + 1, 'card')} left in the deck.",
    "fireworks": lambda game, i: f"The top of the {game.suits[i // game.ranks].name} firework is {_named(game, i)}.",
    "hint tokens": lambda game, i: f"At least {_count(i + 1, 'hint token')} left.",
    "lives": lambda game, i: "At least 1 life left." if i == 0 else f"At least {i + 1} lives left.",
    "discards": _discard,
    "last actor": lambda game, i: f"The last move was made by {_viewer(i)}.",
    "last move": lambda game, i: f"The last move was {_MOVES[i]}.",
    "last target": lambda game, i: f"The last move was a hint to {_viewer(i)}.",
    "last colour": lambda game, i: f"The last move hinted the colour {game.suits[i].name}.",
    "last rank": lambda game, i: f"The last move hinted the rank {i + 1}.",
    "last touched": lambda game, i: f"The last move was a hint that touched slot {i + 1}.",
    "last slot": lambda game, i: f"The last move played or discarded the card in slot {i + 1}.",
    "last card": lambda game, i: f"The last move played or discarded {_named(game, i)}.",
    "last scored": lambda game, i: "The last move was a play that scored.",
    "last token": lambda game, i: "The last move was a play that gave a hint token back.",
    "card knowledge": _knowledge,
}
