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
from coplay.challenge.rules import Prediction, Rules, read_rules
from coplay.games import make
from coplay.rollouts.episode_file import save
from coplay.rollouts.play import play
from coplay.serve.ledger import predictions
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.ledger.boards import board
from coplay.serve.ledger.check import check_database
from coplay.serve.ledger.hosting.closing import close_and_score
from coplay.serve.ledger.hosting.export import write_export
from tests.serve.harness import House, rules


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Recorded games of two players and of three, as rules ask about them."""
    folder = tmp_path_factory.mktemp("both")
    entries = []
    for players in (2, 3):
        save(play(make("hanabi-very-small", players=players), "random", 3), folder / f"{players}.npz")
        entries.append(f'[[prediction]]\nplayers = {players}\ndata = "{folder}/{players}.npz"\n')
    return "".join(entries)


@pytest.fixture(scope="module")
def asked(both: str) -> Prediction:
    return read_rules(rules() + both).predictions[0]


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
    house = House(f"sqlite:///{tmp_path}/a.db", rules() + f'\n[prediction]\ndata = "{asked.data}"\nplayers = 2\n')
    entrant, _ = house.enter()
    data, left, batches = prediction.recorded(asked), 1, 0
    while left:
        with house.database.write() as transaction:
            attempt = open_attempt(transaction, entrant, "eval")
            batch = predictions.next_batch(transaction, attempt.id, (asked,), 200)
            given = _answer(batch, data.actions if knows else None)
            left = predictions.take(transaction, attempt, (asked,), batch["game"], batch["turn"], given)
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
    assert f"computed again from {played.sum()} answers" in list(verify_export(path, [asked.data]))[-1]
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
    house = House(f"sqlite:///{tmp_path}/a.db", rules() + f'\n[prediction]\ndata = "{asked.data}"\nplayers = 2\n')
    _foresee(house, asked, 1)
    assert check_database(house.database) == []
    with house.database.write() as transaction:
        transaction.execute(text(edit))
    assert "prediction 2p" in check_database(house.database)[0]
    house.close()


def test_the_lowest_cross_entropy_is_first_and_overlapping_ones_are_tied(tmp_path: Path, asked: Prediction) -> None:
    house = House(f"sqlite:///{tmp_path}/a.db", rules() + f'\n[prediction]\ndata = "{asked.data}"\nplayers = 2\n')
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
            batch = predictions.next_batch(transaction, attempt.id, (asked,), 200)
            given = _answer(batch)
            given[np.arange(len(given)), actions[batch["game"], batch["turn"]]] = sharpness
            left = predictions.take(transaction, attempt, (asked,), batch["game"], batch["turn"], given)


def test_a_decision_is_answered_once_and_in_its_turn(tmp_path: Path, asked: Prediction) -> None:
    house = House(f"sqlite:///{tmp_path}/a.db")
    attempt = house.start()
    with house.database.write() as transaction:
        batch = predictions.next_batch(transaction, attempt.id, (asked,), 2)
        given = _answer(batch)
        assert batch["turn"] == [0, 0]
        left = predictions.take(transaction, attempt, (asked,), batch["game"], batch["turn"], given)
        assert predictions.take(transaction, attempt, (asked,), batch["game"], batch["turn"], given) == left
        for game, turn, row, told in (
            (0, 0, given[:1] * 2, "answered once"),
            (0, 5, given[:1], "is at turn 1"),
            (99, 0, given[:1], "no turn"),
            (0, 1, given[:1] * math.nan, "at least 0"),
            (0, 1, given[:1] * 0, "not all 0"),
            (0, 1, given[:1, :3], "one row of"),
        ):
            with pytest.raises(ChallengeError, match=told):
                predictions.take(transaction, attempt, (asked,), [game], [turn], row)
    house.close()


def test_games_of_two_numbers_of_players_are_asked_one_after_the_other_and_stand_apart(
    tmp_path: Path, both: str
) -> None:
    house = House(f"sqlite:///{tmp_path}/a.db", rules() + both)
    sets = prediction.sets_of(read_rules(rules() + both))
    entrant, _ = house.enter()
    asked, left = [], 1
    while left:
        with house.database.write() as transaction:
            attempt = open_attempt(transaction, entrant, "eval")
            batch = predictions.next_batch(transaction, attempt.id, sets, 200, seats="all")
            assert batch["left"] == left or not asked
            asked += [batch["players"]]
            left = predictions.take(transaction, attempt, sets, batch["game"], batch["turn"], _answer(batch))
            again = predictions.past_views(transaction, attempt.id, sets, batch["turn"][0], batch["game"][0])
            assert (again["game"], again["views"]) == (batch["game"], batch["views"])
    assert asked == sorted(asked)
    assert set(asked) == {2, 3}
    with house.database.read() as transaction:
        lines = {line.configuration: line for line in board(transaction, "small")}
    for players, one in zip((2, 3), sets, strict=True):
        data, line = prediction.recorded(one), lines[f"prediction {players}p"]
        played = np.arange(data.legal.shape[1]) < data.lengths[:, None]
        uniform = np.log(data.legal.sum(-1)[played]).mean()
        assert line.cross_entropy == pytest.approx(uniform, abs=1e-4)
        assert line.cross_entropy_per_seat == pytest.approx(uniform / players, abs=1e-4)
    assert check_database(house.database) == []
    close_and_score(house.database, "small")
    path = str(tmp_path / "export.json.gz")
    write_export(house.database, "small", path)
    told = list(verify_export(path, [one.data for one in sets]))
    assert [line for line in told if "computed again" in line] == told[-2:]
    with house.database.write() as transaction:
        transaction.execute(text("DELETE FROM results WHERE configuration = 'prediction 3p'"))
    assert "scored in prediction 3p and the result is not there" in " ".join(check_database(house.database))
    house.close()


def test_each_number_of_players_has_games_of_its_own(both: str) -> None:
    for wrong, told in ((both.replace("players = 3", "players = 2"), "each its own number"), (both + both, "its own")):
        with pytest.raises(ChallengeError, match=told):
            read_rules(rules() + wrong)
    with pytest.raises(ChallengeError, match="holds games of 3 players, not of 4"):
        prediction.check_recorded(read_rules(rules() + both.replace("players = 3", "players = 4")))


def test_sets_of_the_pool_are_named_without_a_path() -> None:
    asked = read_rules(rules() + '[[prediction]]\ndata = "community?part=train"\nplayers = 3').predictions
    prediction.check_recorded(Rules("t", "d", (), predictions=asked))
    for wrong, told in (("nobodys", "the challenge sets are"), ("community?side=a", "unknown option 'side'")):
        with pytest.raises(ChallengeError, match=told):
            prediction.check_recorded(Rules("t", "d", (), predictions=(Prediction(wrong),)))
