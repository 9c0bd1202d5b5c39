"""What a person types becomes the move that was meant, or a sentence that helps."""

from __future__ import annotations

import contextlib
import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coplay.worlds.hanabi import Hanabi
from coplay.worlds.hanabi.people.table import Table, read_view
from coplay.worlds.hanabi.people.typed import Mistake, read_action, read_move


def open_table(players: int, **changes) -> Table:
    """A first turn with every action declared legal, unless `changes` say otherwise."""
    game = Hanabi(players=players)
    deck = np.stack(np.divmod(game.sorted_deck.astype(int), 5), axis=1)
    table = read_view(game.view(game.deal(deck), 0))
    return dataclasses.replace(table, **({"legal": tuple(range(game.num_actions))} | changes))


TWO, THREE = open_table(2), open_table(3)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("p3", "play slot 3"),
        ("P 3", "play slot 3"),
        ("play slot 3", "play slot 3"),
        ("d1", "discard slot 1"),
        ("discard 1", "discard slot 1"),
        ("h red", "hint player +1 colour red"),
        ("h r", "hint player +1 colour red"),
        ("h1 B", "hint player +1 colour blue"),
        ("h2", "hint player +1 rank 2"),
        ("h 2", "hint player +1 rank 2"),
        ("h1 2", "hint player +1 rank 2"),
        ("hint player +1 rank 2", "hint player +1 rank 2"),
        ("hint player +1 colour white", "hint player +1 colour white"),
        ("19", "hint player +1 rank 5"),
        ("0", "discard slot 1"),
    ],
)
def test_short_and_long_forms_mean_the_same(text, move):
    assert TWO.game.action_text(read_move(TWO, text)) == move


def test_among_several_partners_a_hint_names_its_target():
    assert THREE.game.action_text(read_move(THREE, "h2 red")) == "hint player +2 colour red"
    assert THREE.game.action_text(read_move(THREE, "h1 2")) == "hint player +1 rank 2"
    for text in ("h red", "h2", "h"):
        with pytest.raises(Mistake, match=r"Say to whom and what: h1 red or h1 2, with 1 \(next player\) to 2"):
            read_move(THREE, text)


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("", "Type a move such as p1"),
        ("hello", "'hello' is not a move"),
        ("p", "Say which slot: p1 to p5"),
        ("p six", "Say which slot: p1 to p5"),
        ("p0", r"no slot 0; your slots are 1 \(oldest\) to 5"),
        ("d6", "no slot 6"),
        ("h3 red", r"no player \+3; the others are \+1 to \+1"),
        ("h1 purple", "'purple' is no colour of this game; they are red, yellow"),
        ("h 7", "no rank 7; ranks are 1 to 5"),
        ("20", "There is no move 20; l lists"),
        ("9" * 5000, "There is no move 9"),
    ],
)
def test_nonsense_is_answered_with_help(text, help):
    with pytest.raises(Mistake, match=help):
        read_move(TWO, text)


@pytest.mark.parametrize(
    ("text", "changes", "reason"),
    [
        ("d1", {}, "You cannot discard slot 1: all 8 hint tokens are there. Play a card or give a hint."),
        ("h r", {"info": 0}, "You cannot hint player +1 colour red: no hint token is left. Play or discard a card."),
        ("h b", {}, "You cannot hint player +1 colour blue: it would touch no card. l lists the hints that do."),
        ("p5", {"hands": ((None,) * 5, TWO.hands[1])}, "You cannot play slot 5: there is no card in it."),
    ],
)
def test_a_move_against_the_rules_is_answered_with_the_rule(text, changes, reason):
    with pytest.raises(Mistake) as mistake:
        read_move(open_table(2, legal=(), **changes), text)
    assert str(mistake.value) == reason


@settings(max_examples=50, deadline=None)
@given(st.text())
def test_no_text_does_harm(text):
    for table in (TWO, THREE):
        with contextlib.suppress(Mistake):
            assert read_move(table, text) in table.legal


def test_an_action_can_be_read_where_the_rules_refuse_it():
    full = dataclasses.replace(TWO, legal=())
    with pytest.raises(Mistake, match="You cannot discard slot 1"):
        read_move(full, "d1")
    assert TWO.game.action_text(read_action(TWO.game, "d1")) == "discard slot 1"
