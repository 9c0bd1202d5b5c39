"""The study of zero-shot coordination: every run can be made, judged, and set beside the others."""

from __future__ import annotations

import dataclasses
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
from studies.zsc import judge as judging
from studies.zsc.judge import Line, judge, read_lines, write_lines
from studies.zsc.page import found_in, ranks, relations, write_page
from studies.zsc.plan import METHODS, QUICK, Job, Scale, jobs, partners_folder
from studies.zsc.published import RANKS, RELEASED


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


def test_agents_meet_every_partner_in_both_seats(tmp_path: Path):
    job = Job("coordination_ring", METHODS[0], 0)
    game = make("overcooked", layout="coordination_ring", horizon=20)
    design = Design(game.observation_shape, game.num_actions, embed=8, actor=8, critic=8)
    folder = partners_folder(tmp_path, job.layout)
    for number in range(job.seeds):
        network = Network(jax.random.key(number), design)
        save_policy(job.folder(tmp_path) / f"agent-{number}.safetensors", network, game, {})
        save_policy(folder / f"partner-{number}.safetensors", network, game, {}, "int8")
    write_whole(folder / "set.json", _set_of(folder, 2).to_json())
    lines = judge(tmp_path, job, dataclasses.replace(QUICK, episodes=2))
    assert len(lines) == job.seeds * 2 * 2
    assert {(one.seed, one.partner, one.seat) for one in lines} == {
        (seed, f"partner-{number}.safetensors", seat) for seed in range(5) for number in range(2) for seat in range(2)
    }
    assert {one.ceiling for one in lines} == {40.0}, "what its own copies score, where the best response does worse"
    assert judge(tmp_path, job, QUICK) == lines, "nothing is played again"


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
    """Three seeds, eight partners of each level."""
    rng = np.random.default_rng(len(method))
    return [
        Line(layout, method, size, seed, 10_000_000, f"{level}-{number}", level, seat, mean, 50, 200.0, 100.0)
        for seed in range(3)
        for level in ("final", "half")
        for number in range(8)
        for seat in range(2)
        for mean in [round(200 * share + rng.normal(0, 4), 3)]
    ]


def test_lines_are_read_as_they_were_written(tmp_path: Path):
    lines = lines_of("FCP", 0.5)
    write_lines(tmp_path / "scores.csv", lines)
    assert read_lines(tmp_path / "scores.csv") == lines


def test_the_page_says_which_orders_hold(tmp_path: Path):
    lines = [
        *lines_of("SP", 0.2, size=0),
        *lines_of("FCP", 0.7),
        *lines_of("MEP", 0.21),
        *lines_of("MEP", 0.8, size=24),
    ]
    found = found_in(lines)
    assert [one.label for one in found] == ["SP", "FCP (12)", "MEP (12)", "MEP (24)"]
    assert found[1].shares.iqm.value == pytest.approx(0.7, abs=0.02)
    said = relations(found)[0]
    assert "coordination_ring: FCP above SP holds (0.70 against 0.20)" in said
    assert "MEP above SP holds" in said, "of every method the size that does best"
    table = ranks(found).tables[0]
    places = {row[0]: row[1:4] for row in table.rows}
    assert places == {"SP": ["0%", "0%", "100%"], "FCP": ["0%", "100%", "0%"], "MEP": ["100%", "0%", "0%"]}
    write_page(tmp_path / "zsc.md", lines)
    text = (tmp_path / "zsc.md").read_text()
    assert "| FCP (12) | 10 | 3 | 140 ± " in text
    assert "| 159, 0.72 (12) |" in text, "beside what was published"
    assert "Not made yet: asymmetric_advantages," in text
    assert (tmp_path / "images/zsc-coordination_ring.svg").read_text().startswith("<svg")


def test_published_shares_are_whole():
    assert all(sum(shares) == pytest.approx(100, abs=0.1) for shares in RANKS.values())
    assert all(0 < one.iqm < 1 for one in RELEASED.values())
    assert judging.SEED != 0, "episodes that nobody was trained or chosen by"
