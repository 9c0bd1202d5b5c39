"""The study of partners to be robust with: from recorded games to the page, which says what holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coplay.agents.spec import agent
from coplay.games import make
from coplay.nets.policy import NetPolicy, reader
from coplay.train.recipe import recipe_named
from coplay.train.run import resolve
from studies.robustness.found import Value, settings_in, together
from studies.robustness.hypotheses import hypotheses
from studies.robustness.judge import NOBODY, Line, judge, read_lines, write_lines
from studies.robustness.learn import RECIPE, learn
from studies.robustness.page import write_page
from studies.robustness.plan import LEARNER, QUICK, Job, Place, Population, Scale, populations, validators
from studies.robustness.prepare import halves, prepare
from studies.robustness.side_by_side import blocks_of
from tests.train.toy import design, random_network

KITCHEN = "coordination_ring"


def test_the_populations_are_the_papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Place, "best", lambda _: 7)
    place = Place(tmp_path, "bottleneck")
    met = {one.name: one.partners(place) for one in populations(Scale())}
    sizes = {name: (sum("clones/" in spec for spec in specs), len(specs)) for name, specs in met.items()}
    assert sizes == {
        "1 BC": (1, 1),
        "20 BC": (20, 20),
        "10 BC + 10 ToM": (10, 20),
        "1 ToM": (0, 1),
        "20 ToM": (0, 20),
        "20 random ToM": (0, 20),
        "200 random ToM": (0, 200),
    }
    assert met["1 BC"] == [place.clone(7)], "the best one"
    assert all(len(set(specs)) == len(specs) for specs in met.values())
    suite = validators(place, Scale())
    assert len(set(suite)) == 20
    assert not set(suite) & {spec for specs in met.values() for spec in specs}, "nobody learns with who validates"
    settings = resolve(recipe_named(RECIPE), "side by side", place.game, {**LEARNER, "populations": "stay"})
    assert all(settings.games % len(specs) == 0 for specs in met.values()), "an equal share of the games for each"


def test_every_learner_meets_its_own_population_in_few_programs():
    game = make("overcooked", layout=KITCHEN)
    read: Any = reader(game)
    toms = [agent(f"theory-of-mind?params=random-{number}", game) for number in range(4)]
    clones = [NetPolicy(random_network(design(read), number), read, f"clone-{number}") for number in range(2)]
    casts = [clones[:1], clones, *[clones + toms[:2]] * 3, toms[:1], toms]
    blocks = blocks_of(casts, 2, 8)
    assert [block.games for block in blocks] == [8 + 8 + 4, 4 + 4, 4 + 4, 4 + 8 + 8], "neighbours of one kind are one"
    met = np.concatenate([np.repeat(_marks(block.others[0]), block.games // block.copies) for block in blocks])
    for cast, mine in zip(casts, met.reshape(len(casts), 8), strict=True):
        assert sorted(mine) == sorted(np.repeat([_marks(one)[()] for one in cast], 8 // len(cast)))


def _marks(policy: Any) -> np.ndarray:
    """A number that says who it is; of a stack one for each."""
    leaf = policy.parameters.compliance if hasattr(policy, "parameters") else policy.network.actor.weight.sum((-1, -2))
    return np.asarray(leaf)


@pytest.mark.slow
def test_a_learner_is_prepared_for_trained_and_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    few = [Population("1 BC", clones=1), Population("2 ToM", chosen=2)]
    monkeypatch.setattr("studies.robustness.learn.populations", lambda _: few)
    monkeypatch.setattr("studies.robustness.plan.validation_sets", lambda: ["manual-0", "manual-3"])
    job = Job(Place(tmp_path, KITCHEN), "diverse")
    prepare(job.place, QUICK)
    assert job.place.whose() == "surrogate"
    learn(job, QUICK)
    about = json.loads((job.folder / "run.json").read_text())
    assert about["settings"]["starts"] == str(job.place.games)
    lines = judge(job, QUICK)
    assert [(one.population, one.seed, one.turns, one.starts) for one in lines] == [
        ("1 BC", 0, 640, "diverse"),
        ("2 ToM", 0, 640, "diverse"),
    ]
    assert all(one.validation == pytest.approx((one.with_tom + one.with_clones) / 2, abs=1e-3) for one in lines)
    write_lines(tmp_path / "all.csv", lines)
    assert read_lines(tmp_path / "all.csv") == lines
    monkeypatch.setattr("studies.robustness.judge.robustness", None)
    monkeypatch.setattr("studies.robustness.learn.train", None)
    learn(job, QUICK)
    assert judge(job, QUICK) == lines, "what is done is not done again"


def test_halves_have_like_scores():
    scores = np.arange(21.0) ** 2
    first, second = halves(scores)
    assert sorted(first + second) == list(range(21))
    assert scores[first].mean() == pytest.approx(scores[second[:-1]].mean(), rel=0.15)


def line(population: str, starts: str, seed: int, tests: tuple[float, float, float], reward: float) -> Line:
    luck = 0.005 * (seed - 1)
    state, agents, memory = (figure + luck for figure in tests)
    rewards = (reward + seed,) * 3
    about = ("bottleneck", "surrogate", starts, population, seed, 10_000_000)
    return Line(*about, state, agents, memory, *rewards, rollouts=50, each=20)


def lines_of(figures: dict[str, tuple[tuple[float, float, float], float]], gain: float, fall: float) -> list[Line]:
    """Three seeds of each; with diverse starts the state tests gain so much, and the reward falls."""
    return [
        line(name, starts, seed, (tests[0] + add * gain, *tests[1:]), reward - add * fall)
        for name, (tests, reward) in figures.items()
        for add, starts in enumerate(("ordinary", "diverse"))
        for seed in range(3)
    ]


FIGURES = {
    "1 BC": ((0.2, 0.3, 0.3), 60.0),
    "20 BC": ((0.3, 0.5, 0.4), 80.0),
    "10 BC + 10 ToM": ((0.3, 0.5, 0.4), 120.0),
    "1 ToM": ((0.4, 0.3, 0.3), 60.0),
    "20 ToM": ((0.4, 0.2, 0.3), 40.0),
    "20 random ToM": ((0.4, 0.4, 0.4), 60.0),
    "200 random ToM": ((0.5, 0.5, 0.5), 80.0),
}


def test_the_page_says_which_hypotheses_hold(tmp_path: Path):
    learners = lines_of(FIGURES, 0.2, 20)
    told = "\n".join(hypotheses(settings_in(learners)))
    assert "**H1**, unit tests and validation reward often disagree: holds. Of 21 comparisons" in told
    assert "**H2**, diverse starts raise the state tests: holds (+0.20 ± 0.00, up for 7 of 7 populations)" in told
    assert "raise the unit tests more than the validation reward: holds (+18% against -28%)" in told
    assert "one ToM beats one BC in the state tests, ordinary starts: holds (+0.20 ± 0.00)" in told
    assert "20 BC beat 1 BC in the agent tests: holds" in told
    assert "20 ToM beat 1 ToM in the agent tests: does not hold" in told
    assert "the mixture beats both kinds in the unit tests: cannot be told (+0.00 ± 0.00 against BC" in told
    assert "the mixture beats both kinds in the validation reward: holds (+40.0" in told
    assert "more drawn ToM agents are better: holds" in told
    assert "No learner passes more than 0.65 of the tests: holds (most: 200 random ToM, diverse, 0.57" in told
    partners = [
        one._replace(starts=NOBODY, turns=0, population=name)
        for name, one in (("clone", learners[1]), ("fitted ToM", learners[4]))
    ]
    write_page(tmp_path / "robustness.md", [*partners, *learners])
    text = (tmp_path / "robustness.md").read_text()
    assert "| 20 BC | ordinary | 0.30 ± 0.00 | 0.50 ± 0.00 | 0.40 ± 0.00 | 81 ± 1 |" in text
    assert "| best clone (BC) | 0.20 | 0.30 | 0.30 | 61 | 0.21 / 0.45 / 0.29 | 71.8 |" in text
    assert "a **fitted-ToM surrogate** stands in" in text
    assert (tmp_path / "images/robustness-validation.svg").read_text().startswith("<svg")


def test_one_seed_has_no_error_and_decides_nothing():
    learners = [one for one in lines_of(FIGURES, 0.2, 20) if one.seed == 0]
    told = "\n".join(hypotheses(settings_in(learners)))
    assert "holds" not in told.split("Diverse starts raise")[0].replace("does not hold", "")
    assert "**H2**, diverse starts raise the state tests: cannot be told (+0.20, up" in told


def test_figures_have_room_for_every_name():
    names = [one.short for one in settings_in(lines_of(FIGURES, 0.2, 20))]
    assert {"10+10, diverse", "200 drawn, diverse", "1 BC, diverse"} <= set(names)
    assert len(set(names)) == 14
    assert max(map(len, names)) <= 19


def test_kitchens_count_the_same():
    assert together([Value(1.0, 0.3), Value(3.0, 0.4)]) == pytest.approx(Value(2.0, 0.25))
