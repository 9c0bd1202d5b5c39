"""`coplay train`; nothing heavy is imported before it runs."""

from __future__ import annotations

import json
from typing import Any

import typer


def parse_settings(pairs: list[str], option: str = "--set") -> dict[str, Any]:
    """`key=value` texts as a dictionary."""
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{pair!r}: write {option} name=value.")
        found[name.strip()] = value.strip()
    return found


def parse_rules(pairs: list[str]) -> dict[str, Any]:
    """The same for settings of a game: numbers, lists and true or false as in JSON, all else as text."""
    return {name: _from_json(value) for name, value in parse_settings(pairs, "--game-set").items()}


def _from_json(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return tuple(value) if isinstance(value, list) else value


def run_train(
    recipe: str,
    game: Any,
    out: str,
    settings: list[str],
    seeds: int,
    seed: int,
    resume: bool,
) -> None:
    """Trains and says what came of it."""
    from coplay.train.run import train

    run = train(recipe, game, out, seeds=seeds, seed=seed, resume=resume, **parse_settings(settings))
    print(f"{run.folder}: {len(run.agents)} agent(s)")
    for number in range(len(run.agents)):
        print(f"  run:{run.folder}/agent-{number}.safetensors")
    if run.metrics:
        last = run.metrics[-1]
        shown = {name: last[name] for name in ("turns", "score", "held_out_loss", "held_out_accuracy") if name in last}
        print("  last: " + ", ".join(f"{name} {value}" for name, value in shown.items()))
