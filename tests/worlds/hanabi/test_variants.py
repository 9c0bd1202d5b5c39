"""Variants of hanab.live: the laws of their suits, and whole games against a referee written from the site's rules."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.agents.spec import agent
from coplay.games import spec_of
from coplay.player import AgentError
from coplay.testing import check_game
from coplay.worlds.hanabi import WORLD, Hanabi
from coplay.worlds.hanabi.actions import split
from coplay.worlds.hanabi.belief import exact_hands, redraw
from coplay.worlds.hanabi.people.draw import table_svg
from coplay.worlds.hanabi.people.table import read_view
from coplay.worlds.hanabi.people.terminal import table_terminal
from coplay.worlds.hanabi.people.typed import Mistake, read_action
from coplay.worlds.hanabi.people.words import touched_by
from coplay.worlds.hanabi.variants import VARIANTS

FIVE = ["red", "yellow", "green", "blue", "purple"]
FOUR = FIVE[:4]
# As the site's suits.json and variants.json have them: number, suits in order.
FACTS: dict[str, tuple[int, list[str]]] = {
    "6-suits": (1, [*FIVE, "teal"]),
    "rainbow-6": (3, [*FIVE, "rainbow"]),
    "rainbow-5": (16, [*FOUR, "rainbow"]),
    "rainbow-4": (17, ["red", "green", "blue", "rainbow"]),
    "rainbow-3": (19, ["red", "blue", "rainbow"]),
    "black-6": (2, [*FIVE, "black"]),
    "black-5": (21, [*FOUR, "black"]),
    "dark-rainbow-6": (11, [*FIVE, "dark rainbow"]),
    "dark-rainbow-5": (23, [*FOUR, "dark rainbow"]),
    "black-rainbow-6": (65, [*FOUR, "black", "rainbow"]),
    "black-rainbow-5": (66, ["red", "green", "blue", "black", "rainbow"]),
    "black-dark-rainbow-6": (12, [*FOUR, "black", "dark rainbow"]),
}
ONE_OF_EACH, ALL_COLORS = ("black", "dark rainbow"), ("rainbow", "dark rainbow")


def copies(suit: str) -> list[int]:
    return [1] * 5 if suit in ONE_OF_EACH else [3, 2, 2, 2, 1]


@pytest.mark.parametrize("name", VARIANTS)
def test_the_deck_the_score_and_the_hints_follow_from_the_suits(name: Any):
    number, suits = FACTS[name]
    game = Hanabi(variant=name)
    assert (VARIANTS[name].number, [suit.name for suit in game.suits]) == (number, suits)
    assert game.copies_of.tolist() == [copies(suit) for suit in suits]
    assert game.num_cards == len(game.sorted_deck) == sum(sum(copies(suit)) for suit in suits)
    assert np.bincount(game.sorted_deck).tolist() == [n for suit in suits for n in copies(suit)]
    assert game.max_score == 5 * len(suits)
    hints = [suit for suit in suits if suit not in ALL_COLORS]
    assert game.num_actions == 10 + len(hints) + 5
    for color, named in enumerate(hints):
        touched = {i for i in range(5 * len(suits)) if suits[i // 5] == named or suits[i // 5] in ALL_COLORS}
        assert {i for i in range(32) if game.color_sets[color] >> i & 1} == touched
    assert all(game.rank_sets[rank] == sum(1 << 5 * c + rank for c in range(len(suits))) for rank in range(5))
    assert spec_of(game) == f"hanabi?variant={name}"


@pytest.mark.parametrize("name", VARIANTS)
def test_only_colours_that_are_alike_change_places(name: Any):
    suits = FACTS[name][1]
    plain = [suit not in ONE_OF_EACH + ALL_COLORS for suit in suits]
    moved = np.asarray(Hanabi(variant=name).symmetries.permutations)
    assert len(np.unique(moved, axis=0)) == len(moved) == int(np.prod(np.arange(1, sum(plain) + 1)))
    for color, alike in enumerate(plain):
        assert set(moved[:, color]) == (set(np.flatnonzero(plain)) if alike else {color})


class Referee:
    """The rules once more, in plain Python: cards are (suit, rank), and each has a list of what it may still be."""

    def __init__(self, suits: list[str], deck: list[tuple[str, int]], players: int, size: int) -> None:
        self.suits, self.deck = suits, deck
        everything = {(suit, rank) for suit in suits for rank in range(5)}
        self.fresh = lambda card: {"card": card, "may": set(everything), "told": set()}
        self.hands = [[self.fresh(self.draw()) for _ in range(size)] for _ in range(players)]
        self.stacks, self.trash = dict.fromkeys(suits, 0), []
        self.info, self.lives, self.seat, self.left = 8, 3, 0, players
        self.over = False

    def draw(self) -> Any:
        return self.deck.pop(0)

    def names(self) -> list[str]:
        return [suit for suit in self.suits if suit not in ALL_COLORS]

    def matches(self, card: tuple[str, int], kind: str, value: Any) -> bool:
        return card[1] == value if kind == "rank" else card[0] == value or card[0] in ALL_COLORS

    def actions(self) -> list[tuple[Any, ...]]:
        """All actions of a two-player game in the order of their ids."""
        slots = range(5)
        hints = [("color", name) for name in self.names()] + [("rank", rank) for rank in range(5)]
        return [("discard", s) for s in slots] + [("play", s) for s in slots] + hints

    def legal(self, action: tuple[Any, ...]) -> bool:
        kind, value = action
        if kind in ("discard", "play"):
            return value < len(self.hands[self.seat]) and (kind == "play" or self.info < 8)
        return self.info > 0 and any(self.matches(one["card"], kind, value) for one in self.hands[1 - self.seat])

    def move(self, action: tuple[Any, ...]) -> None:
        kind, value = action
        last_round = not self.deck
        if kind in ("discard", "play"):
            suit, rank = self.hands[self.seat].pop(value)["card"]
            if kind == "play" and self.stacks[suit] == rank:
                self.stacks[suit] += 1
                self.info = min(8, self.info + (rank == 4))
            else:
                self.trash.append((suit, rank))
                self.lives -= kind == "play"
                self.info += kind == "discard"
            if self.deck:
                self.hands[self.seat].append(self.fresh(self.draw()))
        else:
            self.info -= 1
            for one in self.hands[1 - self.seat]:
                touched = self.matches(one["card"], kind, value)
                one["may"] = {card for card in one["may"] if self.matches(card, kind, value) == touched}
                one["told"] |= {kind} if touched else set()
        self.left -= last_round
        self.seat = 1 - self.seat
        self.over = not self.lives or not self.left or sum(self.stacks.values()) == 5 * len(self.suits)


SEEN = ("cards", "possible", "color_told", "rank_told", "held", "fireworks", "discards", "info", "lives", "deck_size")


def tools(game: Hanabi) -> tuple[Any, Any]:
    """(state -> what the seat to move sees, by name; (state, action) -> the state after it)"""

    def look(state: Any) -> dict[str, Any]:
        view = game.view(state, state.seat)
        return {name: getattr(view, name) for name in (*SEEN, "legal")} | {"points": game.score(state)}

    return jax.jit(look), jax.jit(lambda state, action: game.step(state, jnp.full(2, action)).state)


def compare(seen: dict[str, Any], referee: Referee) -> None:
    """Everything that the seat to move sees."""
    index = {(suit, rank): 5 * c + rank for c, suit in enumerate(referee.suits) for rank in range(5)}
    for position, hand in enumerate([referee.hands[referee.seat], referee.hands[1 - referee.seat]]):
        for slot, one in enumerate(hand):
            assert seen["cards"][position, slot] == (index[one["card"]] if position else -1)
            assert set(np.flatnonzero(seen["possible"][position, slot])) == {index[card] for card in one["may"]}
            assert seen["color_told"][position, slot] == ("color" in one["told"])
            assert seen["rank_told"][position, slot] == ("rank" in one["told"])
        assert not seen["held"][position, len(hand) :].any()
    assert seen["fireworks"].tolist() == list(referee.stacks.values())
    assert seen["discards"].reshape(-1).tolist() == [referee.trash.count(card) for card in index]
    assert (seen["info"], seen["lives"], seen["deck_size"]) == (referee.info, referee.lives, len(referee.deck))
    assert seen["points"] == (sum(referee.stacks.values()) if referee.lives else 0)
    legal = [referee.legal(action) and not referee.over for action in referee.actions()]
    assert seen["legal"].tolist() == legal


@pytest.mark.parametrize("name", ["black-rainbow-6", "dark-rainbow-5"])
def test_whole_games_go_as_the_referee_says(name: Any):
    game, suits = Hanabi(variant=name), FACTS[name][1]
    look, step = tools(game)
    rng = np.random.default_rng(3)
    highest = []
    for _ in range(6):
        order = rng.permutation(game.sorted_deck.astype(int))
        state: Any = game.deal(np.stack([order // 5, order % 5], 1))
        referee = Referee(suits, [(suits[i // 5], i % 5) for i in order.tolist()], 2, 5)
        compare(jax.device_get(look(state)), referee)
        while not referee.over:
            legal = [i for i, action in enumerate(referee.actions()) if referee.legal(action)]
            # A card that scores is played whoever may know it, so that games go on to the end.
            hand = referee.hands[referee.seat]
            good = [5 + s for s, one in enumerate(hand) if referee.stacks[one["card"][0]] == one["card"][1]]
            careful = [i for i in legal if not 5 <= i < 10]
            action = int(rng.choice(good if good and rng.random() < 0.7 else careful or legal))
            referee.move(referee.actions()[action])
            state = step(state, action)
            compare(jax.device_get(look(state)), referee)
        assert state.done
        highest.append(max(referee.stacks.values()))
    assert max(highest) == 5  # stacks were completed


def test_it_keeps_the_laws_of_every_game():
    check_game("hanabi?variant=black-rainbow-6&hand_size=2", games=4)


def test_a_hand_is_drawn_anew_from_all_that_the_hints_leave_open():
    game = Hanabi(variant="rainbow-3", ranks=2, hand_size=2, info_tokens=3)
    hands = [(0, 0), (1, 0), (2, 0), (0, 0)]  # seat 1 holds a rainbow 1 and a red 1
    others = [tuple(divmod(int(face), 2)) for face in game.sorted_deck]
    for card in hands:
        others.remove(card)
    deck = np.array([*hands, *others])
    red, blue = 4, 5

    @jax.jit
    def play(keys: Any) -> Any:
        state = game.deal(deck)
        for action in (red, red, blue):  # red touches both cards, blue the rainbow one
            state = game.step(state, jnp.full(2, action)).state
        return game.view(state, 1), jax.vmap(lambda key: game.view(redraw(game, state, 1, key), 0).cards[1])(keys)

    view, drawn = play(jax.random.split(jax.random.key(0), 200))
    expected = {(4, 0), (4, 1), (5, 0), (5, 1)}
    assert {tuple(hand) for hand in np.asarray(drawn).tolist()} == expected
    assert {tuple(hand) for hand in exact_hands(view)[0].tolist()} == expected


@pytest.mark.parametrize("name", sorted(set(WORLD.agents) - {"smartbot"}))
def test_bots_that_do_not_know_a_variant_say_so(name: str):
    for players in (2, 5):
        with pytest.raises(AgentError, match=rf"{name} (does not know variant=rainbow-5 .*Every colour|plays with)"):
            agent(name, Hanabi(players=players, variant="rainbow-5"))
    with pytest.raises(
        AgentError, match=rf"{name} does not know variant=6-suits \(There are 6 suits.\). Take smartbot"
    ):
        agent(name, Hanabi(players=5, variant="6-suits"))


def test_smartbot_knows_them():
    games = coplay.play("hanabi?variant=rainbow-5", ["smartbot", "smartbot"], games=20)
    assert games.scores.mean() > 20  # 23.1 over 200 games; the standard game 23.2


def test_people_are_shown_and_may_say_what_the_variant_has():
    game = Hanabi(variant="black-rainbow-6")
    state = game.deal(np.stack(np.divmod(game.sorted_deck[::-1].astype(int), 5), 1))  # rainbow cards first
    view = game.view(state, 0)
    text = view.text()
    assert "K black, M rainbow" in text
    assert "Every colour hint touches rainbow cards, and no hint names rainbow." in text
    assert "There is only one black card of each rank." in text
    table = read_view(view)
    black = read_action(game, "h1 black")
    assert black == read_action(game, "h k") == 10 + 4
    with pytest.raises(Mistake, match="no colour of this game; they are red, yellow, green, blue, black"):
        read_action(game, "h rainbow")
    assert touched_by(table, split(game, black)) == (0, 1, 2, 3, 4)
    after = game.step(state, jnp.full(2, black)).state
    assert "you know black or rainbow (told)" in game.view(after, 1).text()
    assert ">M<" in table_svg(view)
    assert table_terminal(view).renderables
