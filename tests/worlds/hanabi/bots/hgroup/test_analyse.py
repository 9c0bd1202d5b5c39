"""Recorded games of an independent H-Group program are read as it labels them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coplay.worlds.hanabi.bots.hgroup.analyse import MoveReading, read_game
from coplay.worlds.hanabi.bots.hgroup.labels import CHOP_MOVES, PLAYS, SAVES, ClueLabel, PlayLabel, Violation
from tests.worlds.hanabi.bots.hgroup.referee import play, shuffled

GOLDEN = Path(__file__).parents[4] / "golden" / "bots" / "hgroup.npz"


def coarse(reading: MoveReading) -> str:
    """Our label in the program's words; it says "save" as soon as one reading of the focus is a save."""
    label = reading.label
    assert isinstance(label, ClueLabel)
    if label in SAVES or reading.promised_save:
        return "save"
    if label in PLAYS or label is ClueLabel.TEMPO:
        return "play"
    others = {
        ClueLabel.FIX: "fix",
        ClueLabel.LOCKED_SAVE: "locked save",
        ClueLabel.EIGHT_CLUE_SAVE: "8cs",
        ClueLabel.TRASH_CHOP_MOVE: "trash cm",
        ClueLabel.FIVE_CHOP_MOVE: "5cm",
        ClueLabel.UNEXPLAINED: "none (clue)",
    }
    return others.get(label, str(label))


@pytest.mark.parametrize(("players", "share"), [(2, 0.92), (3, 0.94), (4, 0.94), (5, 0.89)])
def test_about_nine_clues_in_ten_or_more_are_read_as_the_program_means_them(players: int, share: float):
    with np.load(GOLDEN) as data:
        decks, actions, labels = (data[f"{name}_{players}p"] for name in ("decks", "actions", "labels"))
        vocabulary = data["vocabulary"].tolist()
    same = total = 0
    for deck, moves, told in zip(decks.tolist(), actions.tolist(), labels.tolist(), strict=True):
        for reading, label in zip(read_game(deck, moves, players), told, strict=False):
            if reading.kind == "clue":
                total += 1
                same += coarse(reading) == vocabulary[label]
    assert total > 100
    assert same >= share * total


def test_a_game_of_the_player_itself_is_read_without_gambles():
    result = play(shuffled(3), 3)
    readings = read_game(shuffled(3), result.actions, 3)
    assert len(readings) == len(result.actions)
    plays = [reading for reading in readings if reading.kind == "play"]
    assert sum(reading.label is PlayLabel.GAMBLE for reading in plays) <= 2
    assert sum(reading.label is ClueLabel.UNEXPLAINED for reading in readings) <= 1


def test_random_play_breaks_the_principles():
    actions = play(shuffled(1), 2, strangeness=1.0).actions
    broken = {violation for reading in read_game(shuffled(1), actions, 2) for violation in reading.violations}
    assert {Violation.GAMBLE, Violation.NON_CHOP} <= broken


def test_reading_stops_at_the_padding():
    assert read_game(shuffled(0), [-1, -1], 2) == []


def test_labels_do_not_overlap():
    assert len(PLAYS | SAVES | CHOP_MOVES) == len(PLAYS) + len(SAVES) + len(CHOP_MOVES)
