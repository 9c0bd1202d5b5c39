"""The linear model of drop-in games: exact where games determine it, honest where they do not."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from coplay.measure import MeasureError, teamwork


class Truth:
    """Games that follow the paper's model, with noise if asked."""

    def __init__(self, agents: int, per_team: int, seed: int):
        self.rng = np.random.default_rng(seed)
        self.agents, self.per_team = agents, per_team
        self.strength = self.rng.normal(size=agents)
        mates, foes = self.rng.normal(size=(2, agents, agents)) / 2
        self.mates, self.foes = mates + mates.T, foes - foes.T

    def score(self, a, b) -> float:
        def side(team):
            return self.strength[list(team)].sum() + sum(self.mates[p] for p in itertools.combinations(team, 2))

        return side(a) - side(b) + self.foes[np.ix_(a, b)].sum()

    def play(self, teams, noise: float = 0.0) -> list:
        return [(a, b, self.score(a, b) + noise * self.rng.normal()) for a, b in teams]

    def everything(self) -> list:
        everyone = range(self.agents)
        return [
            (a, b)
            for a in itertools.combinations(everyone, self.per_team)
            for b in itertools.combinations(sorted(set(everyone) - set(a)), self.per_team)
            if a < b
        ]


@pytest.mark.parametrize(("agents", "per_team"), [(2, 1), (4, 1), (5, 2), (6, 2), (6, 3), (7, 3)])
def test_from_all_games_the_model_gives_the_measured_averages(agents, per_team):
    truth = Truth(agents, per_team, 0)
    games = truth.play(truth.everything(), noise=1)
    assert teamwork.predict(games, agents, per_team).dropin_agd() == pytest.approx(teamwork.dropin_agd(games, agents))


def test_games_that_were_not_played_are_foretold():
    truth = Truth(8, 2, 1)
    model = teamwork.predict(truth.play(teamwork.schedule(8, 2, 0, games=120)), 8, 2)
    every = truth.everything()
    assert [model.score(a, b) for a, b in every] == pytest.approx([truth.score(a, b) for a, b in every])
    assert model.dropin_agd() == pytest.approx(teamwork.dropin_agd(truth.play(every), 8))
    assert model.interval(*every[0]).high - model.interval(*every[0]).low < 1e-6


def test_played_games_count_with_their_own_results_and_others_with_predictions():
    truth = Truth(6, 2, 2)
    some = truth.everything()[::2]
    games = truth.play([*some, *some[:5], *some[:2]], noise=1)  # some were repeated
    model = teamwork.predict(games, 6, 2)
    own: dict = {}
    for a, b, difference in games:
        own.setdefault((a, b), []).append(difference)
    mixed = [(a, b, np.mean(own[a, b]) if (a, b) in own else model.score(a, b)) for a, b in truth.everything()]
    assert model.dropin_agd() == pytest.approx(teamwork.dropin_agd(mixed, 6))


def test_half_of_the_games_predict_better_than_they_average():
    plain, predicted = [], []
    for seed in range(5):
        truth = Truth(10, 5, seed)
        every = truth.everything()
        exact = teamwork.dropin_agd(truth.play(every), 10)
        games = truth.play(teamwork.schedule(10, 5, seed, games=63), noise=1)
        plain.append(np.square(teamwork.dropin_agd(games, 10) - exact).mean())
        predicted.append(np.square(teamwork.predict(games, 10, 5).dropin_agd() - exact).mean())
    assert np.mean(predicted) < np.mean(plain) / 2


@pytest.mark.parametrize("games", [20, 63, 126])
def test_intervals_hold_the_truth_about_as_often_as_they_say(games):
    held = []
    for seed in range(15):
        truth = Truth(8, 2, seed)
        every = truth.everything()
        exact = teamwork.dropin_agd(truth.play(every), 8)
        drawn = truth.rng.permutation(len(every))[:games]
        model = teamwork.predict(truth.play([every[i] for i in drawn], noise=1), 8, 2)
        held += [e.low <= x <= e.high for e, x in zip(model.dropin_intervals(), exact, strict=True)]
    assert np.mean(held) > 0.88


def test_intervals_shrink_with_games():
    truth = Truth(8, 2, 0)
    widths = []
    for games in (14, 70, 200):
        played = truth.play(teamwork.schedule(8, 2, 0, games=games), noise=0.5)
        widths.append(np.mean([e.high - e.low for e in teamwork.predict(played, 8, 2).dropin_intervals()]))
    assert widths == sorted(widths, reverse=True)


def test_what_no_game_tells_is_listed_and_uncertain():
    model = teamwork.predict([((0, 1), (2, 3), 1.0), ((0, 2), (1, 3), 0.5)], 4, 2)
    assert model.unmet == [("with", 0, 3), ("with", 1, 2)]
    seen, unseen = model.interval((0, 1), (2, 3)), model.interval((0, 3), (1, 2))
    assert model.score((0, 1), (2, 3)) == pytest.approx(1)
    assert np.isfinite([seen.low, seen.high, unseen.low, unseen.high]).all()
    assert teamwork.predict([((0,), (1,), 1)], 2, 1).unmet == []


def test_turning_a_game_round_turns_its_score_round():
    truth = Truth(6, 2, 0)
    games = truth.play(teamwork.schedule(6, 2, 0), noise=1)
    model = teamwork.predict(games, 6, 2)
    turned = teamwork.predict([(b, a, -difference) for a, b, difference in games], 6, 2)
    assert model.score((0, 1), (2, 3)) == pytest.approx(-model.score((2, 3), (0, 1)))
    assert model.score([1, 0], [3, 2]) == pytest.approx(turned.score((0, 1), (2, 3)))


def test_coefficients_can_be_read_as_tables():
    truth = Truth(6, 2, 0)
    model = teamwork.predict(truth.play(truth.everything()), 6, 2)
    a, b = (0, 4), (2, 5)
    by_hand = (
        model.strength[list(a)].sum()
        - model.strength[list(b)].sum()
        + model.teammates[a]
        - model.teammates[b]
        + model.opponents[np.ix_(a, b)].sum()
    )
    assert by_hand == pytest.approx(model.score(a, b))
    assert model.teammates == pytest.approx(model.teammates.T)
    assert model.opponents == pytest.approx(-model.opponents.T)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: teamwork.predict([], 4, 2), "no games"),
        (lambda: teamwork.predict([((0,), (1,), 1)], 2, 2), "need 4 agents"),
        (lambda: teamwork.predict([((0,), (1,), 1)], 4, 2), "teams must have 2 agents"),
        (lambda: teamwork.predict([((0,), (1,), float("nan"))], 2, 1), "nan"),
        (lambda: teamwork.predict([((0,), (1,), 1)], 3, 1), "agent 2 played in none"),
        (lambda: teamwork.predict([((0,), (1,), 1)], 2, 1).score((0,), (0,)), "twice"),
        (lambda: teamwork.predict([((0,), (1,), 1)], 2, 1).interval((0,), (1,), confidence=1), "confidence"),
    ],
)
def test_bad_questions_are_refused_in_words(call, words):
    with pytest.raises(MeasureError, match=words):
        call()
