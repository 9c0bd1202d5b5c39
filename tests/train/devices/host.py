"""One process of those that train together, for `test_hosts.py`: `python -m tests.train.devices.host HOSTS FOLDER`.

With HOSTS it is broken off, goes on, disagrees, and in the end the second process is killed; alone it trains the same
without any of this.
"""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import jax

from coplay.nets import layers
from coplay.train import TrainError, run, train
from coplay.train.devices.hosts import join
from tests.train.toy import Toy

SHAPE = {"games": 16, "turns": 4, "epochs": 1, "minibatches": 2, "bundle": 1, "learning_rate": 1e-2}
SIZES = {"embed": 8, "actor": 8, "critic": 8, "layers": 1}
UPDATES, POPULATION = 10, 2


def go(out: Path, updates: int, **changes: Any) -> None:
    turns = updates * SHAPE["games"] * SHAPE["turns"]
    train("ippo", Toy(), out, **{**SHAPE, **SIZES, "total_turns": turns, "progress": False, **changes})  # pyright: ignore[reportArgumentType]


def main(hosts: str, folder: Path) -> None:
    join(hosts)
    assert len(jax.devices()) == 8
    # Networks that start from plain random numbers: orthogonal ones take seconds to compile.
    plain = partial(jax.jit, static_argnums=(1, 2, 3))(
        lambda key, i, o, gain: gain / 2 * jax.random.normal(key, (i, o))
    )
    layers.orthogonal = plain  # pyright: ignore[reportPrivateImportUsage]
    if not hosts:
        go(folder / "run", UPDATES)
    else:
        assert jax.process_count() == 2
        _broken_off(folder / "run")
    go(folder / "population", POPULATION, seeds=8, snapshots=1)
    if hosts:
        _fail(folder)
        _signal_second(signal.SIGKILL)
        go(folder / "run", UPDATES + 5, resume=True)


def _broken_off(out: Path) -> None:
    """By Ctrl-C at the second process alone; it goes on from there."""
    try:
        _signal_second(signal.SIGINT)
        go(out, UPDATES)
    except KeyboardInterrupt as end:
        print(end)
    else:
        raise AssertionError("nobody stopped")
    go(out, UPDATES, resume=True)


def _fail(folder: Path) -> None:
    """All processes end with the error of one, and can begin something else."""
    mine = jax.process_index()
    for changes in ({"seed": mine}, {"clip": 0.0 if mine == 1 else 0.2}, {"games": 12, "minibatches": 1}):
        try:
            go(folder / "wrong", 1, **changes)
        except TrainError as error:
            print(error)
        else:
            raise AssertionError(f"{changes} went well")
    if mine == 0:
        assert not (folder / "wrong" / "run.json").exists()


def _signal_second(number: int) -> None:
    """After its third look around; the first process gets no signal."""
    looks, look = [], run.anywhere

    def and_signal(*flags: bool) -> list[bool]:
        looks.append(flags)
        if len(looks) == 3:
            run.anywhere = look
            if jax.process_index() == 1:
                os.kill(os.getpid(), number)
        return look(*flags)

    run.anywhere = and_signal


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
