"""Recording games on all cores: parts are played by processes, and every game is checked before it is kept.

Seats are drawn anew for every game. A game depends on who plays, the seed and its number alone.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from coplay.agents.spec import agent
from coplay.data import DataError
from coplay.data.formats import Format, formats, refuse
from coplay.data.joining import join
from coplay.data.parts import Parts
from coplay.faces import Recording, faces_of
from coplay.games import make, spec_of
from coplay.rollouts.episode import Episodes
from coplay.rollouts.play import play
from coplay.rollouts.progress import progress_bar
from coplay.rollouts.where.local import Local

IDS = "game_ids"


def record(
    game: Any,
    names: Sequence[str],
    games: int,
    out: str | Path,
    seed: int = 0,
    first: int = 0,
    jobs: int = 1,
    progress: bool | None = None,
    move_seconds: float = 60.0,
) -> Episodes:
    """Plays the games of the seed from number `first` on and writes them to `out`; goes on where a kill stopped it.

    A plain agent that thinks longer than `move_seconds` forfeits its game, and forfeited games are left out.
    """
    game = make(game)
    quick, source = _quick(game, names)
    if quick is None:
        for name in names:
            agent(name, game)  # a mistake in a name shows here, before any process starts
    settings = {"game": spec_of(game), "seed": seed, "first": first, "who": list(names), "recipe": source}
    parts = Parts(out, games, _format(game), settings)
    missing = parts.missing()
    work = [(settings, parts.span(number), parts.path(number), move_seconds) for number in missing]
    with progress_bar(f"recording {', '.join(names)}", games, progress) as advance:
        advance(games - sum(len(parts.span(number)) for number in missing))
        if jobs == 1 or len(work) == 1:
            for part in work:
                advance(_part(*part))
        elif work:
            for done in Local(jobs).share([partial(_part, *part) for part in work]):
                advance(done)
    return parts.finish()


def _quick(game: Any, names: Sequence[str]) -> tuple[Recording | None, str | None]:
    """The world's own way to record these players, and the text of their recipe; None for ordinary agents."""
    recording = faces_of(game).recording
    source = None if recording is None else recording.source(game, names)
    return (None, None) if source is None else (recording, source)


def _format(game: Any) -> Format:
    recording = faces_of(game).recording
    return formats()["episodes" if recording is None else recording.format(game)]


def _part(settings: dict[str, Any], span: range, path: Path, move_seconds: float) -> int:
    game, seed, first = make(settings["game"]), settings["seed"], settings["first"]
    numbers = range(first + span.start, first + span.stop)
    quick, _ = _quick(game, settings["who"])
    way = partial(play_numbers, move_seconds=move_seconds) if quick is None else quick.record
    games = way(game, settings["who"], seed, numbers)
    kind = _format(game)
    refuse(kind.check(games), f"games {numbers[0]} to {numbers[-1]} of seed {seed}", len(games))
    assert kind.write is not None
    kind.write(path, games)
    return len(span)


def play_numbers(
    game: Any, names: Sequence[str], seed: int, numbers: Sequence[int], move_seconds: float = 60.0
) -> Episodes:
    """The games of these numbers, by the engine; games of the same team are played together, forfeits left out."""
    teams: dict[tuple[int, ...], list[int]] = {}
    for number in numbers:
        luck = random.Random(f"{seed} {number}")
        teams.setdefault(tuple(luck.choices(range(len(names)), k=game.players)), []).append(number)
    parts = []
    for team, deals in sorted(teams.items()):
        members = [names[member] for member in team]
        games = play(game, members, seed=seed, deals=deals, move_seconds=move_seconds, progress=False)
        about = {IDS: np.array(deals, np.int32), "kind": np.tile(np.array(team, np.int32), (len(deals), 1))}
        games = dataclasses.replace(games, names=("player",) * game.players, extra=about)
        whole = np.setdiff1d(np.arange(len(deals)), [forfeit.game for forfeit in games.forfeits])
        if len(whole):
            parts.append(games[whole])
    if not parts:
        raise DataError(f"games {numbers[0]} to {numbers[-1]} were all forfeited by {', '.join(names)}.")
    games = join(parts)
    return games[np.argsort(games.extra[IDS])]
