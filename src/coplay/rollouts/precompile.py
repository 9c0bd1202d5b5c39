"""Compiles the policies of later teams while earlier ones play: a compiler needs a core, but not Python."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game
from coplay.player import unnamed
from coplay.rollouts.chairs import compile_decision
from coplay.rollouts.play import chunk_size, first_states
from coplay.rollouts.team import Player, is_policy

MOST = 4  # compilers at once: what they do in Python, they do in turn


@contextmanager
def precompiled(game: Game, players: Iterable[Player], games: int) -> Iterator[Callable[[Player], None]]:
    """Gives a function that waits until a player is ready for so many games in lock-step.

    The players become ready in their order, beside whatever the caller does meanwhile.
    """
    states, keys = first_states(game, 0, jnp.asarray(np.arange(chunk_size(games))))
    turns: defaultdict[Any, Lock] = defaultdict(Lock)

    def compile_one(player: Player) -> None:
        # Networks of one design are one program: the second waits for it, and does not compile it beside the first.
        with turns[jax.tree.structure(unnamed(player))]:
            compile_decision(game, player, states, keys)

    with ThreadPoolExecutor(min(os.cpu_count() or 1, MOST)) as pool:
        tasks: dict[int, Future[Any]] = {
            id(player): pool.submit(compile_one, player) for player in players if is_policy(player)
        }

        def ready(player: Player) -> None:
            if id(player) in tasks:
                tasks[id(player)].result()

        try:
            yield ready
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
