"""What `import coplay` offers: every name leads somewhere, and nothing heavy is loaded before one is used."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import coplay

LAZY = ["coplay", "coplay.data", "coplay.rollouts", "coplay.train", "coplay.worlds.hanabi", "coplay.worlds.overcooked"]


@pytest.mark.parametrize("package", LAZY)
def test_every_public_name_leads_somewhere_and_is_listed(package: str):
    module = importlib.import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None
        assert name in dir(module)


def test_no_more_names_than_a_newcomer_can_look_through():
    shown = [name for name in dir(coplay) if not name.startswith("_")]
    assert {"make", "play", "agent", "evaluate", "Agent"} <= set(shown)
    assert len([name for name in shown if name in coplay.__all__]) <= 26


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'coplay' has no attribute 'paly'"):
        _ = coplay.paly  # pyright: ignore[reportAttributeAccessIssue]


def test_importing_coplay_loads_no_jax():
    probe = "import coplay, sys; dir(coplay); sys.exit('jax' in sys.modules)"
    subprocess.run([sys.executable, "-c", probe], check=True)


def test_help_says_what_a_function_takes():
    import inspect

    assert list(inspect.signature(coplay.play).parameters)[:4] == ["game", "team", "games", "seed"]
