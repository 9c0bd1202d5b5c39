"""Predicting recorded games: decision by decision, each answered once, never an answer ahead."""

from __future__ import annotations

import base64
import math
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import text

from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome import prediction
from coplay.challenge.outcome.verify import verify_export
from coplay.challenge.rules import Prediction
from coplay.rollouts.play import play
from coplay.serve.ledger import predictions
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.ledger.boards import board
from coplay.serve.ledger.check import check_database
from coplay.serve.ledger.hosting.closing import close_and_score
from coplay.serve.ledger.hosting.export import write_export
from coplay.worlds.hanabi.recordings.ah2ac2 import save_games
from coplay.worlds.hanabi.recordings.episodes import from_episodes
from tests.serve.harness import House, rules


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Prediction:
    from coplay.games import make

    path = tmp_path_factory.mktemp("data") / "games.safetensors"
    save_games(path, from_episodes(play(make("hanabi"), "random", 3)))
    return Prediction(str(path))


def _answer(batch: dict, actions: np.ndarray | None = None) -> np.ndarray:
    rows = len(batch["game"])
    legal = np.frombuffer(base64.b64decode(batch["legal"]), np.uint8).reshape(rows, -1)
    given = np.unpackbits(legal, axis=1, count=batch["actions"]).astype(np.float32)
    if actions is not None:
        given = np.full_like(given, 1e-9)
        given[np.arange(rows), actions[batch["game"], batch["turn"]]] = 1
    return given


@pytest.mark.parametrize("knows", [False, True])
def test_uniform_answers_get_the_uniform_figure_and_perfect_ones_nothing(
    tmp_path: Path, asked: Prediction, knows: bool
) -> None:
    house = House(f"sqlite:///{tmp_path}/a.db", rules() + f'\n[prediction]\ndata = "{asked.data}"\n')
    entrant, _ = house.enter()
    data, left, batches = prediction.recorded(asked), 1, 0
    while left:
        with house.database.write() as transaction:
            attempt = open_attempt(transaction, entrant, "eval")
            batch = predictions.next_batch(transaction, attempt.id, asked, 200)
            given = _answer(batch, data.actions if knows else None)
            left = predictions.take(transaction, attempt, asked, batch["game"], batch["turn"], given)
            batches += 1
    assert batches == data.lengths.max()
    with house.database.read() as transaction:
        (line,) = board(transaction, "small")
    played = np.arange(data.legal.shape[1]) < data.lengths[:, None]
    uniform = np.log(data.legal.sum(-1)[played]).mean()
    assert line.cross_entropy == pytest.approx(0.0 if knows else uniform, abs=1e-4)
    assert check_database(house.database) == []
    close_and_score(house.database, "small")
    path = str(tmp_path / "export.json.gz")
    write_export(house.database, "small", path)
    assert "as in the audit" in list(verify_export(path))[-1]
    assert f"computed again from {played.sum()} answers" in list(verify_export(path, asked.data))[-1]
    house.close()


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE results SET cross_entropy = cross_entropy - 1",
        "DELETE FROM guesses WHERE game = 1 AND turn = 2",
        "UPDATE guesses SET probabilities = (SELECT g.probabilities FROM guesses g WHERE g.game = 1 AND g.turn = 1)",
    ],
)
def test_a_changed_prediction_is_found(tmp_path: Path, asked: Prediction, edit: str) -> None:
    house = House(f"sqlite:///{tmp_path}/a.db", rules() + f'\n[prediction]\ndata = "{asked.data}"\n')
    _foresee(house, asked, 1)
    assert check_database(house.database) == []
    with house.database.write() as transaction:
        transaction.execute(text(edit))
    assert "prediction 2p" in check_database(house.database)[0]
    house.close()


def test_the_lowest_cross_entropy_is_first_and_overlapping_ones_are_tied(tmp_path: Path, asked: Prediction) -> None:
    house = House(f"sqlite:///{tmp_path}/a.db", rules() + f'\n[prediction]\ndata = "{asked.data}"\n')
    for sharpness in (1, 1.001, 50):
        _foresee(house, asked, sharpness)
    with house.database.read() as transaction:
        lines = board(transaction, "small")
    assert [(line.rank, line.entrant) for line in lines] == [(1, "entrant 3"), (2, "entrant 2"), (2, "entrant 1")]
    house.close()


def _foresee(house: House, asked: Prediction, sharpness: float) -> None:
    """Another entrant, who says that what was done was so many times as likely as anything else."""
    entrant, _ = house.enter()
    actions, left = prediction.recorded(asked).actions, 1
    while left:
        with house.database.write() as transaction:
            attempt = open_attempt(transaction, entrant, "eval")
            batch = predictions.next_batch(transaction, attempt.id, asked, 200)
            given = _answer(batch)
            given[np.arange(len(given)), actions[batch["game"], batch["turn"]]] = sharpness
            left = predictions.take(transaction, attempt, asked, batch["game"], batch["turn"], given)


def test_a_decision_is_answered_once_and_in_its_turn(tmp_path: Path, asked: Prediction) -> None:
    house = House(f"sqlite:///{tmp_path}/a.db")
    attempt = house.start()
    with house.database.write() as transaction:
        batch = predictions.next_batch(transaction, attempt.id, asked, 2)
        given = _answer(batch)
        assert batch["turn"] == [0, 0]
        left = predictions.take(transaction, attempt, asked, batch["game"], batch["turn"], given)
        assert predictions.take(transaction, attempt, asked, batch["game"], batch["turn"], given) == left
        for game, turn, row, told in (
            (0, 0, given[:1] * 2, "answered once"),
            (0, 5, given[:1], "is at turn 1"),
            (99, 0, given[:1], "no turn"),
            (0, 1, given[:1] * math.nan, "at least 0"),
            (0, 1, given[:1] * 0, "not all 0"),
            (0, 1, given[:1, :3], "one row of"),
        ):
            with pytest.raises(ChallengeError, match=told):
                predictions.take(transaction, attempt, asked, [game], [turn], row)
    house.close()
