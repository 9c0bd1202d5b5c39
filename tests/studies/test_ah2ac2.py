"""The AH2AC2 table: rows are trained by their recipes, and the page says which published orders hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coplay.games import make
from coplay.train.recipe import recipe_named
from coplay.train.run import resolve
from studies.ah2ac2 import page
from studies.ah2ac2.page import BEST, Found, page_text, relations
from studies.ah2ac2.rows import ROWS, SEEDS, named
from studies.results.work import Size, Work


def found(name: str, *means: float) -> Found:
    return Found(name, "", 0, np.array(means), 0, 0, 0, None)


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("name", [row.name for row in ROWS])
def test_every_row_has_settings_that_its_recipe_knows(name: str, players: int, tmp_path: Path):
    row, game = named(name), make("hanabi", players=players)
    chosen = resolve(recipe_named(row.recipe), row.recipe, game, dict(row.settings(tmp_path, players)))
    if name in ("HDR-IPPO", "BR-BC"):
        assert len(chosen.bc.split(",")) == SEEDS, "a clone of its own for each seed"
    assert ("community-bc" in str(chosen)) == row.relative, "who learned from what the proxies did is marked"


def test_an_order_holds_if_it_is_clear_between_seeds():
    lines = relations([found("BR-BC", 19, 20, 21), found("HDR-IPPO", 12, 12, 13), found("FCP", 18, 20, 22)], 2)[1]
    assert "BR-BC above HDR-IPPO: holds (+7.67" in lines
    assert "BR-BC above FCP: cannot be told" in lines
    turned = relations([found("IPPO", 1.0, 1.1, 1.2), found("BC", 8, 8.1, 8.2)], 2)[1]
    assert "IPPO above BC: does not hold (-7.00" in turned


def test_the_page_has_what_was_trained_and_names_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    place = named("BC").folder(tmp_path, 2)
    place.mkdir(parents=True)
    for seed in range(SEEDS):
        (place / f"agent-{seed}.safetensors").touch()

    class Played:
        mean, median, zero = (type("Figure", (), {"value": value})() for value in (12.5, 13.0, 0.25))

    def with_proxies(work: Any, game: Any, agent: str, proxies: list[str]) -> Any:
        assert agent not in proxies
        return Played

    monkeypatch.setattr(page, "with_proxies", with_proxies)
    monkeypatch.setattr(page, "foresight", lambda work, recorded, agent: {"paper": 0.5})
    monkeypatch.setattr(page, "default_proxies", lambda game: ["iggi", "piers"])
    monkeypatch.setattr(page, "_turns", lambda spec: 3e7 if "run:" in spec else 0)
    text = page_text(Work(tmp_path / "cache", Size(), players=[2]), tmp_path)
    assert "| BC | 1,000 games of the community | 30 | 3 | 12.50 ± 0.00 | 13 | 25.0% | 0.50 |" in text
    assert "| BC 2.12 / 0 / 0.86 |" in text
    assert f"| {BEST} |" in text
    assert "Not trained yet: HDR-IPPO, BR-BC, BR-BC*," in text
