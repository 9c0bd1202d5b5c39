"""Games of two sides: who gets what, what a broken game counts, how matches are judged and learned."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.challenge.errors import ChallengeError
from coplay.challenge.log import pack
from coplay.challenge.outcome.rating import company
from coplay.challenge.outcome.scoring import Record, replay_scores
from coplay.challenge.rules import read_rules
from coplay.challenge.schedule import draw
from coplay.measure import MeasureError
from coplay.measure.dropin.duels import Duel, Wins, most_wins
from coplay.measure.stats import Estimate
from coplay.measure.tournament import tournament
from coplay.report.sections.tournament_copies import copies_against_copies, duel_rows
from coplay.sides import line_up, per_side, sides_of, sign_of, signs
from coplay.testing import GameLawBroken, check_game
from coplay.train.learner.rows import layout_of
from coplay.train.run import train
from coplay.train.settings import TrainError
from tests.own.levers import Levers
from tests.own.tug import Tug

TUG = f"file:{Path(__file__).parent}/own/tug.py:Tug"


def tug(**settings: int) -> Any:
    return coplay.make(Tug(**settings))  # pyright: ignore[reportArgumentType]


class Pull(eqx.Module):
    """Always as hard."""

    force: int = eqx.field(static=True)
    hears = "own"

    @property
    def name(self) -> str:
        return f"pull-{self.force}"

    def start(self) -> None:
        return None

    def act(self, memory, view, key):
        return None, jnp.int32(self.force)


def test_seats_belong_to_the_sides_in_turn():
    game = tug(pullers=3)
    assert (sides_of(game), per_side(game)) == (2, 3)
    assert line_up("abc", "xyz") == list("axbycz")
    assert signs(game).tolist() == [1, -1, 1, -1, 1, -1]
    assert [int(sign_of(game, jnp.int32(seat))) for seat in range(6)] == [1, -1, 1, -1, 1, -1]


def test_a_cooperative_game_has_one_side():
    game = coplay.make(Levers())  # pyright: ignore[reportArgumentType]
    assert (sides_of(game), per_side(game)) == (1, 2)
    assert signs(game).tolist() == [1, 1]
    assert line_up("abc") == list("abc")


def test_a_game_of_two_sides_keeps_the_laws_of_games():
    check_game(Tug(), games=4)


def test_two_sides_of_unequal_size_break_a_law():
    class Uneven(Tug):
        players = 3  # pyright: ignore

    with pytest.raises(GameLawBroken, match="cannot share 3 seats"):
        check_game(Uneven(), games=2)


def test_the_score_is_the_first_sides_lead():
    strong_first = coplay.play(tug(), line_up([Pull(2)] * 2, [Pull(0)] * 2), games=3)
    strong_second = coplay.play(tug(), line_up([Pull(0)] * 2, [Pull(2)] * 2), games=3)
    assert strong_first.scores.tolist() == [3, 3, 3]
    assert strong_second.scores.tolist() == [-3, -3, -3]


@pytest.mark.parametrize(("seat", "counts"), [(0, 0), (1, 3)])
@pytest.mark.parametrize("engine", ["scan", "lockstep"])
def test_who_breaks_a_game_off_wins_nothing_and_loses_what_was_lost(seat, counts, engine):
    """The first side pulls hard, so it leads when somebody makes an illegal move in the last round."""

    class Quits(Pull):
        def act(self, memory, view, key):
            return None, jnp.where(view["round"] == 3, 9, self.force)

    team: list = line_up([Pull(2)] * 2, [Pull(0)] * 2)
    team[seat] = Quits(team[seat].force)
    played = coplay.play(tug(rounds=4), team, games=2, engine=engine)
    assert len(played.forfeits) == 2
    assert played.scores.tolist() == [counts] * 2


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory):
    agents = {f"pull-{force}-{n}": Pull(force) for force in (0, 1, 2) for n in (1, 2)}
    return tournament(tug(), agents, games=6, out=tmp_path_factory.mktemp("cup") / "out")


def test_teams_of_a_match_meet_on_both_sides(cup):
    assert len(cup.matches) == 45
    for one in cup.matches:
        assert not set(one.team_a) & set(one.team_b)
        assert (one.scores_a == -one.scores_b).all()
        stronger = sum(int(cup.run.agents[agent][5]) for agent in one.team_a) - sum(
            int(cup.run.agents[agent][5]) for agent in one.team_b
        )
        assert np.sign(one.difference) == np.sign(stronger), "the wind favours nobody: both meet it on both sides"


def test_skill_comes_from_copies_against_copies(cup):
    """A wind of 1 cannot turn a round between teams that differ by 2 or more: every round is won."""
    forces = [int(name[5]) for name in cup.run.agents]
    expected = 3 * np.sign(np.subtract.outer(forces, forces))
    assert cup.rel_skill.tolist() == expected.tolist()
    skill = {line.agent: line.skill.value for line in cup.standings}
    assert skill["pull-2-1"] == pytest.approx(3 * 4 / (2 * 5))
    assert skill["pull-1-2"] == pytest.approx(0)


def test_the_page_says_whose_copies_beat_whose(cup):
    """Two agents of each force: nobody beats its twin."""
    head, *rows = duel_rows(cup)
    assert head[:3] == ["agent", "against", "lead"]
    assert [row[2] for row in rows] == [cup.rel_skill[one.agent, one.other] for one in cup.duels]
    assert len(rows) == 6 * 5
    assert ["pull-2-1", "pull-0-1", 3, 3, 3, 6] in rows
    (part,) = copies_against_copies(cup)
    assert re.search(
        r"A team of pull-2-(1|2) certainly beats the copies of 4 of 5 others; .* Not certainly: pull-2-", part
    )


def test_most_wins_has_who_certainly_beats_most():
    sure, close = Duel(0, 1, Estimate(2, 1, 3, 9)), Duel(0, 2, Estimate(1, 0.1, 2, 9))
    unsure = Duel(0, 2, Estimate(1, -0.1, 2, 9))
    lost = Duel(1, 0, Estimate(-2, -3, -1, 9))
    higher = Duel(2, 1, Estimate(3, 2, 4, 9))
    assert most_wins([lost, sure, close]) == Wins(0, [close, sure], [])
    assert most_wins([lost, sure, unsure]) == Wins(0, [sure], [unsure])
    assert most_wins([sure, higher]) == Wins(2, [higher], [])
    assert most_wins([lost, unsure]) is None
    assert most_wins([]) is None


def test_a_tournament_of_two_sides_goes_on_where_it_stopped(cup):
    said: list[str] = []
    again = tournament(
        tug(), {name: Pull(int(name[5])) for name in cup.run.agents}, games=6, out=cup.folder, say=said.append
    )
    assert again.rows() == cup.rows()
    assert not any(line.startswith("[") for line in said)


def test_measures_of_one_team_refuse_matches(tmp_path):
    with pytest.raises(MeasureError, match=r"tug has two sides .* `coplay tournament`"):
        coplay.evaluate(tug(), "random", [Pull(1)], games=2, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_both_sides_learn_from_self_play(tmp_path):
    """Who is paid with the wrong sign learns to lose; who is paid right pulls as hard as it can."""
    game = coplay.make(TUG)
    train("ippo", game, tmp_path / "out", games=64, total_turns=40_000)
    agent = f"run:{tmp_path}/out/agent-0.safetensors"
    best = coplay.play(game, line_up([agent] * 2, [Pull(2)] * 2), games=32, seed=1)
    weaker = coplay.play(game, line_up([Pull(1)] * 2, [agent] * 2), games=32, seed=1)
    assert abs(best.scores.mean()) < 1
    assert (weaker.scores == -3).all()


def test_two_sides_that_take_turns_are_not_learned():
    class Turns(Tug):
        simultaneous = False

    with pytest.raises(TrainError, match="two sides that take turns"):
        layout_of(coplay.make(Turns()), None, False, None)  # pyright: ignore[reportArgumentType]


def test_every_agent_of_pettingzoo_is_paid_for_its_own_side():
    pytest.importorskip("pettingzoo")
    from coplay.adapters.pettingzoo import parallel_env

    env = parallel_env(tug())
    env.reset(seed=0)
    _, rewards, _, _, _ = env.step({f"player_{seat}": 2 * (seat % 2 == 0) for seat in range(4)})
    assert rewards == {"player_0": 1, "player_1": -1, "player_2": 1, "player_3": -1}


TWO_SIDES = f"""
title = "tug"
[[configuration]]
game = "{TUG}"
games = 16
partners = ["random", "file:{Path(__file__).parent}/own/pullers.py:Puller"]
"""


def test_in_a_challenge_every_partner_is_met_as_mate_and_as_opponent_in_every_seat():
    (configuration,) = read_rules(TWO_SIDES).configurations
    met = []
    for one in draw(read_rules(TWO_SIDES), "ab" * 32, "a"):
        (own,) = one.seats
        others = dict(zip([seat for seat in range(4) if seat != own], one.partners, strict=True))
        (mate,), opponents = ([others[s] for s in others if (s - own) % 2 == far] for far in (0, 1))
        assert len(set(opponents)) == 1
        met.append((own, mate, opponents[0]))
    assert len(set(met)) == len(met) == configuration.games


def test_an_entrant_plays_for_one_side():
    with pytest.raises(ChallengeError, match=r"tug has two sides, of even and of odd seats, and \[0, 1\] is on both"):
        read_rules(TWO_SIDES + "seatings = [[0, 2], [0, 1]]")


def test_whoever_plays_for_the_second_side_scores_its_own_lead():
    """The first side pulls hard, the second not at all; a game broken off undoes no loss and wins nothing."""
    game = tug(rounds=3)
    hard = tuple(pack((2, 0, 2, 0)) for _ in range(3))
    games = [
        Record(str(n), "2p", n, "0" * 16, seats, "[]", how, hard[:length])
        for n, (seats, how, length) in enumerate(
            [("0", "done", 3), ("1,3", "done", 3), ("2", "forfeit", 2), ("3", "forfeit", 2)]
        )
    ]
    assert replay_scores(game, games) == [3, -3, 0, -2]


def test_whom_one_met_says_who_was_on_which_side():
    assert company(["b", "a", "b"], [0], sides=2) == "a against b"
    assert company(["b", "a", "b"], [2], sides=2) == "b against a + b"
    assert company(["b", "b"], [1, 3], sides=2) == "alone against b"
    assert company(["b", "a", "b"]) == "a + b"
