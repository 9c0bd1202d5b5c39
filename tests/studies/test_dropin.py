"""The drop-in paper's experiments: they run from the matches to the page, and the page says what holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from coplay.agents.spec import agent
from coplay.games import make
from coplay.measure.stats import Estimate
from coplay.measure.tournament import tournament
from studies.dropin.casts import CASTS, CHALLENGE, GAME, NEAR, SLOW, VARIANTS, WIDE, Cast, called
from studies.dropin.figures import printed_challenge, printed_wide
from studies.dropin.page import write_page
from studies.dropin.relations import _below, errors, relations

TINY = Cast("near", "Two speeds", (100, 60), (100, 60), printed=NEAR.printed)


def test_the_casts_are_the_papers():
    game = make("football")
    for cast in CASTS:
        assert len(cast.agents) == 10
        assert {called(one) for one in cast.agents} == set(cast.printed)
        assert {agent(one, game).name for one in cast.agents} == set(cast.agents)
        assert all(skill + team == pytest.approx(drop, abs=1.1e-3) for skill, drop, team in cast.printed.values())


def test_nobody_outruns_others_with_the_ball():
    assert SLOW * max(NEAR.normal) <= 100 * min(NEAR.normal)
    assert make(GAME).dribble == SLOW  # pyright: ignore[reportAttributeAccessIssue]


def test_variants_change_one_thing_each():
    game, kept = make("football"), [(variant.dribble == SLOW, variant.keeps) for variant in VARIANTS]
    assert sorted(kept) == [(False, True), (True, False)]
    for variant in VARIANTS:
        names = [agent(variant.played(name), game).name for name in NEAR.agents]
        assert [name for name in names if "keeps=false" in name] == ([] if variant.keeps else names[5:])
        assert len(set(names)) == 10


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory):
    """Four players, two to a side: all three matches."""
    return tournament(
        "football?players=2&half=10", TINY.agents, games=2, matches=3, out=tmp_path_factory.mktemp("cup") / "near"
    )


def test_a_challenge_becomes_a_page(played, tmp_path: Path):
    """Table 1 has speeds that this small cast has not, so they are left out of it."""
    write_page(tmp_path / "page.md", [(TINY, played)], [(VARIANTS[0], played)])
    page = (tmp_path / "page.md").read_text()
    assert page.index(VARIANTS[0].title) > page.index("Goal differences")
    figures = {"dropin-offset-paper", "dropin-needed", "dropin-offset-2015"}  # ours of Figure 2 needs the other cast
    assert {file.stem for file in (tmp_path / "images").iterdir()} == figures
    page = page[: page.index(VARIANTS[0].title)]
    assert page.startswith("# Drop-in challenges in football")
    assert page.count("holds**") + page.count("does not hold**") == len(list(relations(TINY, played)))
    assert "| Agent100 | Agent60 |" in page
    assert "| PTAgent60 |" in page


def test_figures_are_drawn_from_the_printed_tables():
    drawn = printed_challenge().chart()
    assert drawn.count("<circle") == len(CHALLENGE) == 15
    assert drawn.count('class="dot bad"') == 10, "five agents are of known equal teamwork"
    agents = printed_wide()
    assert sorted(agents.measured) == sorted(called(agent) for agent in WIDE.agents)
    assert agents.chart().count("<circle") == 7, "three PT players have the skill of a normal one"


def test_half_of_the_matches_that_are_all_err_in_nothing(played):
    """With fewer than 63 matches the half is the whole."""
    assert errors(played).averaged == 0
    assert errors(played).predicted == pytest.approx(0, abs=1e-18)


class _Line:
    """A standing as far as relations read it."""

    def __init__(self, agent: str, teamwork: float) -> None:
        self.agent, self.normalised = agent, teamwork
        self.teamwork = Estimate(teamwork, teamwork, teamwork, 1)


@pytest.mark.parametrize(("shift", "holds"), [(0.0, True), (1.0, False)])
def test_relations_tell_the_papers_table_from_a_broken_one(shift: float, holds: bool):
    """With the printed figures of Table 5 the relation holds; with PTAgent50 lifted by a goal it does not."""
    printed = {
        "Agent90": 0.020,
        "Agent50": -0.024,
        "PTAgent50": -0.125 + shift,
        "PTAgent70": -0.174,
        "PTAgent90": -0.196,
    }
    lines = {one: _Line(one, printed.get(called(one), 0.0)) for one in WIDE.agents}
    assert _below("", WIDE, lines, True).holds == holds  # pyright: ignore[reportArgumentType]
