"""The rules as sentences, on small hand-made deals."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay

# Two players with two cards each of one colour: ranks 0 to 4, copies 3 2 2 2 1.
GAME: Any = coplay.make("hanabi-very-small", life_tokens=2)
DISCARD, PLAY, COLOR, RANK = 0, 2, 4, 5
step_jit = jax.jit(GAME.step)


def deal(*ranks: int) -> Any:
    """Seat 0 gets the first two ranks, seat 1 the next two; the rest of the deck follows in order."""
    left = [rank for rank, copies in enumerate(GAME.copies) for _ in range(copies)]
    for rank in ranks:
        left.remove(rank)
    return GAME.deal(np.asarray([(0, rank) for rank in [*ranks, *left]]))


def after(state: Any, *actions: int) -> Any:
    """The last step of a list of actions, all of which must be legal."""
    step = None
    for action in actions:
        step = step_jit(state, jnp.full(2, action))
        assert not step.events.illegal.any(), f"action {action} is illegal"
        state = step.state
    return step


def legal(state: Any) -> set[int]:
    seat = int(state.seat)
    return set(np.flatnonzero(np.asarray(GAME.legal(GAME.view(state, seat)))).tolist())


def test_a_playable_card_scores_a_point():
    step = after(deal(0, 1, 2, 3), PLAY)
    assert step.reward == 1
    assert GAME.score(step.state) == 1


def test_a_card_out_of_order_costs_a_life_and_lands_on_the_discard_pile():
    step = after(deal(1, 1, 2, 3), PLAY)
    assert step.reward == 0
    assert step.state.lives == 1
    assert GAME.view(step.state, 0).discards[0, 1] == 1
    assert step.state.info == GAME.info_tokens  # no token for a misplay


def test_the_last_life_takes_all_points_but_leaves_the_stacks():
    step = after(deal(0, 2, 3, 3), PLAY, PLAY, PLAY)
    assert step.done
    assert step.reward == -1
    assert GAME.score(step.state) == 0
    assert GAME.view(step.state, 0).fireworks[0] == 1


def test_points_may_be_kept_after_the_last_life():
    game: Any = coplay.make("hanabi-very-small", life_tokens=2, lost_lives_score="fireworks")
    state = deal(0, 2, 3, 3)
    for _ in range(3):
        state = game.step(state, jnp.full(2, PLAY)).state
    assert state.done
    assert game.score(state) == 1


def test_a_hint_costs_a_token_and_a_discard_returns_it():
    state = deal(0, 1, 2, 3)
    state = after(state, COLOR).state
    assert state.info == GAME.info_tokens - 1
    assert after(state, DISCARD).state.info == GAME.info_tokens


def test_a_hint_that_touches_nothing_is_illegal():
    state = deal(0, 1, 2, 3)
    assert legal(state) == {PLAY, PLAY + 1, COLOR, RANK + 2, RANK + 3}


def test_discarding_is_illegal_with_all_tokens_in_hand():
    assert DISCARD not in legal(deal(0, 1, 2, 3))
    assert DISCARD in legal(after(deal(0, 1, 2, 3), COLOR).state)


def test_hinting_is_illegal_without_a_token():
    state = after(deal(0, 1, 2, 3), COLOR, COLOR, COLOR).state
    assert state.info == 0
    assert not any(action >= COLOR for action in legal(state))


def test_an_illegal_action_is_marked_and_changes_nothing():
    state = deal(0, 1, 2, 3)
    for action in (DISCARD, RANK, -1, GAME.num_actions, 10**6):
        step = step_jit(state, jnp.full(2, action))
        assert step.events.illegal.tolist() == [True, False]
        assert all((a == b).all() for a, b in zip(jax.tree.leaves(step.state), jax.tree.leaves(state), strict=True))


def test_the_action_of_the_seat_not_to_move_is_ignored():
    state = deal(0, 1, 2, 3)
    a, b = step_jit(state, jnp.asarray([PLAY, -7])), step_jit(state, jnp.asarray([PLAY, COLOR]))
    assert all((x == y).all() for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True))


def test_younger_cards_move_down_and_the_new_card_is_the_last():
    state = after(deal(0, 1, 2, 3), PLAY).state
    view = GAME.view(state, 1)
    assert view.cards[1].tolist() == [1, 0]  # the old slot 1, then the first card of the rest of the deck


def test_knowledge_travels_with_its_card():
    state = after(deal(0, 1, 2, 3), RANK + 3, PLAY).state  # seat 0 tells seat 1's slot 1 its rank; seat 1 plays slot 0
    view = GAME.view(state, 1)
    assert view.rank_told[0].tolist() == [True, False]
    assert view.possible[0, 0, 0].tolist() == [False, False, False, True, False]
    assert view.possible[0, 1].all()


def test_a_hint_excludes_its_value_for_the_cards_it_does_not_touch():
    view = GAME.view(after(deal(0, 1, 2, 3), RANK + 3).state, 1)
    assert view.possible[0, 0, 0].tolist() == [True, True, True, False, True]
    assert not view.rank_told[0, 0]


def test_completing_a_stack_returns_a_token():
    state = deal(0, 1, 0, 0, 2, 3, 4)
    step = after(state, PLAY, COLOR, PLAY, COLOR, PLAY, COLOR, PLAY, DISCARD, PLAY)
    assert step.done
    assert GAME.score(step.state) == 5
    assert step.state.info == 2
    assert step.state.last.token


def test_completing_a_stack_with_all_tokens_in_hand_returns_none():
    state = deal(0, 1, 0, 0, 2, 3, 1, 4)
    step = after(state, PLAY, COLOR, PLAY, DISCARD, PLAY, COLOR, PLAY, DISCARD, PLAY)
    assert step.done
    assert step.state.info == GAME.info_tokens
    assert not step.state.last.token


def test_every_seat_has_one_more_turn_after_the_last_card_is_drawn():
    state = deal(0, 1, 2, 3)
    turns = 0
    while not state.done:
        action = COLOR if state.info > 0 else DISCARD
        empty_before = state.drawn >= GAME.num_cards
        state = step_jit(state, jnp.full(2, action)).state
        turns += bool(empty_before)
    assert turns == GAME.players
    assert GAME.score(state) == 0


def test_the_longest_game_has_the_stated_number_of_turns():
    for players in (2, 3, 4, 5):
        assert coplay.make("hanabi", players=players).max_steps == {2: 89, 3: 80, 4: 79, 5: 72}[players]
    assert coplay.make("hanabi-small").max_steps == 36
    assert coplay.make("hanabi-very-small").max_steps == 16


def test_an_action_list_replays_a_shuffled_game():
    game: Any = coplay.make("hanabi", players=3, start_player="random")
    state = game.reset(jax.random.key(3))
    again = game.deal(game.deck_of(state), int(state.seat))
    assert all((a == b).all() for a, b in zip(jax.tree.leaves(state), jax.tree.leaves(again), strict=True))


def test_decks_are_shuffled_uniformly():
    game: Any = coplay.make("hanabi")
    decks = jax.jit(jax.vmap(lambda key: game.reset(key).deck))(jax.random.split(jax.random.key(0), 20_000))
    counts = np.stack([np.bincount(column, minlength=25) for column in np.asarray(decks).T])
    expected = 20_000 * np.tile(game.copies, 5) / 50
    chi_square = ((counts - expected) ** 2 / expected).sum(1)
    # 24 degrees of freedom, 50 places: the largest of 50 such numbers stays below 60 in 99.9 % of cases.
    assert chi_square.max() < 60
    assert (np.sort(np.asarray(decks)[:100], axis=1) == game.sorted_deck).all()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"players": 1}, ["players=1", "2 to 5"]),
        ({"players": 6}, ["players=6", "2 to 5"]),
        ({"players": 2.0}, ["players=2.0", "whole number"]),
        ({"colors": 0}, ["colors=0", "1 to 5"]),
        ({"ranks": 6}, ["ranks=6", "1 to 5"]),
        ({"hand_size": 9}, ["hand_size=9", "1 to 8"]),
        ({"info_tokens": 0}, ["info_tokens=0"]),
        ({"copies": (3, 2)}, ["copies=(3, 2)", "per rank", "(3, 2, 2, 2, 1)"]),
        ({"players": 5, "hand_size": 8, "colors": 2}, ["40 cards", "20", "smaller hand_size"]),
        ({"observation": "all"}, ["observation='all'", "card_knowledge, minimal, seer"]),
        ({"encoding": "hle"}, ["encoding='hle'", "canonical, jaxmarl"]),
        ({"start_player": 2}, ["start_player=2", "0 to 1"]),
        ({"lost_lives_score": "half"}, ["lost_lives_score='half'", "zero, fireworks"]),
        ({"cards": 5}, ["unknown setting 'cards'", "colors"]),
    ],
)
def test_bad_settings_name_the_value_and_the_rule(settings: dict[str, Any], words: list[str]):
    with pytest.raises(coplay.GameError) as caught:
        coplay.make("hanabi", **settings)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_an_unknown_game_suggests_the_nearest():
    with pytest.raises(coplay.GameError, match="Did you mean 'hanabi'"):
        coplay.make("hannabi")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda deck: deck[:-1], ["[50, 2]", "(49, 2)"]),
        (lambda deck: np.where(deck == 4, 5, deck), ["color 0-4", "reaches"]),
        (lambda deck: np.concatenate([deck[:1], deck[:1], deck[2:]]), ["impossible deck", "copies"]),
        (lambda deck: deck.astype(float), ["whole numbers"]),
    ],
)
def test_an_impossible_deck_is_refused(change: Any, words: list[str]):
    game: Any = coplay.make("hanabi")
    deck = game.deck_of(game.reset(jax.random.key(0)))
    deck = deck[np.lexsort((deck[:, 1], deck[:, 0]))][::-1].copy()
    with pytest.raises(coplay.GameError) as caught:
        game.deal(change(deck))
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_wrong_seats_and_action_shapes_are_refused():
    state = deal(0, 1, 2, 3)
    with pytest.raises(coplay.GameError, match="seats are 0 to 1"):
        GAME.view(state, 2)
    with pytest.raises(coplay.GameError, match="one action per seat"):
        GAME.step(state, jnp.zeros(3, jnp.int32))
    with pytest.raises(coplay.GameError, match="whole numbers"):
        GAME.step(state, jnp.asarray([2.0, 0.0]))
    for too_large in (2**32 + PLAY, -(2**40), 2**63 - 1):
        assert GAME.step(state, np.asarray([too_large, 0])).events.illegal[0]  # pyright: ignore[reportArgumentType]
    with pytest.raises(coplay.GameError, match="start_player=5"):
        GAME.deal(GAME.deck_of(state), 5)
