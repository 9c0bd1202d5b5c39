"""Games that a person played in a kitchen, in a browser, are exported, cloned and judged by the documented commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from coplay.cli import app
from coplay.serve.ledger.people import answer_consent, new_person, new_table
from coplay.serve.pages import consent
from coplay.serve.pages.export import export_people
from tests.serve.pages.conftest import Site

STEPS = 12
FETCH = ("ArrowLeft", " ", "ArrowRight", "ArrowUp", " ")  # an onion from the west wall into the pot
SMALL = ("embed=8", "actor=8", "critic=8", "epochs=3", "held_out_share=0.5")


def command(*words: str) -> str:
    """Runs a command that must succeed."""
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return done.stdout


def cook(site: Site, tab: Any, games: int) -> None:
    """Somebody who agreed cooks so many short games beside somebody who stays."""
    with site.server.database.write() as transaction:
        person = new_person(transaction)
        answer_consent(transaction, person.id, consent.VERSION, True)
        settings = {"layout": "cramped_room", "horizon": STEPS}
        seats = [new_table(transaction, "overcooked", settings, ["stay"], person=person.id) for _ in range(games)]
    for seat in seats:
        tab.goto(f"/play/{seat.attempt}#{seat.key}")
        tab.wait_for_selector("#controls:not([hidden])")
        for turn in range(STEPS):
            tab.keyboard.press(FETCH[turn % len(FETCH)])
            if turn + 1 < STEPS:
                tab.wait_for_selector(f"#status:has-text('Step {turn + 1} of {STEPS}')")
        tab.wait_for_selector("text=Final score")


@pytest.mark.slow
def test_a_kitchen_that_a_person_cooked_in_is_exported_cloned_and_evaluated(
    site: Site, tab: Any, tmp_path: Path
) -> None:
    cook(site, tab, 2)
    lines = export_people(site.server.database, tmp_path / "people")
    (written,) = [line for line in lines if f"overcooked-{STEPS}-cramped_room.safetensors: 2 games" in line]
    data = written.removeprefix("wrote ").split(":")[0]
    settings = [word for setting in (f"data={data}", *SMALL) for word in ("--set", setting)]
    made = command("train", "bc", "--game", "cramped_room?horizon=20", *settings, "--out", str(tmp_path / "clone"))
    assert "agent-0.safetensors" in made
    clone = f"run:{tmp_path}/clone/agent-0.safetensors"
    where = ("--game", "cramped_room?horizon=20", "--out", str(tmp_path / "judged"))
    judged = command("evaluate", clone, "--partners", "stay", "--games", "2", "--no-robustness", *where)
    assert "stay" in judged
    assert (tmp_path / "judged" / "report.html").is_file()
