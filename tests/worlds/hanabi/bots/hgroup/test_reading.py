"""What clues mean to the one who receives them."""

from __future__ import annotations

import pytest

from coplay.worlds.hanabi.bots.hgroup.labels import ClueLabel
from coplay.worlds.hanabi.bots.hgroup.reading import order_of_ones
from coplay.worlds.hanabi.bots.hgroup.table import Clue
from coplay.worlds.hanabi.bots.hgroup.update import hear_clue, see_discard, see_play
from tests.worlds.hanabi.bots.hgroup.referee import card, clue, names, seat

OTHERS = "y3 y4 b4 g4 p4"  # a hand that helps nobody


def test_the_focus_of_a_clue_that_touches_the_chop_is_the_chop():
    table = seat(OTHERS, "r1 y4 r3 b3 p3")
    assert clue(table, 0, 1, "r").focus == 5


def test_otherwise_the_focus_is_the_newest_new_card():
    table = seat(OTHERS, "y4 r3 b3 r1 p3")
    assert clue(table, 0, 1, "r").focus == 8


def test_a_clue_without_new_cards_has_its_focus_on_the_newest_touched_one():
    table = seat(OTHERS, "y4 r3 b3 r1 p3", info=8)
    clue(table, 0, 1, "r")
    assert clue(table, 0, 1, "r").focus == 8


def test_a_play_clue_promises_the_next_card():
    table = seat(OTHERS, "y4 b3 p3 g3 r1")
    meaning = clue(table, 0, 1, "r")
    assert meaning.label is ClueLabel.PLAY
    assert names(table.inferred[9]) == {"r1"}


def test_a_card_can_play_after_one_that_is_gotten():
    table = seat(OTHERS, "y4 b3 p3 g3 r1")
    clue(table, 0, 1, "r")
    table = seat(OTHERS, "y4 b3 r2 g3 r1")
    clue(table, 0, 1, "1")
    meaning = clue(table, 0, 1, "2")
    assert meaning.label is ClueLabel.DELAYED
    assert "r2" in names(table.inferred[7])


def test_a_5_on_chop_may_be_saved_by_rank_only():
    table = seat(OTHERS, "r5 b3 p3 g3 y4")
    assert clue(table, 0, 1, "5").label is ClueLabel.SAVE_5
    assert names(table.inferred[5]) == {"r5", "y5", "g5", "b5", "p5"}
    table = seat(OTHERS, "r5 b3 p3 g3 y4")
    assert clue(table, 0, 1, "r").label is ClueLabel.UNEXPLAINED
    assert names(table.inferred[5]) == {"r1"}


def test_a_2_on_chop_may_be_saved_by_rank_only():
    table = seat(OTHERS, "r2 b3 p3 g3 y4")
    assert clue(table, 0, 1, "2").label is ClueLabel.SAVE_2
    table = seat(OTHERS, "r2 b3 p3 g3 y4")
    assert clue(table, 0, 1, "r").label is ClueLabel.UNEXPLAINED


def test_a_2_whose_twin_is_seen_elsewhere_needs_no_save():
    table = seat(OTHERS, "r2 b3 p3 g3 y4", "b4 g4 r2 p4 b3")
    assert clue(table, 0, 1, "2").label is ClueLabel.UNEXPLAINED


def test_the_same_2_on_two_chops_may_be_saved():
    table = seat(OTHERS, "r2 b3 p3 g3 y4", "r2 g4 b3 p4 b4")
    assert clue(table, 0, 1, "2").label is ClueLabel.SAVE_2


@pytest.mark.parametrize("what", ["r", "4"])
def test_the_last_copy_may_be_saved_by_colour_and_by_rank(what: str):
    table = seat(OTHERS, "r4 b3 p3 g3 y3", gone="r4")
    assert clue(table, 0, 1, what).label is ClueLabel.SAVE_CRITICAL


def test_off_the_chop_nothing_can_be_saved():
    table = seat(OTHERS, "b3 r4 p3 g3 y3", gone="r4")
    assert clue(table, 0, 1, "r").label is ClueLabel.UNEXPLAINED


def test_unknown_1s_play_from_the_chop_then_late_draws_then_the_deal():
    table = seat(OTHERS, "r1 b1 p3 g1 y3")
    clue(table, 0, 1, "1")
    table.draw(1, card("y1"))
    table.touched |= 1 << 10
    assert order_of_ones(table, [5, 6, 8, 10]) == [5, 10, 6, 8]


def test_playing_1s_out_of_order_moves_the_next_chop():
    table = seat(OTHERS, "r1 b1 p3 g1 y3")
    clue(table, 0, 1, "1")
    see_play(table, 1, 6, card("b1"), card("y4"))
    assert table.moved & 1


def test_a_finesse_calls_the_third_hand():
    table = seat(OTHERS, "y4 b3 p3 g3 r1", "b4 g4 y3 r2 p4")
    meaning = clue(table, 0, 2, "r")
    assert meaning.label is ClueLabel.FINESSE
    assert table.finessed >> 9 & 1
    assert names(table.inferred[13]) == {"r1", "r2"}


def test_the_receiver_knows_the_finesse_when_the_called_card_plays():
    table = seat(OTHERS, "y4 b3 p3 g3 r1", "b4 g4 y3 r2 p4", viewer=2)
    clue(table, 0, 2, "r", hand="b4 g4 y3 r2 p4")
    see_play(table, 1, 9, card("r1"), card("y3"))
    assert names(table.inferred[13]) == {"r2"}


def test_the_receiver_knows_the_plain_card_when_nobody_plays():
    table = seat(OTHERS, "y4 b3 p3 g3 r1", "b4 g4 y3 r1 p4", viewer=2)
    clue(table, 0, 2, "r", hand="b4 g4 y3 r1 p4")
    assert names(table.inferred[13]) == {"r1", "r2"}
    see_discard(table, 1, 5, card("y4"), card("y3"))
    assert names(table.inferred[13]) == {"r1"}


def test_the_called_player_finds_the_card_in_his_finesse_position():
    table = seat(OTHERS, "y4 b3 p3 g3 r1", "b4 g4 y3 r2 p4", viewer=1)
    clue(table, 0, 2, "r")
    assert table.known_plays(1) == [9]


def test_prompts_come_before_finesses():
    table = seat(OTHERS, "y4 r2 p3 g3 r1", "b4 g4 y3 r3 p4")
    clue(table, 0, 1, "r")
    see_play(table, 1, 9, card("r1"), card("b1"))
    meaning = clue(table, 0, 2, "3")
    assert meaning.label is ClueLabel.PROMPT
    assert names(table.inferred[6]) == {"r2"}


def test_a_layered_finesse_plays_what_lies_in_front_first():
    table = seat(OTHERS, "y4 b3 p3 r1 g1", "b4 g4 y3 r2 p4", viewer=1)
    clue(table, 0, 2, "r")
    assert table.known_plays(1) == [9]
    see_play(table, 1, 9, card("g1"), -1)
    assert table.known_plays(1) == [8]


def test_a_self_finesse_is_read_only_when_nothing_else_explains_the_clue():
    table = seat(OTHERS, "y4 b3 r2 g3 r1", viewer=1)
    clue(table, 0, 1, "2", hand="y4 b3 r2 g3 r1")
    assert table.finessed >> 9 & 1
    table = seat(OTHERS, "y4 b3 r2 g3 r1", viewer=1, stacks="g1")
    clue(table, 0, 1, "2", hand="y4 b3 r2 g3 r1")
    assert not table.finessed >> 9 & 1
    assert names(table.inferred[7]) == {"g2"}


def test_an_off_chop_5_is_a_stall_in_the_early_game():
    table = seat(OTHERS, "y4 b3 p3 g3 r5", early=True)
    assert clue(table, 0, 1, "5").label is ClueLabel.FIVE_STALL


def test_a_5_next_to_the_chop_moves_the_chop_later():
    table = seat(OTHERS, "y4 r5 p3 g3 b3")
    assert clue(table, 0, 1, "5").label is ClueLabel.FIVE_CHOP_MOVE
    assert table.chop(1) == 7


def test_touching_known_trash_moves_the_older_cards():
    table = seat(OTHERS, "y4 b3 p3 r1 g3", stacks="r1 y1 g1 b1 p1")
    assert clue(table, 0, 1, "1").label is ClueLabel.TRASH_CHOP_MOVE
    assert table.chop(1) == 9


def test_a_fix_clue_takes_a_false_promise_back():
    table = seat(OTHERS, "y4 b3 p3 g3 r3", stacks="r1")
    clue(table, 0, 1, "r")
    assert names(table.inferred[9]) == {"r2"}
    assert clue(table, 0, 1, "3").label is ClueLabel.FIX
    assert table.known_plays(1) == []


def test_a_sarcastic_discard_tells_the_other_holder():
    table = seat("r3 y4 b4 g4 p4", "y3 b3 p3 g3 r3", stacks="r1")
    table.touched |= 1 << 0 | 1 << 9
    table.possible[0] = table.inferred[0] = 1 << card("r3")
    table.possible[9] = table.inferred[9] = 1 << card("r3") | 1 << card("b3")
    see_discard(table, 0, 0, card("r3"), card("y1"))
    assert names(table.inferred[9]) == {"r3"}


def test_level_1_knows_no_finesse_and_level_3_no_chop_move():
    table = seat(OTHERS, "y4 b3 p3 g3 r1", "b4 g4 y3 r2 p4")
    table.level = 1
    assert clue(table, 0, 2, "r").label is ClueLabel.UNEXPLAINED
    table = seat(OTHERS, "y4 r5 p3 g3 b3")
    table.level = 3
    assert clue(table, 0, 1, "5").label is ClueLabel.UNEXPLAINED


def test_a_clue_that_contradicts_every_note_leaves_the_facts():
    table = seat(OTHERS, "y4 b3 p3 g3 r1", viewer=1)
    hear_clue(table, Clue(0, 1, False, 0, (9,)))
    hear_clue(table, Clue(0, 1, True, 3, (9,)))
    assert names(table.inferred[9]) == {"r4"}
