"""Games in the format of hanab.live: its JSON, and the compact string behind `/shared-replay-json/`.

Colours are mapped by index: our red, yellow, green, white, blue are hanab.live's red, yellow, green, blue, purple (with
four suits red, yellow, green, blue; with three red, green, blue). The suits of a variant have its names. Its ranks and
rank hints count from 1, everything else from 0; a card is named by its place in the deck, and a hint by the seat it
goes to.

The same rules hold there with one exception: hanab.live also ends a game when no card can be played any more. Such a
game stops early by our rules; read it with `partial=True`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.data import DataError
from coplay.game import GameError
from coplay.worlds.hanabi import Hanabi, State
from coplay.worlds.hanabi.actions import Action, join, split
from coplay.worlds.hanabi.people.words import action_text, checked_names
from coplay.worlds.hanabi.recordings.hanablive_link import NAMES, SITE, compact, expand
from coplay.worlds.hanabi.variants import VARIANTS

Array = jax.Array

# The site's names of what we call colors and variant.
TITLES: dict[tuple[int, str], str] = {(5, "none"): "No Variant", (4, "none"): "4 Suits", (3, "none"): "3 Suits"}
TITLES |= {(len(one.suits), name): one.title for name, one in VARIANTS.items()}
PLAY, DISCARD, COLOR, RANK, END, VOTED_END = range(6)
# Options that change the rules; the others (clocks, table names) do not matter for a replay.
FOREIGN_RULES = ("deckPlays", "emptyClues", "allOrNothing", "detrimentalCharacters", "cardCycle", "startingPlayer")


class Recording(NamedTuple):
    """A game that was played: everything needed to play it again."""

    game: Hanabi
    deck: np.ndarray  # int [cards, 2] of (color, rank), as `game.deal` takes it
    actions: tuple[int, ...]  # our action ids; seat 0 starts
    names: tuple[str, ...]


def to_json(
    game: Hanabi,
    deck: np.ndarray | Array,
    actions: Sequence[int],
    names: Sequence[str] | None = None,
    start_player: int = 0,
) -> dict[str, Any]:
    """The game as hanab.live's JSON object. Its first player always starts, so the seats turn until ours does."""
    options = _options(game)
    names = NAMES[: game.players] if names is None else names
    checked_names(game, names)
    deck = rotated(game, np.asarray(deck), start_player)
    replay(game, deck, actions)
    return {
        "players": [str(names[(start_player + seat) % game.players]) for seat in range(game.players)],
        "deck": [{"suitIndex": int(color), "rank": int(rank) + 1} for color, rank in deck],
        "actions": _export(game, actions),
        "options": options,
    }


def from_json(source: dict[str, Any], partial: bool = False) -> Recording:
    """The game in a hanab.live JSON object, checked by playing it; `partial` accepts one that stops before its end."""
    label = f"hanab.live game {source['id']}" if isinstance(source, dict) and source.get("id") else "hanab.live game"
    for field in ("players", "deck", "actions"):
        if not isinstance(source, dict) or not isinstance(source.get(field), list):
            raise DataError(f"{label}: there is no list {field!r}; export the game as JSON from hanab.live again.")
    names = tuple(str(name) for name in source["players"])
    game = _game(label, len(names), source.get("options") or {})
    try:
        deck = np.array([(_int(card["suitIndex"]), _int(card["rank"]) - 1) for card in source["deck"]])
    except (TypeError, KeyError, ValueError) as error:
        raise DataError(f'{label}: every card of the deck is {{"suitIndex": 0, "rank": 1}}; one is not.') from error
    actions = _import(label, game, source["actions"])
    state = replay(game, deck, actions, label)
    if not partial and not state.done:
        raise DataError(
            f"{label}: it stops after turn {len(actions)}, but the rules do not end it there; "
            "pass partial=True to read the moves it has."
        )
    return Recording(game, deck, actions, names)


def to_link(game: Hanabi, deck: np.ndarray | Array, actions: Sequence[int], start_player: int = 0) -> str:
    """An address that shows the game on hanab.live."""
    usual = Hanabi(players=game.players).hand_size
    if game.hand_size != usual:
        raise DataError(
            f"hand_size={game.hand_size}: a link carries no hand size, and hanab.live deals {usual} cards each to "
            f"{game.players} players; use to_json instead."
        )
    return SITE + compact(to_json(game, deck, actions, start_player=start_player))


def from_link(link: str, partial: bool = False) -> Recording:
    """The game behind a hanab.live link, or behind its compact string alone."""
    return from_json(expand(link), partial)


def replay(game: Hanabi, deck: np.ndarray | Array, actions: Sequence[int], label: str = "hanabi game") -> State:
    """The position after playing `actions` from `deck`; each must be legal and none may follow the end."""
    if len(actions) > game.max_steps:
        raise DataError(f"{label}: {len(actions)} moves, but no game of this kind is longer than {game.max_steps}.")
    padded = np.full(game.max_steps, -1, np.int32)
    padded[: len(actions)] = actions
    try:
        start = game.deal(deck)
    except GameError as error:
        raise DataError(f"{label}: {error}") from error
    state, refused, over = _runner(game)(start, padded)
    wrong = np.flatnonzero((np.asarray(refused) | np.asarray(over))[: len(actions)])
    if wrong.size:
        turn = int(wrong[0])
        if over[turn]:
            raise DataError(
                f"{label}: the game ends at turn {turn}, but {len(actions) - turn} more moves follow; drop them."
            )
        known = 0 <= actions[turn] < game.num_actions
        move = action_text(game, actions[turn]) if known else f"no action of this game, which has {game.num_actions}"
        raise DataError(
            f"{label}, turn {turn + 1}: action {actions[turn]} ({move}) is not legal there; "
            "check the deck, the seats and the moves before it."
        )
    return state


@functools.cache
def _runner(game: Hanabi) -> Callable[[State, np.ndarray], tuple[State, Array, Array]]:
    """Compiled once per game: plays max_steps actions and says which were refused and which came after the end."""

    def move(state: State, action: Array) -> tuple[State, tuple[Array, Array]]:
        step = game.step(state, jnp.full(game.players, action))
        return step.state, (step.events.illegal.any(), state.done)

    def run(state: State, actions: Array) -> tuple[State, Array, Array]:
        state, (refused, over) = jax.lax.scan(move, state, actions)
        return state, refused, over

    return jax.jit(run)


def _options(game: Hanabi) -> dict[str, Any]:
    """The options with which hanab.live plays by this game's rules."""
    usual = Hanabi(players=game.players)
    extra = game.hand_size - usual.hand_size
    same = (game.ranks, game.copies, game.info_tokens, game.life_tokens) == (5, usual.copies, 8, 3)
    title = TITLES.get((game.colors, game.variant))
    if title is None or not same or extra not in (-1, 0, 1):
        raise DataError(
            f"{game}: hanab.live plays with 3 to 5 colors or a variant, 5 ranks in 3, 2, 2, 2, 1 copies, 8 hint "
            f"tokens, 3 lives and {usual.hand_size - 1} to {usual.hand_size + 1} cards; this game cannot be shown "
            "there."
        )
    size = {1: {"oneExtraCard": True}, 0: {}, -1: {"oneLessCard": True}}[extra]
    return {"variant": title, **size}


def _game(label: str, players: int, options: dict[str, Any]) -> Hanabi:
    """The game that a file's players and options describe."""
    if not 2 <= players <= 5:
        raise DataError(f"{label}: {players} players; this game takes 2 to 5.")
    title = options.get("variant", "No Variant")
    kinds = [kind for kind, name in TITLES.items() if name == title]
    if not kinds:
        known = ", ".join(TITLES.values())
        raise DataError(f"{label}: variant {title!r} cannot be played here; the variants are {known}.")
    ((colors, variant),) = kinds
    for option in FOREIGN_RULES:
        if options.get(option):
            raise DataError(
                f"{label}: option {option!r} changes the rules to ones not played here; leave this game out."
            )
    extra = bool(options.get("oneExtraCard")) - bool(options.get("oneLessCard"))
    size = Hanabi(players=players).hand_size + extra
    return Hanabi(players=players, colors=colors, hand_size=size, variant=variant)  # pyright: ignore[reportArgumentType]


def rotated(game: Hanabi, deck: np.ndarray, start_player: int) -> np.ndarray:
    """The deck that deals each seat's hand to the seat it becomes when `start_player` becomes seat 0."""
    dealt = game.players * game.hand_size
    hands = deck[:dealt].reshape(game.players, game.hand_size, 2)
    return np.concatenate([np.roll(hands, -start_player, axis=0).reshape(dealt, 2), deck[dealt:]])


class _Hands:
    """Which card of the deck lies in which slot, turn by turn."""

    def __init__(self, game: Hanabi) -> None:
        size = game.hand_size
        self.game = game
        self.hands = [list(range(seat * size, (seat + 1) * size)) for seat in range(game.players)]
        self.drawn = game.players * size
        self.seat = 0

    def use(self, slot: int) -> int:
        """Takes the card out of the acting hand, draws another if there is one, and returns its place in the deck."""
        hand = self.hands[self.seat]
        order = hand.pop(slot)
        if self.drawn < self.game.num_cards:
            hand.append(self.drawn)
            self.drawn += 1
        return order

    def next(self) -> None:
        self.seat = (self.seat + 1) % self.game.players


def _export(game: Hanabi, actions: Sequence[int]) -> list[dict[str, int]]:
    hands = _Hands(game)
    exported = []
    for number in actions:
        action = split(game, number)
        if action.kind in ("play", "discard"):
            kind = PLAY if action.kind == "play" else DISCARD
            exported.append({"type": kind, "target": hands.use(action.slot), "value": 0})  # as the site exports it
        else:
            target = (hands.seat + action.offset) % game.players
            kind, value = (COLOR, action.value) if action.kind == "color" else (RANK, action.value + 1)
            exported.append({"type": kind, "target": target, "value": value})
        hands.next()
    return exported


def _import(label: str, game: Hanabi, source: list[Any]) -> tuple[int, ...]:
    """Our action ids; an end by a player or by vote ends the list."""
    hands = _Hands(game)
    actions: list[int] = []
    for turn, entry in enumerate(source, start=1):
        where = f"{label}, turn {turn}"
        try:
            kind, target, value = _int(entry["type"]), _int(entry["target"]), _int(entry.get("value") or 0)
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise DataError(f'{where}: {entry!r} is not a move; one looks like {{"type": 0, "target": 3}}.') from error
        if kind in (END, VOTED_END):
            if turn < len(source):
                raise DataError(f"{where}: the players ended the game, but {len(source) - turn} more moves follow.")
            break
        actions.append(join(game, _read_action(where, hands, kind, target, value)))
        hands.next()
    return tuple(actions)


def _read_action(where: str, hands: _Hands, kind: int, target: int, value: int) -> Action:
    game = hands.game
    if kind in (PLAY, DISCARD):
        hand = hands.hands[hands.seat]
        if target not in hand:
            raise DataError(
                f"{where}: card {target} of the deck is not in the hand of seat {hands.seat}, which holds "
                f"{', '.join(map(str, hand))}; targets of plays and discards count cards from the top of the deck."
            )
        slot = hand.index(target)
        hands.use(slot)
        return Action("play" if kind == PLAY else "discard", slot=slot)
    if kind not in (COLOR, RANK):
        raise DataError(f"{where}: type {kind} is unknown; 0 is a play, 1 a discard, 2 a colour, 3 a rank, 4 an end.")
    if not 0 <= target < game.players or target == hands.seat:
        raise DataError(
            f"{where}: seat {hands.seat} hints seat {target}; it must be another of the seats 0 to {game.players - 1}."
        )
    low, high = (0, game.hint_colors - 1) if kind == COLOR else (1, game.ranks)
    if not low <= value <= high:
        what = "colour" if kind == COLOR else "rank"
        raise DataError(f"{where}: {what} hint with value {value}; {what} values go from {low} to {high}.")
    return Action("color" if kind == COLOR else "rank", offset=(target - hands.seat) % game.players, value=value - low)


def _int(value: Any) -> int:
    """Whole numbers only: JSON files with "1" or 1.5 where a number belongs are wrong, not rounded."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ValueError(f"{value!r} is not a whole number")
    return int(value)
