"""Words say what is true, all of it, and nothing the reader may not know."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.game import GameError
from coplay.worlds.hanabi import SMALL, VERY_SMALL, Hanabi, State, actions, rules
from coplay.worlds.hanabi.people import words
from coplay.worlds.hanabi.people.table import Table, read_state, read_view
from coplay.worlds.hanabi.variants import STANDARD

LETTERS = [suit.letter for suit in STANDARD]


def preset(settings: dict[str, Any], **more: Any) -> Hanabi:
    return Hanabi(**settings, **more)


CONFIGURATIONS = {
    "full-2p": Hanabi(players=2),
    "full-5p": Hanabi(players=5),
    "minimal": preset(SMALL, players=3, observation="minimal"),
    "seer": preset(SMALL, observation="seer"),
    "jaxmarl": Hanabi(players=2, encoding="jaxmarl"),
    "very-small": preset(VERY_SMALL),
    "variant": Hanabi(players=2, variant="black-rainbow-6"),
    "odd": Hanabi(players=3, colors=2, ranks=3, hand_size=3, copies=(3, 2, 1), life_tokens=20),
}


@functools.cache
def random_game(game: Hanabi, seed: int) -> list[State]:
    """Every position of a random game."""
    rng = np.random.default_rng(seed)
    states = [game.reset(jax.random.key(seed))]
    while not states[-1].done:
        legal = np.flatnonzero(game.view(states[-1], states[-1].seat).legal)
        states.append(game.step(states[-1], jnp.full(game.players, rng.choice(legal))).state)
    return states


def names(game: Hanabi) -> list[str]:
    return [suit.name for suit in game.suits]


def named(game: Hanabi, face: int) -> str:
    return f"{names(game)[face // game.ranks]} {face % game.ranks + 1}"


def whose(position: int) -> str:
    return "your" if position == 0 else f"player +{position}'s"


def true_sentences(table: Table) -> set[str]:
    """All descriptions that hold at a table, written from its plain values without looking at any bit."""
    game = table.game
    true = set()
    for position, hand in enumerate(table.hands):
        for slot, card in enumerate(hand, start=1):
            if card is None:
                continue
            if card.face is not None:
                true.add(f"Player +{position}'s card in slot {slot} is {named(game, card.face)}.")
            if game.observation != "minimal":
                true |= knowledge_sentences(game, position, slot, card)
        if len(hand) > sum(card is not None for card in hand):
            true.add(f"{whose(position).capitalize()} hand is short of a card.")
    true |= {f"At least {n} {'card' if n == 1 else 'cards'} left in the deck." for n in range(1, table.deck + 1)}
    true |= {f"At least {n} {'hint token' if n == 1 else 'hint tokens'} left." for n in range(1, table.info + 1)}
    true |= {f"At least {n} {'life' if n == 1 else 'lives'} left." for n in range(1, table.lives + 1)}
    for color, height in enumerate(table.stacks):
        if height:
            top = f"{names(game)[color]} {height}"
            true.add(f"The top of the {names(game)[color]} firework is {top}.")
        for rank, count in enumerate(table.discards[color]):
            true |= discard_sentences(game, color, rank, count)
    return true | last_move_sentences(table)


def knowledge_sentences(game, position, slot, card) -> set[str]:
    place = f"{whose(position)} card in slot {slot}"
    owner = "you" if position == 0 else f"player +{position}"
    true = set()
    if card.color_told:
        verb = "may be" if "rainbow" in names(game) else "is"
        true |= {f"A hint has told {owner} that {place} {verb} {names(game)[color]}." for color in card.colors}
    if card.rank_told:
        true.add(f"A hint has told {owner} that {place} is a {card.ranks[0] + 1}.")
    for color in card.colors:
        for rank in card.ranks:
            true.add(f"The hints on {place} leave open that it is {names(game)[color]} {rank + 1}.")
    return true


def discard_sentences(game, color, rank, count) -> set[str]:
    card = f"{names(game)[color]} {rank + 1}"
    total = 1 if names(game)[color] == "black" else game.copies[rank]
    if total == 1:
        return {f"The only copy of {card} is in the discard pile."} if count else set()
    return {
        f"At least {n} of the {total} copies of {card} {'is' if n == 1 else 'are'} in the discard pile."
        for n in range(1, count + 1)
    }


def last_move_sentences(table: Table) -> set[str]:
    game, last = table.game, table.last
    if last is None:
        return set()
    player = ["you", *(f"player +{p}" for p in range(1, game.players))]
    kinds = {"play": "a play", "discard": "a discard", "color": "a colour hint", "rank": "a rank hint"}
    true = {
        f"The last move was made by {player[last.actor]}.",
        f"The last move was {kinds[last.action.kind]}.",
    }
    if last.target is not None:
        true.add(f"The last move was a hint to {player[last.target]}.")
        true |= {f"The last move was a hint that touched slot {slot + 1}." for slot in last.touched}
        if last.action.kind == "color":
            true.add(f"The last move hinted the colour {names(game)[last.action.value]}.")
        else:
            true.add(f"The last move hinted the rank {last.action.value + 1}.")
        return true
    true.add(f"The last move played or discarded the card in slot {last.action.slot + 1}.")
    true.add(f"The last move played or discarded {named(game, last.face)}.")
    if last.scored:
        true.add("The last move was a play that scored.")
    if last.token and last.action.kind == "play":
        true.add("The last move was a play that gave a hint token back.")
    return true


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_bit_has_its_own_description(name):
    game = CONFIGURATIONS[name]
    described = [game.describe(bit) for bit in range(game.observation_shape[0])]
    assert len(set(described)) == len(described)
    assert all(text.endswith(".") and text[0].isupper() for text in described)


@pytest.mark.parametrize("name", [name for name in CONFIGURATIONS if name != "jaxmarl"])
def test_the_set_bits_describe_exactly_what_is_true(name):
    game = CONFIGURATIONS[name]
    described = np.array([game.describe(bit) for bit in range(game.observation_shape[0])])
    states = random_game(game, 0)
    for number in {*range(0, len(states), 4), len(states) - 1}:
        view = game.view(states[number], number % game.players)
        bits = np.asarray(view.vector).astype(bool)
        assert set(described[bits]) == true_sentences(read_view(view))


def test_beliefs_are_described_as_chances():
    game = CONFIGURATIONS["jaxmarl"]
    assert game.describe(308) == (
        "The chance that your card in slot 1 is red 1, judged by the hints on it and the copies "
        "neither discarded nor played (a number from 0 to 1)."
    )


@pytest.mark.parametrize("bit", [-1, 658, 10**30, 2.0, True, "7", None])
def test_a_bit_outside_the_vector_is_refused(bit):
    with pytest.raises(GameError, match=r"bit=.* from 0 to 657"):
        CONFIGURATIONS["full-2p"].describe(bit)


def test_bits_and_actions_may_be_numpy_integers():
    game = CONFIGURATIONS["full-2p"]
    assert game.describe(np.int64(0)) == "Player +1's card in slot 1 is red 1."  # pyright: ignore[reportArgumentType]
    assert game.action_text(np.int32(0)) == "discard slot 1"  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_action_parts_are_those_of_the_rules(name):
    game = CONFIGURATIONS[name]
    for action in range(game.num_actions):
        parts = actions.split(game, action)
        assert actions.join(game, parts) == action
        move = rules.decode(game, jax.numpy.int32(action))
        flags = {"discard": move.discard, "play": move.play, "color": move.color_hint, "rank": move.rank_hint}
        assert [kind for kind, flag in flags.items() if flag] == [parts.kind]
        if parts.kind in ("color", "rank"):
            assert (int(move.offset), int(move.value)) == (parts.offset, parts.value)
        else:
            assert int(move.slot) == parts.slot


def test_actions_in_words():
    game = Hanabi(players=3)
    assert game.action_text(0) == "discard slot 1"
    assert game.action_text(9) == "play slot 5"
    assert game.action_text(10) == "hint player +1 colour red"
    assert game.action_text(29) == "hint player +2 rank 5"
    assert words.action_text(game, 29, actor=2, names=["Ann", "Bob", "Cy"]) == "hint Bob rank 5"
    with pytest.raises(GameError, match=r"action=30: .* from 0 to 29"):
        game.action_text(30)
    with pytest.raises(GameError, match="one name per seat, 3 in all"):
        words.action_text(game, 29, names=["Ann"])


def test_a_view_in_words_says_everything_once():
    game = Hanabi(players=2, colors=2, ranks=3, hand_size=3, info_tokens=3)
    deck = [(0, 0), (1, 2), (0, 1), (1, 0), (1, 0), (0, 2), (0, 0), (1, 1), (0, 0), (1, 0), (0, 1), (1, 1)]
    state = game.deal(np.array(deck))
    state = game.step(state, jnp.array([3, 0])).state  # plays R1
    state = game.step(state, jnp.array([0, 6])).state  # hints red, touching slot 2
    assert game.view(state, 0).text() == (
        "Hanabi, 2 players. You are seat 0. Colours: R red, Y yellow. Ranks: 1 to 3. "
        "Slot 1 is the oldest card of a hand.\n"
        "Score: 1 of 6. Hint tokens: 2 of 3. Lives: 3 of 3. Cards in the deck: 5.\n"
        "Fireworks: red 1, yellow 0. Playable now: R2, Y1.\n"
        "Discard pile: empty.\n"
        "Last move: Player +1 hinted you colour red, touching slots 2 and 3.\n"
        "Your hand (hidden from you):\n"
        "  slot 1: you know yellow (deduced)\n"
        "  slot 2: you know red (told)\n"
        "  slot 3: you know red (told)\n"
        "Player +1 (seat 1):\n"
        "  slot 1: Y1, its owner knows nothing\n"
        "  slot 2: Y1, its owner knows nothing\n"
        "  slot 3: R3, its owner knows nothing\n"
        "It is your turn.\n"
        "Legal moves (action id: move):\n"
        "  0: discard slot 1\n"
        "  1: discard slot 2\n"
        "  2: discard slot 3\n"
        "  3: play slot 1\n"
        "  4: play slot 2\n"
        "  5: play slot 3\n"
        "  6: hint player +1 colour red (touches slot 3)\n"
        "  7: hint player +1 colour yellow (touches slots 1 and 2)\n"
        "  8: hint player +1 rank 1 (touches slots 1 and 2)\n"
        "  10: hint player +1 rank 3 (touches slot 3)"
    )
    assert words.legal_moves_text(game.view(state, 1)) == "Legal moves: none."
    assert "\nIt is player +1's turn.\n" in game.view(state, 1).text()


def test_names_replace_positions():
    game = Hanabi(players=3)
    state = game.step(game.reset(jax.random.key(0)), jnp.array([5, 0, 0])).state
    text = words.view_text(game.view(state, 1), names=["Ann", "bob", "Cy"])
    assert "You are bob, seat 1." in text
    assert "Last move: Ann played " in text
    assert "Player +2 (seat 0), Ann:" in text
    assert "hint Cy colour" in text
    assert "player +1" not in text


@pytest.mark.parametrize("name", ["full-2p", "full-5p"])
def test_words_and_numpy_views_agree_and_hide_the_own_hand(name):
    game = CONFIGURATIONS[name]
    for state in random_game(game, 0)[::5]:
        view = game.view(state, state.seat)
        text = view.text()
        assert jax.device_get(view).text() == text
        own = text.split("Your hand (hidden from you):\n")[1].split("Player +1")[0]
        assert all(f": {letter}" not in own for letter in LETTERS)
        for action in np.flatnonzero(view.legal):
            assert f"  {action}: {game.action_text(int(action))}" in text


def test_an_open_position_shows_every_card():
    game = CONFIGURATIONS["full-2p"]
    state = game.reset(jax.random.key(5))
    text = words.state_text(game, state, names=["Ann", "Bob"])
    assert "Seat 0, Ann:" in text
    assert "Seat 1, Bob:" in text
    for slot, (color, rank) in enumerate(game.deck_of(state)[:5]):
        assert f"  slot {slot + 1}: {LETTERS[color]}{rank + 1}, its owner knows nothing" in text
    assert read_state(game, state).legal == ()


def test_the_end_is_told_with_its_reason():
    table = read_view(CONFIGURATIONS["full-2p"].view(random_game(CONFIGURATIONS["full-2p"], 0)[-1], 0))
    ends = {
        "the last life was lost. Score 0 of 25.": replace(table, lives=0, score=0),
        "every firework is complete. Score 25 of 25.": replace(table, lives=1, stacks=(5,) * 5, score=25),
        "the last round is over. Score 3 of 25.": replace(table, lives=1, stacks=(3, 0, 0, 0, 0), score=3),
    }
    for ending, over in ends.items():
        assert words.turn_text(over) == f"The game is over: {ending}"


def test_the_last_round_is_announced():
    game = preset(VERY_SMALL, players=5)
    assert game.view(game.reset(jax.random.key(0)), 0).text().count("the deck is empty and 5 moves are left.") == 1


def test_the_table_of_sections_in_the_docs_is_true():
    page = (Path(__file__).parents[4] / "docs" / "hanabi.md").read_text()
    columns = [*(Hanabi(players=players) for players in (2, 3, 4, 5)), preset(SMALL), preset(VERY_SMALL)]
    begin = [0] * len(columns)
    for section in columns[0].observation_sections:
        cells = []
        for i, game in enumerate(columns):
            size = game.observation_sections[section]
            cells.append(f"{begin[i]}–{begin[i] + size - 1}" if size > 1 else str(begin[i]))
            begin[i] += size
        assert f"| {section} | {' | '.join(cells)} |" in page
    assert columns[1].describe(429) == "The last move was a play that scored."
