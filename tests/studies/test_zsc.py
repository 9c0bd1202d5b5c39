"""The study of zero-shot coordination: every run can be made, judged, and set beside the others."""

from __future__ import annotations

import dataclasses
import math
import re
from pathlib import Path

import jax
import numpy as np
import pytest

from coplay.files import digest_of, write_whole
from coplay.games import make
from coplay.nets.file import save_policy
from coplay.nets.network import Design, Network
from coplay.pool.sets import Partner, PartnerSet
from coplay.train.learner.ppo import PPOSettings
from coplay.train.recipe import recipe_named
from coplay.train.run import resolve
from studies.zsc import judge as judging_module
from studies.zsc.ceilings import judging, marked, measured, passed, tops
from studies.zsc.judge import Line, add_lines, judge, read_lines, with_ceilings, write_lines
from studies.zsc.page import guessed, older, ranks, relations, smallest, write_page
from studies.zsc.plan import METHODS, QUICK, Job, Scale, jobs, partners_folder
from studies.zsc.published import HALF, RANKS, RELEASED
from studies.zsc.table import Found, found_in


@pytest.mark.parametrize("job", list(jobs(["coordination_ring"], sizes=3)), ids=lambda job: job.name)
def test_every_run_has_settings_that_its_recipe_knows(job: Job):
    given = job.method.settings(Scale(), job.size)
    chosen: PPOSettings = resolve(recipe_named(job.method.recipe), job.method.recipe, job.game, dict(given))
    assert chosen.entropy_points == [(0, 0.2), (0.5, 0.05), (1, 0.01)]
    cells = job.size + getattr(chosen, "own", 0) or 1
    assert chosen.games % cells == 0, "an equal share of the games for everybody"
    assert chosen.games % chosen.minibatches == 0


def test_larger_populations_are_learned_with_for_longer():
    fcp = next(method for method in METHODS if method.name == "FCP")
    assert [fcp.turns(Scale(agent=5e7), size) for size in fcp.sizes] == pytest.approx([5e7, 8e7, 1e8]), "the paper's"


MADE = {"turns": 1000, "settings": {"shaping": 1e8}}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Job, list[Line]]:
    """A job of five untrained agents that met two partners."""
    root = tmp_path_factory.mktemp("judged")
    job = Job("coordination_ring", METHODS[0], 0)
    game = make("overcooked", layout="coordination_ring", horizon=20)
    design = Design(game.observation_shape, game.num_actions, embed=8, actor=8, critic=8)
    folder = partners_folder(root, job.layout)
    for number in range(job.seeds):
        network = Network(jax.random.key(number), design)
        save_policy(job.folder(root) / f"agent-{number}.safetensors", network, game, MADE)
        save_policy(folder / f"partner-{number}.safetensors", network, game, {}, "int8")
    write_whole(folder / "set.json", _set_of(folder, 2).to_json())
    return root, job, judge(root, job, TRY)


TRY = dataclasses.replace(QUICK, episodes=2)


@pytest.mark.slow
def test_agents_meet_every_partner_in_both_seats(judged: tuple[Path, Job, list[Line]]):
    root, job, lines = judged
    assert len(lines) == job.seeds * 2 * 2
    assert {(one.seed, one.partner, one.seat) for one in lines} == {
        (seed, f"partner-{number}.safetensors", seat) for seed in range(5) for number in range(2) for seat in range(2)
    }
    assert {one.ceiling for one in lines} == {40.0}, "what its own copies score, where the best response does worse"
    assert judge(root, job, QUICK) == lines, "nothing is played again"


def test_a_line_says_what_its_agent_learned_with(judged: tuple[Path, Job, list[Line]]):
    root, job, lines = judged
    assert {(one.turns, one.shaping) for one in lines} == {(1000, 1e8)}
    file = job.folder(root) / "agent-3.safetensors"
    assert {one.weights for one in lines if one.seed == 3} == {digest_of(file)[:8]}


def test_agents_that_were_trained_anew_are_played_anew(
    judged: tuple[Path, Job, list[Line]], monkeypatch: pytest.MonkeyPatch
):
    root, job, lines = judged
    file = job.folder(root) / "scores.csv"
    before = file.read_text()
    write_lines(file, [one._replace(weights="", shaping=float("nan")) for one in lines])  # as older files have them
    monkeypatch.setattr(judging_module, "_played", lambda *about: lines)
    assert judge(root, job, TRY) == lines
    assert file.read_text() == before


def test_lines_of_other_runs_stay(tmp_path: Path):
    file = tmp_path / "zsc.csv"
    old, new = lines_of("FCP", 0.5), lines_of("FCP", 0.6)
    add_lines(file, [*old, *lines_of("SP", 0.2, size=0)])
    add_lines(file, new)
    assert read_lines(file) == [*lines_of("SP", 0.2, size=0), *new]


def test_what_older_lines_do_not_say_is_unknown(tmp_path: Path):
    file = tmp_path / "zsc.csv"
    write_lines(file, lines_of("FCP", 0.5)[:1])
    rows = [row.split(",")[:12] for row in file.read_text().splitlines()]  # before lines said what agents learned with
    file.write_text("\n".join(map(",".join, rows)))
    (line,) = read_lines(file)
    assert np.isnan(line.shaping)
    assert np.isnan(line.error)
    assert line.weights == ""
    assert line.noise == line.mean / line.episodes**0.5
    assert line._replace(error=1.5).noise == 1.5


def test_a_best_response_is_measured_in_every_seat(judged: tuple[Path, Job, list[Line]]):
    root, job, lines = judged
    folder = partners_folder(root, job.layout)
    before = (folder / "set.json").read_text()
    found = measured(folder, games=2)
    assert [len(one.by_seat) for one in found.partners] == [2, 2]
    assert all(one.ceiling[2] == 4 and one.by_seat[0][2] == 2 for one in found.partners)
    assert measured(folder, games=3) == found, "once"
    seats = tuple((60.0 * seat, 0.0, 9) for seat in range(2))
    known = dataclasses.replace(
        found, partners=tuple(dataclasses.replace(one, by_seat=seats) for one in found.partners)
    )
    assert {(one.seat, one.ceiling) for one in with_ceilings(lines, known)} == {(0, 40.0), (1, 60.0)}
    (folder / "set.json").write_text(before)


def test_an_agent_that_passes_a_best_response_is_marked_in_the_set(judged: tuple[Path, Job, list[Line]]):
    root, job, lines = judged
    folder = partners_folder(root, job.layout)
    first, second = (f"partner-{number}.safetensors" for number in range(2))
    better = [one._replace(partner=first, mean=50.0, error=1.0, weights="abc") for one in lines[:2]]
    unsure = [one._replace(partner=second, mean=50.0, error=20.0) for one in lines[:2]]
    found = marked(folder, [*better, *unsure])
    assert found.partners[0].best_known == (50.0, 0.7071, 4)
    assert (found.partners[0].known_by, found.partners[0].known_weights) == ("SP, seed 0", "abc")
    assert found.partners[0].marked
    assert found.partners[1].best_known is None
    assert marked(folder, []).partners[0].best_known is None, "what is no longer so is forgotten"


def _set_of(folder: Path, count: int) -> PartnerSet:
    files = [folder / f"partner-{number}.safetensors" for number in range(count)]
    partners = [
        Partner(one.name, digest_of(one), 0, "final", "plain", (40.0, 1.0, 9), one.name, digest_of(one), (30.0, 1.0, 9))
        for one in files
    ]
    return PartnerSet(
        "overcooked?layout=coordination_ring", tuple(partners), (0,), 1.0, (0,), (1.0,), ((1.0,),), ((1.0,),)
    )


def lines_of(method: str, share: float, layout: str = "coordination_ring", size: int = 12) -> list[Line]:
    """Three seeds, four partners of each level."""
    rng = np.random.default_rng(len(method))
    return [
        Line(
            *(layout, method, size, seed, 10_000_000, f"{level}-{number}", level, seat, mean, 50, 200.0, 100.0),
            *(1e8, "0123abcd", 1.0),
        )
        for seed in range(3)
        for level in ("final", "half")
        for number in range(4)
        for seat in range(2)
        for mean in [round(200 * share + rng.normal(0, 4), 3)]
    ]


def test_lines_are_read_as_they_were_written(tmp_path: Path):
    lines = lines_of("FCP", 0.5)
    write_lines(tmp_path / "scores.csv", lines)
    assert read_lines(tmp_path / "scores.csv") == lines


@pytest.fixture(scope="module")
def lines() -> list[Line]:
    return [
        *lines_of("SP", 0.2, size=0),
        *lines_of("FCP", 0.7),
        *lines_of("MEP", 0.21),
        *lines_of("MEP", 0.8, size=24),
    ]


@pytest.fixture(scope="module")
def found(lines: list[Line]) -> list[Found]:
    return found_in(lines)


@pytest.fixture(scope="module")
def page(lines: list[Line], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("page") / "zsc.md"
    write_page(out, lines)
    return out


@pytest.mark.slow
def test_the_page_says_which_orders_hold(found: list[Found], page: Path):
    assert [one.label for one in found] == ["SP", "FCP (12)", "MEP (12)", "MEP (24)"]
    assert found[1].everybody.shares.iqm.value == pytest.approx(0.7, abs=0.02)
    said = relations(found)[0]
    assert "coordination_ring: FCP above SP holds (0.70 against 0.20)" in said
    assert "MEP above SP holds" in said, "of every method the size that does best"
    text = page.read_text()
    assert "| FCP (12) | 10 | 100 | 3 | 140 ± " in text
    assert "| 159, 0.72 (12) |" in text, "beside what was published"
    assert "asymmetric_advantages: SP, E3T, FCP," in text, "what was not made"
    assert "Not the last word" not in text
    for name in ("coordination_ring-prox", "coordination_ring-return", "coordination_ring-spread", "skill"):
        assert f"images/zsc-{name}.svg" in text
        assert (page.parent / f"images/zsc-{name}.svg").read_text().startswith("<svg")


def test_a_case_of_ranks_is_a_kitchen_with_one_population_size(found: list[Found]):
    table = ranks(found).tables[0]
    places = {row[0]: row[1:5] for row in table.rows}
    assert places == {
        "SP": ["2", "0%", "50%", "50%"],
        "FCP": ["1", "100%", "0%", "0%"],
        "MEP": ["2", "50%", "50%", "0%"],
    }


def test_half_trained_partners_stand_beside_every_released_run(page: Path):
    text = page.read_text()
    assert sum(len(runs) for runs in HALF["coordination_ring"].values()) == 17
    assert "| MEP (36) |  |  | 156 | 0.76 |" in text
    assert re.search(r"\| MEP \(24\) \| 1(59|60|61) ± ", text)
    assert "| TrajeDi (12) |  |  | 52 | 0.83 |" in text, "of blocked_corridor, where nothing was made"


def test_the_page_says_how_many_lines_have_no_error(lines: list[Line]):
    assert guessed([line._replace(error=1.0) for line in lines]) == []
    (text,) = guessed([lines[0]._replace(error=math.nan), *(line._replace(error=1.0) for line in lines[1:])])
    assert f"1 of the {len(lines):,} means" in text


def test_the_page_says_where_only_the_smallest_populations_were_trained(found: list[Found]):
    (text,) = smallest([one for one in found if one.step == 0])
    assert "MEP 12, TrajeDi 12, HSP 12, COLE 25" in text
    assert smallest(found) == [], "there is a population of 24"


def test_agents_of_an_older_setting_are_marked_and_not_compared(found: list[Found]):
    old = [one._replace(shaping=1.5e7) if one.method == "FCP" else one for one in found]
    assert [one.label for one in old][1] == "FCP (12)†"
    assert "FCP (12)† above SP cannot be told: they learned differently" in relations(old)[0]
    (text,) = older(old)
    assert "annealed away over 15 M turns" in text
    assert "wait to be led" not in text, "that was seen in counter_circuit"
    assert older(found) == []


def test_nobody_is_judged_by_a_ceiling_of_its_own():
    """One of three seeds of FCP scores 240 where the best response scores 200: that is the others' ceiling."""
    lines = [*lines_of("SP", 0.5, size=0), *lines_of("FCP", 0.5)]
    first = next(number for number, one in enumerate(lines) if one.method == "FCP")
    lines[first] = lines[first]._replace(mean=240.0)
    place = lines[first].layout, lines[first].partner, lines[first].seat
    known = tops(lines)
    better = passed(lines, known)
    assert better == {place: {"FCP": 240.0}}
    assert judging("FCP", known, better)[place] == 200.0
    assert judging("SP", known, better)[place] == 240.0
    unsure = [one._replace(error=21.0) for one in lines]
    assert passed(unsure, known) == {}, "within the noise"


def test_a_seat_in_which_nobody_shows_anything_is_left_out():
    lines = [one._replace(ceiling=2.0, mean=0.0) if one.seat else one for one in lines_of("FCP", 0.5)]
    (found,) = found_in(lines)
    assert found.everybody.shares.iqm.value == pytest.approx(0.5, abs=0.02)
    assert found.everybody.mean == pytest.approx(50, abs=2), "the return is of all"
    assert found.everybody.ratios.shape == (3, 8)


def test_published_shares_are_whole():
    assert all(sum(shares) == pytest.approx(100, abs=0.1) for shares in RANKS.values())
    assert all(0 < one.iqm < 1 for one in RELEASED.values())
    assert judging_module.SEED != 0, "episodes that nobody was trained or chosen by"
