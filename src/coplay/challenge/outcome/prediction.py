"""Action prediction: recorded games, decision by decision; each is answered once, and the next is shown only then.

What was done at a decision can be read off the next view of the game: a whole trajectory would give the answers away.
All games of one number of players go forward together: a batch holds the next decision of each that is not through.
Then come those of the next number. The games of all are numbered through, each set from a round number on.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import Prediction, Rules
from coplay.data import DataError
from coplay.data.formats import read
from coplay.data.recorded import recorded_file
from coplay.games import spec_of
from coplay.measure.prediction import action_prediction
from coplay.rollouts.episode import Episodes
from coplay.rollouts.replay import acting_views, all_views
from coplay.views.packed import pack_view

APART = 1_000_000  # between the numbers of the first games of two sets
NAME = "prediction "  # how lines of results begin that are not of games
FLOOR = 1e-6  # no action is impossible: an infinite cross-entropy could not be compared


@dataclasses.dataclass(frozen=True, eq=False)
class Recorded:
    """The decisions of recorded games."""

    players: int
    size: int  # of a view's vector
    vectors: np.ndarray  # uint8 [games, turns, bytes]: packed bits, of the seat to move
    legal: np.ndarray  # bool [games, turns, actions]
    actions: np.ndarray  # int32 [games, turns]
    lengths: np.ndarray  # int32 [games]


@cache
def recorded(prediction: Prediction) -> Recorded:
    """Reads a file of games and replays it; once per process."""
    games = _games(prediction)
    vectors, legal = acting_views(games, lambda view: (games.game.encode(view), games.game.legal(view)))
    packed = np.packbits(vectors, axis=-1)
    return Recorded(games.game.players, vectors.shape[-1], packed, legal, games.actions, games.lengths)


@dataclasses.dataclass(frozen=True, eq=False)
class Seen:
    """What every seat sees before every move: for networks that hear every turn."""

    spec: str  # of the game
    words: int  # of a view
    games: tuple[bytes, ...]  # compressed: uint32 [turns, seats, words] each

    def at(self, games: Sequence[int], turns: Sequence[int], seats: int) -> np.ndarray:
        """uint32 [decisions, seats, words]."""
        found = np.zeros((len(games), seats, self.words), np.uint32)
        for row, (game, turn) in enumerate(zip(games, turns, strict=True)):
            views = np.frombuffer(zlib.decompress(self.games[game]), np.uint32)
            found[row] = views.reshape(-1, seats, self.words)[turn]
        return found


@cache
def seen_by_all(prediction: Prediction) -> Seen:
    """Replays a file of games for all seats; once per process, and only where somebody asks."""
    games = _games(prediction)
    views = np.asarray(all_views(games, pack_view), np.uint32)
    kept = tuple(zlib.compress(one[:length].tobytes(), 1) for one, length in zip(views, games.lengths, strict=True))
    return Seen(spec_of(games.game), views.shape[-1], kept)


@cache
def _games(prediction: Prediction) -> Episodes:
    """As they were checked when the challenge was made; their contents are pinned."""
    return read(recorded_file(prediction.data, prediction.players), check=False)[: prediction.games]


def lengths_of(prediction: Prediction) -> np.ndarray:
    """int32 [games]: how many decisions each has, without replaying them."""
    return np.asarray(_games(prediction).lengths, np.int32)


def sets_of(rules: Rules, rehearsal: bool = False) -> tuple[Prediction, ...]:
    """What an attempt is asked about, in turn."""
    if not rules.predictions:
        raise ChallengeError("this challenge has no action prediction.", 404, "unknown")
    if not rehearsal:
        return rules.predictions
    public = tuple(dataclasses.replace(one, data=one.rehearsal) for one in rules.predictions if one.rehearsal)
    if not public:
        raise ChallengeError("this challenge has no recorded games to rehearse with.", 404, "unknown")
    return public


def check_recorded(rules: Rules) -> None:
    """The recorded games are there, can be replayed, and are of as many players as the rules say; done once, when a
    challenge is made. Those of the pool are checked before it is published."""
    for one in rules.predictions:
        for named in (one.data, *([one.rehearsal] if one.rehearsal else [])):
            try:
                found = read(recorded_file(named, one.players), check=Path(named).exists()).game.players
            except DataError as error:
                raise ChallengeError(f"[[prediction]] {error}") from error
            if one.players not in (None, found):
                raise ChallengeError(f"[[prediction]] {named} holds games of {found} players, not of {one.players}.")


def name_of(prediction: Prediction) -> str:
    """What its line of results is called."""
    return f"{NAME}{prediction.players or recorded(prediction).players}p"


def per_seat(configuration: str, cross_entropy: float | None) -> float | None:
    """As AH2AC2 prints it: per seat and turn. A seat that is not on turn can only wait, which costs nothing."""
    if cross_entropy is None or not configuration.startswith(NAME):
        return None
    return cross_entropy / int(configuration.removeprefix(NAME).removesuffix("p"))


class Answer(NamedTuple):
    """A decision that an entrant has foreseen."""

    game: int
    turn: int
    probabilities: bytes  # float32 [actions]


def of_set(given: Sequence[Answer], number: int) -> list[Answer]:
    """The answers about the games of one set, numbered within it."""
    first = number * APART
    return [one._replace(game=one.game - first) for one in given if first <= one.game < first + APART]


def judge(given: Sequence[Answer], data: Recorded) -> Any:
    """The cross-entropy of the answers about one set of games, with its interval. One that is missing or is of no
    decision raises ValueError."""
    decisions = [(game, turn) for game, length in enumerate(data.lengths) for turn in range(length)]
    if [(one.game, one.turn) for one in given] != decisions:
        raise ValueError(f"{len(given)} answers for {len(decisions)} decisions: they do not fit together")
    logs, legal = [], []
    for game, turn, probabilities in given:
        allowed = data.legal[game, turn]
        row = np.where(allowed, np.frombuffer(probabilities, np.float32), 0).astype(np.float64)
        share = row / row.sum() * (1 - FLOOR) + allowed / allowed.sum() * FLOOR
        logs.append(np.log(share[data.actions[game, turn]]))
        legal.append(allowed.sum())
    return action_prediction(logs, legal, data.players, games=[game for game, _ in decisions]).cross_entropy
