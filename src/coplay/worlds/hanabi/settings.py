"""The game object: settings, derived sizes and the protocol's functions."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Literal, NoReturn, get_args

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from coplay.game import GameError, Step
from coplay.games import Preset
from coplay.inputs import checked_seat, joint_action
from coplay.worlds.hanabi import encode, rules
from coplay.worlds.hanabi.faces import FACES, HanabiFaces
from coplay.worlds.hanabi.hidden import change_hidden
from coplay.worlds.hanabi.rules import State
from coplay.worlds.hanabi.symmetry import ColorSymmetries
from coplay.worlds.hanabi.variants import VARIANTS, Name, Suit, suits_of
from coplay.worlds.hanabi.view import View, view

Array = jax.Array
Observation = Literal["card_knowledge", "minimal", "seer"]
Encoding = Literal["canonical", "jaxmarl"]
LostLives = Literal["zero", "fireworks"]
StartPlayer = Literal["first", "random"]


@dataclasses.dataclass(frozen=True)
class Hanabi:
    """Hanabi for 2 to 5 players with every setting of the reference engine."""

    players: int = 2
    colors: int = 5
    ranks: int = 5
    hand_size: int = 0  # 0: 5 cards for 2-3 players, 4 for 4-5
    info_tokens: int = 8
    life_tokens: int = 3
    copies: tuple[int, ...] = ()  # per rank; (): three of the lowest, one of the highest, two of the others
    start_player: StartPlayer | int = "first"  # who moves first after `reset`: a seat, "first" (seat 0) or "random"
    observation: Observation = "card_knowledge"
    encoding: Encoding = "canonical"
    lost_lives_score: LostLives = "zero"
    variant: Name = "none"  # of hanab.live: other suits (variants.py)
    name: str = "hanabi"

    version = 1
    simultaneous = False
    cyclic = True
    truncates = False

    @property
    def faces(self) -> HanabiFaces:
        return FACES

    def __post_init__(self) -> None:
        _check_range("players", self.players, 2, 5)
        _check_choice("variant", self.variant, get_args(Name))
        self._check_colors()
        _check_range("ranks", self.ranks, 1, 5)
        if self.hand_size == 0:
            object.__setattr__(self, "hand_size", 5 if self.players < 4 else 4)
        if not self.copies:
            object.__setattr__(self, "copies", default_copies(self.ranks))
        if not isinstance(self.copies, list | tuple) or not all(isinstance(n, int | np.integer) for n in self.copies):
            raise GameError(f"copies={self.copies!r}: give whole numbers, one per rank: {default_copies(self.ranks)}.")
        object.__setattr__(self, "copies", tuple(int(n) for n in self.copies))
        _check_range("hand_size", self.hand_size, 1, 8)
        _check_range("info_tokens", self.info_tokens, 1, 31)
        _check_range("life_tokens", self.life_tokens, 1, 31)
        if len(self.copies) != self.ranks or min(self.copies) < 1 or sum(self.copies) > 31:
            raise GameError(
                f"copies={self.copies}: give one number of copies per rank, each at least 1 and together at most 31 "
                f"per colour; ranks={self.ranks}, so for example copies={default_copies(self.ranks)}."
            )
        if self.players * self.hand_size > self.num_cards:
            raise GameError(
                f"{self.players} players with {self.hand_size} cards each need {self.players * self.hand_size} cards "
                f"but the deck has {self.num_cards}; take a smaller hand_size or more colors, ranks or copies."
            )
        _check_choice("observation", self.observation, get_args(Observation))
        _check_choice("encoding", self.encoding, get_args(Encoding))
        _check_choice("lost_lives_score", self.lost_lives_score, get_args(LostLives))
        if isinstance(self.start_player, str):
            _check_choice("start_player", self.start_player, get_args(StartPlayer))
        else:
            _check_range("start_player", self.start_player, 0, self.players - 1)
        if self.encoding == "jaxmarl" and self.observation != "card_knowledge":
            raise GameError(
                f'encoding="jaxmarl" has beliefs instead of card knowledge and needs observation="card_knowledge", '
                f'not "{self.observation}".'
            )

    def _check_colors(self) -> None:
        """A variant says itself how many colours there are."""
        if self.variant in VARIANTS:
            suits = len(VARIANTS[self.variant].suits)
            if self.colors not in (Hanabi.colors, suits):
                raise GameError(
                    f"colors={self.colors}: variant={self.variant} has {suits} suits; leave colors out, or the variant."
                )
            object.__setattr__(self, "colors", suits)
        elif self.colors == 6:
            raise GameError("colors=6: without a variant there are 1 to 5; six suits are variant=6-suits.")
        else:
            _check_range("colors", self.colors, 1, 5)

    @property
    def suits(self) -> tuple[Suit, ...]:
        """What each colour is called, and what is special about it."""
        return suits_of(self.variant, self.colors)

    @property
    def hint_colors(self) -> int:
        """Colours that hints can name, the first of all: rainbow ones have no hint of their own."""
        return sum(not suit.rainbow for suit in self.suits)

    @property
    def num_identities(self) -> int:
        """Different cards: colors x ranks."""
        return self.colors * self.ranks

    @property
    def copies_per_color(self) -> int:
        """Cards of a colour that is not dark."""
        return sum(self.copies)

    @cached_property
    def copies_of(self) -> np.ndarray:
        """int32 [colors, ranks]: copies of each card in the deck."""
        ones = (1,) * self.ranks
        return np.array([ones if suit.dark else self.copies for suit in self.suits], np.int32)

    @cached_property
    def num_cards(self) -> int:
        """Cards in the deck."""
        return int(self.copies_of.sum())

    @property
    def num_actions(self) -> int:
        return 2 * self.hand_size + (self.players - 1) * (self.hint_colors + self.ranks)

    @property
    def observation_shape(self) -> tuple[int, ...]:
        return (sum(self.observation_sections.values()),)

    @property
    def max_steps(self) -> int:
        """The rules bound the length: each card drawn pays for at most two turns (see the docs)."""
        return max(2 * (self.num_cards - self.players * self.hand_size) - 1, 0) + self.info_tokens + self.players

    @property
    def max_score(self) -> int:
        return self.num_identities

    @cached_property
    def observation_sections(self) -> dict[str, int]:
        """Sizes of the parts of the observation vector, in order."""
        return encode.sections(self)

    @property
    def all_identities(self) -> int:
        """The set of all identities as a word."""
        return (1 << self.num_identities) - 1

    @property
    def first_of_color(self) -> int:
        """The set of lowest cards, one per colour; shifted left by k, the cards of rank k."""
        return sum(1 << (c * self.ranks) for c in range(self.colors))

    @property
    def rainbow_cards(self) -> int:
        """The set of cards that every colour hint touches."""
        column = (1 << self.ranks) - 1
        return sum(column << (c * self.ranks) for c, suit in enumerate(self.suits) if suit.rainbow)

    @cached_property
    def color_sets(self) -> tuple[int, ...]:
        """Per colour that hints can name, the set of cards it touches."""
        column = (1 << self.ranks) - 1
        return tuple(column << (c * self.ranks) | self.rainbow_cards for c in range(self.hint_colors))

    @property
    def rank_sets(self) -> tuple[int, ...]:
        """Per rank, the set of cards a hint touches."""
        return tuple(self.first_of_color << rank for rank in range(self.ranks))

    @cached_property
    def copy_masks(self) -> tuple[int, ...]:
        """Per rank, the bits of its copies in a colour's word of discards."""
        ends = np.cumsum(self.copies)
        return tuple(((1 << n) - 1) << int(end - n) for n, end in zip(self.copies, ends, strict=True))

    @cached_property
    def sorted_deck(self) -> np.ndarray:
        """uint8 [cards]: every card of the deck, in order of identity."""
        return np.repeat(np.arange(self.num_identities), self.copies_of.reshape(-1)).astype(np.uint8)

    @cached_property
    def symmetries(self) -> ColorSymmetries:
        """All relabellings of the colours that are alike."""
        return ColorSymmetries(self)

    def reset(self, key: Array) -> State:
        """Shuffles and deals."""
        if self.start_player == "random":
            key, seat_key = jax.random.split(key)
            seat = jax.random.randint(seat_key, (), 0, self.players)
        else:
            seat = 0 if self.start_player == "first" else self.start_player
        return rules.start(self, rules.shuffled_deck(self, key), seat)

    def deal(self, deck: Array | np.ndarray, start_player: Array | int = 0) -> State:
        """Starts from a given deck, int [cards, 2] of (color, rank), dealt from index 0 seat by seat."""
        self.check_deck(deck)
        if not isinstance(start_player, Tracer | jax.Array):
            _check_range("start_player", start_player, 0, self.players - 1)
        pairs = jnp.asarray(deck, jnp.int32)
        return rules.start(self, pairs[:, 0] * self.ranks + pairs[:, 1], start_player)

    def step(self, state: State, actions: Array) -> Step:
        """See `Game.step`."""
        return rules.step(self, state, joint_action(actions, self.players))

    def view(self, state: State, seat: Array | int) -> View:
        """See `Game.view`."""
        return view(self, state, checked_seat(seat, self.players))

    def encode(self, view: View) -> Array:
        """uint8 bits of the reference engine, or float32 for encoding="jaxmarl"."""
        return encode.jaxmarl(view) if self.encoding == "jaxmarl" else encode.canonical(view)

    def legal(self, view: View) -> Array:
        """See `Game.legal`."""
        return encode.legal(view)

    def turn(self, state: State) -> Array:
        """One-hot of the seat to move; nobody after the end."""
        return (jnp.arange(self.players) == state.seat) & ~state.done

    def score(self, state: State) -> Array:
        """int32: points now; by default 0 once the last life is lost."""
        return rules.score(self, state.played, state.lives)

    def change_hidden(self, state: State, seat: Array | int, key: Array) -> State:
        """The same position with other cards where `seat` cannot look."""
        return change_hidden(self, state, seat, key)

    def relabel(self, state: State, index: Array | int) -> State:
        """The position as it looks when the colours are renamed by symmetry `index`."""
        return self.symmetries.state(self.symmetries.permutations[index], state)

    def deck_of(self, state: State) -> np.ndarray:
        """int [..., cards, 2]: the deck as (color, rank), in the form `deal` takes."""
        deck = np.asarray(state.deck).astype(np.int32)
        return np.stack([deck // self.ranks, deck % self.ranks], axis=-1)

    def describe(self, bit: int) -> str:
        """What entry `bit` of the observation vector means."""
        from coplay.worlds.hanabi.people.words import describe_bit

        return describe_bit(self, bit)

    def action_text(self, action: int) -> str:
        """An action id in words."""
        from coplay.worlds.hanabi.people.words import action_text

        return action_text(self, action)

    def check_deck(self, deck: Array | np.ndarray) -> None:
        """A deck must hold exactly this game's cards; traced decks can only be checked for their shape."""
        shape = np.shape(deck)
        if shape != (self.num_cards, 2):
            raise GameError(f"a deck for this game is [{self.num_cards}, 2] pairs of (color, rank), got shape {shape}.")
        if isinstance(deck, Tracer):
            return
        pairs = np.asarray(deck)
        if not np.issubdtype(pairs.dtype, np.integer):
            raise GameError(f"a deck holds whole numbers, got {pairs.dtype}; convert it with deck.astype(int).")
        low, high = pairs.min(0), pairs.max(0)
        if low.min() < 0 or high[0] >= self.colors or high[1] >= self.ranks:
            raise GameError(
                f"deck entries are (color 0-{self.colors - 1}, rank 0-{self.ranks - 1}), "
                f"but this deck reaches {tuple(low.tolist())} to {tuple(high.tolist())}."
            )
        counts = np.bincount(pairs[:, 0] * self.ranks + pairs[:, 1], minlength=self.num_identities)
        expected = self.copies_of.reshape(-1)
        if (counts != expected).any():
            self._wrong_deck(counts, expected)

    def _wrong_deck(self, counts: np.ndarray, expected: np.ndarray) -> NoReturn:
        worst = int(np.flatnonzero(counts != expected)[0])
        color, rank = divmod(worst, self.ranks)
        raise GameError(
            f"impossible deck: {counts[worst]} copies of (color {color}, rank {rank}), not {expected[worst]}; "
            f"that colour holds {tuple(self.copies_of[color].tolist())} of its ranks."
        )


SMALL = {"colors": 2, "ranks": 5, "hand_size": 2, "info_tokens": 3, "life_tokens": 1}
VERY_SMALL = {**SMALL, "colors": 1}
HANABI_SMALL = Preset(Hanabi, SMALL)
HANABI_VERY_SMALL = Preset(Hanabi, VERY_SMALL)


def default_copies(ranks: int) -> tuple[int, ...]:
    """Three of the lowest rank, one of the highest, two of each other; a single rank is the lowest."""
    return tuple(3 if rank == 0 else 1 if rank == ranks - 1 else 2 for rank in range(ranks))


def _check_range(setting: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not low <= int(value) <= high:
        raise GameError(f"{setting}={value!r}: hanabi takes a whole number from {low} to {high}.")


def _check_choice(setting: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise GameError(f"{setting}={value!r}: choose one of {', '.join(choices)}.")
