"""Where a result comes from, as lines of a page."""

from __future__ import annotations

from html import escape

from coplay.measure.study.run import GameRun, Run


def made_command(run: Run) -> str:
    """What was typed; folders written before do not say."""
    return f"<pre>{escape(run.made.command)}</pre>" if run.made else ""


def made_rows(run: Run) -> list[list[str]]:
    """The game, the program and the machine; folders written before say less."""
    made = run.made
    program = f"{run.coplay}, commit {made.commit[:12]}" if made and made.commit else run.coplay
    rows = [["game", f"{run.game} version {run.game_version}"]] if isinstance(run, GameRun) else []
    rows.append(["coplay", program])
    if made:
        rows.append(["made", f"{made.date}, JAX {made.jax}, {made.device}"])
    return rows
