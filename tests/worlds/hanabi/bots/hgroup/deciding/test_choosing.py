"""Which move the conventions recommend."""

from __future__ import annotations

from statistics import mean

import pytest

from coplay.worlds.hanabi.bots.hgroup.analyse import advance, open_table
from coplay.worlds.hanabi.bots.hgroup.deciding.choosing import choose
from coplay.worlds.hanabi.bots.hgroup.deciding.outlook import outlook
from coplay.worlds.hanabi.bots.hgroup.deciding.weighing import Offers, clues
from coplay.worlds.hanabi.bots.hgroup.labels import ClueLabel
from coplay.worlds.hanabi.bots.hgroup.update import see_discard
from tests.worlds.hanabi.bots.hgroup.referee import card, clue, play, seat, shuffled

MINE = "y3 y4 b4 g4 p4"


def test_a_called_card_is_played_at_once():
    table = seat(MINE, "y4 b3 p3 g3 r1", "b4 g4 y3 r2 p4", viewer=1)
    clue(table, 0, 2, "r")
    move = choose(table)
    assert (move.kind, move.order) == ("play", 9)


def test_a_5_on_the_next_chop_is_saved_before_an_own_play():
    table = seat("r1 y4 b4 g4 p4", "b5 y4 p3 g3 b3", viewer=0)
    clue(table, 1, 0, "1", hand="r1 y4 b4 g4 p4")
    table.actor = 0
    move = choose(table)
    assert move.clue is not None
    assert (move.clue.is_rank, move.clue.value) == (True, 4)


def test_without_anything_to_say_the_chop_is_discarded():
    table = seat(MINE, "y4 p3 g3 b3 g4", viewer=0, info=1)
    move = choose(table)
    assert (move.kind, move.order) == ("discard", 0)


def test_known_trash_goes_before_the_chop():
    table = seat("y3 y4 r1 g4 p4", "y4 p3 g3 b3 g4", viewer=0, info=1, stacks="r1 y1 g1 b1 p1")
    table.touched |= 1 << 2
    table.possible[2] = table.inferred[2] = 1 << card("r1")
    move = choose(table)
    assert (move.kind, move.order) == ("discard", 2)


def test_a_clue_that_would_be_misplayed_is_not_honest():
    table = seat(MINE, "y4 b3 p3 g3 r3", viewer=0)
    red = [
        option for option in Offers(table, outlook(table)).every() if option.clue.value == 0 and not option.clue.is_rank
    ]
    assert [option.honest for option in red] == [False]


def test_saving_one_card_is_worth_little_when_a_worse_one_is_discarded_instead():
    table = seat(MINE, "r2 b5 p3 g3 y4", viewer=0)
    values = {(option.clue.is_rank, option.clue.value): option for option in Offers(table, outlook(table)).every()}
    assert values[True, 1].meaning.label is ClueLabel.SAVE_2
    assert values[True, 1].saved < 0


def test_every_clue_touches_a_card():
    table = seat(MINE, "r2 b5 p3 g3 y4", "b4 g4 y3 r2 p4", viewer=0)
    found = [clue for target in (1, 2) for clue in clues(table, target)]
    assert all(clue.touched for clue in found)
    assert len(found) == 5 + 4 + 5 + 3


@pytest.mark.parametrize("players", [2, 3, 5])
def test_clues_ruled_out_early_are_those_that_mislead(players: int):
    deck = shuffled(5)
    tables = [open_table(deck, players, place) for place in range(players)]
    for action in play(deck, players, strangeness=0.1).actions:
        mine = tables[tables[0].actor]
        offers = Offers(mine, outlook(mine))
        honest = [(option.clue, option.value) for option in offers.honest()]
        assert honest == [(option.clue, option.value) for option in offers.every() if option.honest]
        for table in tables:
            advance(table, deck, action)


def test_eight_tokens_forbid_the_discard():
    table = seat(MINE, "y4 p3 g3 b3 g4", viewer=0, info=8)
    assert choose(table).kind != "discard"


def test_the_early_game_ends_with_the_first_chop_discard():
    table = seat(MINE, "y4 p3 g3 b3 g4", early=True)
    see_discard(table, 0, 0, card("y3"), card("r1"))
    assert not table.early


@pytest.mark.parametrize(("players", "games", "floor"), [(2, 12, 21.5), (3, 8, 21.5), (4, 6, 21.0), (5, 5, 20.0)])
def test_self_play_is_strong_and_rarely_strikes_out(players: int, games: int, floor: float):
    results = [play(shuffled(seed), players) for seed in range(games)]
    assert sum(result.strikes == 3 for result in results) <= 1
    assert mean(result.score for result in results) >= floor


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_strangers_never_make_it_crash_or_move_illegally(players: int):
    for seed, strangeness in enumerate((0.1, 0.5, 1.0, 1.0)):
        play(shuffled(seed), players, strangeness, levels=(5, 3, 1, 4, 2))
