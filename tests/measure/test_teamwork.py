"""Teamwork apart from skill: the tables of the drop-in paper, and a game whose truth is known."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from scipy.stats import rankdata

from coplay.measure import MeasureError, MeasureWarning, teamwork
from tests.measure.pickup_game import matrix_of_kinds, tournament

# Table 4 of the paper: Agent40 50 55 100, PTAgent50, Agent90 70 85, PTAgent70, PTAgent90
SKILL = [-0.710, -0.226, -0.142, 0.412, -0.226, 0.296, 0.028, 0.245, 0.028, 0.296]
DROPIN = [-0.270, -0.129, -0.081, 0.416, -0.230, 0.259, -0.005, 0.176, -0.179, 0.043]
TEAMWORK = [0.440, 0.097, 0.061, 0.004, -0.004, -0.037, -0.033, -0.069, -0.207, -0.253]
REFERENCE = [3, 7, 6, 2, 0]
# Table 8: skillAGD, predicted dropinAGD, teamworkAGD, normOffset, normTeamworkAGD
CHALLENGE_2015 = np.array(
    [
        [0.932, 1.178, 0.246, 0.129, 0.375],  # UTAustinVilla
        [0.384, 0.262, -0.122, 0.267, 0.145],  # FCPortugal
        [0.038, -0.047, -0.085, 0.139, 0.054],  # magmaOffenburg
        [1.095, 1.031, -0.064, 0.064, 0],  # Agent100
        [0.772, 0.577, -0.195, 0.195, 0],  # Agent80
        [0.355, 0.091, -0.264, 0.264, 0],  # Agent65
        [-0.278, -0.129, 0.149, -0.149, 0],  # Agent50
        [-1.456, -0.437, 1.019, -1.019, 0],  # Agent30
        [0.328, -0.029, -0.357, 0.260, -0.097],  # BahiaRT
        [0.178, -0.199, -0.377, 0.216, -0.161],  # RoboCanes
        [0.520, 0.029, -0.491, 0.263, -0.228],  # FUT-K
        [-0.533, -0.506, 0.027, -0.465, -0.438],  # Apollo3D
        [-1.124, -0.470, 0.654, -1.100, -0.446],  # HfutEngine3D
        [-0.574, -0.589, -0.015, -0.519, -0.534],  # CIT3D
        [-0.676, -0.763, -0.087, -0.653, -0.740],  # Nexus3D
    ]
)


def test_skill_of_table_2_follows_from_table_1():
    goals = np.zeros((5, 5))
    goals[np.triu_indices(5, 1)] = [0.24, 0.78, 1.36, 1.73, 0.45, 0.94, 1.32, 0.52, 0.71, 0.16]
    two_of_each = np.kron(goals - goals.T, np.ones((2, 2)))
    assert teamwork.skill_agd(two_of_each, 5)[::2] == pytest.approx([0.183, 0.110, 0, -0.118, -0.174], abs=6e-4)


def test_the_papers_example_with_four_agents():
    rel = np.array([[0, 1, 2, 3], [-1, 0, 4, 5], [-2, -4, 0, 6], [-3, -5, -6, 0.0]])
    assert teamwork.skill_agd(rel, 2)[0] == pytest.approx((1 + 2 + 3) / 6)


def test_skill_sums_to_nothing():
    rel = np.random.default_rng(0).normal(size=(7, 7))
    assert teamwork.skill_agd(rel - rel.T, 3).sum() == pytest.approx(0)


def test_self_play_on_the_same_deals_gives_relative_skill():
    rel = teamwork.rel_skill([[20, 22], [15, 17], [25, 25]])
    assert rel.tolist() == [[0, 5, -4], [-5, 0, -9], [4, 9, 0]]


def test_teamwork_of_table_3_is_what_skill_leaves():
    skill = np.tile([0.183, 0.110, 0.000, -0.118, -0.174], 2)  # Agent100 90 80 70 60, then the PTAgents
    dropin = [0.204, 0.123, 0.087, 0.017, -0.055, 0.109, -0.018, -0.101, -0.169, -0.196]
    printed = [0.021, 0.013, 0.087, 0.135, 0.119, -0.074, -0.128, -0.101, -0.051, -0.022]
    assert teamwork.teamwork_agd(dropin, skill) == pytest.approx(printed, abs=1e-9)


def test_teamwork_of_table_4_is_what_skill_leaves():
    assert teamwork.teamwork_agd(DROPIN, SKILL) == pytest.approx(TEAMWORK, abs=1.1e-3)


def test_normalised_teamwork_of_table_5():
    offset, norm = teamwork.normalised(SKILL, TEAMWORK, REFERENCE)
    printed = [-0.440, -0.121, -0.061, -0.004, -0.121, 0.057, 0.033, 0.069, 0.033, 0.057]
    assert offset == pytest.approx(printed, abs=2e-3)  # from inputs printed with three digits
    assert norm[REFERENCE] == pytest.approx(0)
    assert norm == pytest.approx([0, -0.024, 0, 0, -0.125, 0.020, 0, 0, -0.174, -0.196], abs=2e-3)


def test_teamwork_of_the_2015_challenge_in_table_8():
    skill, dropin, team, offset, norm = CHALLENGE_2015.T
    assert teamwork.teamwork_agd(dropin, skill) == pytest.approx(team, abs=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nobody's skill lies outside that of the five agents of equal teamwork
        found, ranked = teamwork.normalised(skill, team, reference=range(3, 8))
    assert found == pytest.approx(offset, abs=5e-4)
    assert ranked == pytest.approx(norm, abs=5e-4)


@pytest.mark.parametrize(
    ("every", "half", "predicted", "errors"),
    [
        (  # table 6: Agent100, Agent90, PTAgent100, Agent80, Agent70, PTAgent90, Agent60, PTAgent80 70 60
            [0.204, 0.123, 0.109, 0.087, 0.017, -0.018, -0.055, -0.101, -0.169, -0.196],
            [0.194, 0.133, 0.114, 0.121, 0.006, -0.022, -0.105, -0.060, -0.194, -0.187],
            [0.223, 0.122, 0.117, 0.095, 0.021, -0.019, -0.094, -0.073, -0.181, -0.212],
            (6.405e-4, 3.212e-4),
        ),
        (  # table 7: Agent100 90 85, PTAgent90, Agent70 55 50, PTAgent70 50, Agent40
            [0.416, 0.259, 0.176, 0.043, -0.005, -0.081, -0.129, -0.179, -0.230, -0.270],
            [0.454, 0.356, 0.203, 0.105, -0.019, -0.168, -0.121, -0.241, -0.238, -0.330],
            [0.436, 0.296, 0.201, 0.048, -0.016, -0.132, -0.098, -0.173, -0.241, -0.323],
            (3.076e-3, 9.068e-4),
        ),
    ],
)
def test_the_model_halves_the_error_in_tables_6_and_7(every, half, predicted, errors):
    """From what is printed the errors come out to the last printed digit: our dropinAGD is theirs."""
    found = [np.square(np.subtract(column, every)).mean() for column in (half, predicted)]
    assert found == pytest.approx(errors, rel=5e-4)
    assert found[1] < found[0] / 1.9


def test_one_reference_agent_shifts_everyone():
    offset, norm = teamwork.normalised([0, 1, 2], [0.5, 0.25, 0], [1])
    assert offset.tolist() == [-0.25] * 3
    assert norm.tolist() == [0.25, 0, -0.25]


def test_reference_agents_of_one_skill_share_the_curve():
    offset, norm = teamwork.normalised([0, 0, 1, 0], [0.1, 0.3, 0, 0.5], [0, 1, 2])
    assert offset == pytest.approx([-0.1, -0.3, 0, -0.2])
    assert norm == pytest.approx([0, 0, 0, 0.3])


def test_offsets_beyond_the_reference_agents_are_marked_as_guesses():
    with pytest.warns(MeasureWarning, match=r"agents \[2\] have a skill outside"):
        teamwork.normalised([0, 1, 3], [0, 0, 0], [0, 1])


def test_the_mean_goal_difference_counts_from_each_agents_side():
    games = [((0, 1), (2, 3), 2), ((2, 0), (1, 3), -1), (np.array([3, 0]), [1, 2], 0)]
    assert teamwork.dropin_agd(games, 4) == pytest.approx([1 / 3, 1, -1, -1 / 3])


def test_turning_a_game_round_changes_nothing():
    assert teamwork.dropin_agd([((0,), (1,), 3)], 2).tolist() == teamwork.dropin_agd([((1,), (0,), -3)], 2).tolist()


def test_teamwork_ranks_agents_that_plain_averages_confuse():
    agents = matrix_of_kinds([1, 0.97, 0.94, 0.91, 0.88])
    skill, dropin = tournament(agents, per_team=5, games=20, seed=0)
    good, poor = ~agents.poor, agents.poor
    assert dropin[poor].max() > np.sort(dropin[good])[2], "a fast spoiler beats most good teammates on average"
    assert np.corrcoef(rankdata(dropin), rankdata(agents.speed))[0, 1] > 0.8
    ranked = teamwork.teamwork_agd(dropin, skill)
    assert ranked[good].min() > ranked[poor].max()


def test_where_skills_lie_far_apart_only_normalised_teamwork_ranks_right():
    agents = matrix_of_kinds([1, 0.9, 0.7, 0.55, 0.4])
    skill, dropin = tournament(agents, per_team=5, games=20, seed=0)
    plain = teamwork.teamwork_agd(dropin, skill)
    assert plain[~agents.poor].min() < plain[agents.poor].max(), "slow agents look like team players"
    _, norm = teamwork.normalised(skill, plain, [0, 1, 2, 3, 4])
    assert norm[:5] == pytest.approx(0)
    assert norm[5:].max() < -0.5


def test_equation_2_is_the_mean_of_equation_1_over_all_games():
    rng = np.random.default_rng(3)
    rel = rng.normal(size=(7, 7))
    rel -= rel.T
    games = [
        (a, b, rel[np.ix_(a, b)].mean())
        for a in itertools.combinations(range(7), 3)
        for b in itertools.combinations(sorted(set(range(7)) - set(a)), 3)
    ]
    assert teamwork.skill_agd(rel, 3) == pytest.approx(teamwork.dropin_agd(games, 7))


NAN = float("nan")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: teamwork.skill_agd([[0, 1], [1, 0]], 1), "antisymmetric"),
        (lambda: teamwork.skill_agd([[0, 1, 2], [-1, 0, 3]], 1), "square"),
        (lambda: teamwork.skill_agd([[0, NAN], [NAN, 0]], 1), "nan at position 0, 1"),
        (lambda: teamwork.skill_agd([[0]], 1), "need 2 agents; there are 1"),
        (lambda: teamwork.skill_agd(np.zeros((5, 5)), 3), "need 6 agents; there are 5"),
        (lambda: teamwork.skill_agd(np.zeros((5, 5)), 0), "per_team"),
        (lambda: teamwork.skill_agd(np.zeros((5, 5)), 2.0), "whole number"),  # pyright: ignore[reportArgumentType]
        (lambda: teamwork.dropin_agd([], 4), "no games"),
        (lambda: teamwork.dropin_agd([((0,), (1,), 1)], 1), "n_agents must be a whole number of at least 2"),
        (lambda: teamwork.dropin_agd([((0,), (1,), 1)], 3), "agent 2 played in none"),
        (lambda: teamwork.dropin_agd([((0,), (5,), 1)], 3), "names agent 5, but there are 3"),
        (lambda: teamwork.dropin_agd([((0,), (-1,), 1)], 3), "got -1"),
        (lambda: teamwork.dropin_agd([((0, 1), (2,), 1)], 3), "teams of 2 and 1"),
        (lambda: teamwork.dropin_agd([((0, 1), (1, 2), 1)], 3), "seats agent 1 twice"),
        (lambda: teamwork.dropin_agd([((), (), 1)], 3), "empty"),
        (lambda: teamwork.dropin_agd([(0, 1, 1)], 2), "list of agent indices"),
        (lambda: teamwork.dropin_agd([((0,), (1,))], 2), "goal_difference"),
        (lambda: teamwork.dropin_agd([((0,), (1,), NAN)], 2), "goal difference of game 0 holds nan"),
        (lambda: teamwork.dropin_agd([((0,), (1,), "won")], 2), "must be numbers"),
        (lambda: teamwork.dropin_agd([((0.0,), (1,), 1)], 2), "whole number"),
        (lambda: teamwork.teamwork_agd([1, 2], [1]), "dropin has 2 agents and skill has 1"),
        (lambda: teamwork.normalised([1, 2], [1, 2], []), "reference is empty"),
        (lambda: teamwork.normalised([1, 2], [1, 2], [2]), "names agent 2"),
        (lambda: teamwork.normalised([1, 2], [1, 2], [True, False]), "whole number"),
        (lambda: teamwork.normalised([1, 2], [1], [0]), "one value per agent"),
        (lambda: teamwork.normalised([1, NAN], [1, 2], [0]), "skill holds nan"),
    ],
)
def test_bad_questions_are_refused_in_words(call, words):
    with pytest.raises(MeasureError, match=words):
        call()
