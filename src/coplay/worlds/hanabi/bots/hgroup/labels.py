"""What a move can mean: the words of the convention sheet, one string each.

They go into reports as they are, so a page can print them without a table of translations.
"""

from __future__ import annotations

from enum import StrEnum


class ClueLabel(StrEnum):
    """What a clue says, read by somebody who sees the clued hand."""

    PLAY = "play clue"  # the focus plays now
    DELAYED = "delayed play clue"  # the focus plays after cards that are already gotten
    PROMPT = "prompt"  # a touched card must be the missing one
    FINESSE = "finesse"  # an untouched card must be the missing one
    SAVE_5 = "5 save"
    SAVE_2 = "2 save"
    SAVE_CRITICAL = "critical save"
    FIVE_STALL = "5 stall"
    TEMPO = "tempo clue"  # retouches a card that was gotten anyway, to make it play now
    FILL_IN = "fill-in"
    LOCKED_SAVE = "locked hand save"
    EIGHT_CLUE_SAVE = "8 clue save"
    HARD_BURN = "hard burn"
    FIX = "fix clue"
    TRASH_CHOP_MOVE = "trash chop move"
    FIVE_CHOP_MOVE = "5 chop move"
    UNEXPLAINED = "unexplained clue"


PLAYS = frozenset({ClueLabel.PLAY, ClueLabel.DELAYED, ClueLabel.PROMPT, ClueLabel.FINESSE})
SAVES = frozenset({ClueLabel.SAVE_5, ClueLabel.SAVE_2, ClueLabel.SAVE_CRITICAL})
STALLS = frozenset(
    {
        ClueLabel.FIVE_STALL,
        ClueLabel.TEMPO,
        ClueLabel.FILL_IN,
        ClueLabel.LOCKED_SAVE,
        ClueLabel.EIGHT_CLUE_SAVE,
        ClueLabel.HARD_BURN,
    }
)
CHOP_MOVES = frozenset({ClueLabel.TRASH_CHOP_MOVE, ClueLabel.FIVE_CHOP_MOVE})


class PlayLabel(StrEnum):
    """Why a card could be played."""

    KNOWN = "known play"  # the clues alone show that it plays
    PROMISED = "promised play"  # a play clue promised it
    PROMPTED = "prompted play"
    FINESSED = "finessed play"
    GAMBLE = "gamble"


class DiscardLabel(StrEnum):
    """Why a card could be thrown away."""

    KNOWN_TRASH = "known trash"
    CHOP = "chop discard"
    SARCASTIC = "sarcastic discard"
    GOTTEN = "gotten card discard"
    OTHER = "off-chop discard"


class Violation(StrEnum):
    """A principle that a move breaks."""

    GOOD_TOUCH = "bad touch"
    MINIMUM_VALUE = "clue without value"
    WRONG_SAVE = "save of a card that needs none"
    UNPLAYABLE = "play clue on a card that cannot play"
    MISSED_SAVE = "missed save"
    SKIPPED_PLAY = "skipped a promised play"
    NON_CHOP = "discard off the chop"
    EARLY = "discard in the early game"
    GAMBLE = "play of a card nobody promised"
