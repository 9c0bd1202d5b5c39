"""One run on several hosts: a process on each, or on each device, all in step; the first writes the run folder.

JAX brings the processes together (`jax.distributed.initialize`), every one of them runs the same program, and what the
program decides by a clock, a key pressed or a file it has to decide alike everywhere: processes that disagree would
wait for each other for ever.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import equinox as eqx
import jax
import numpy as np
from jax.experimental.multihost_utils import process_allgather

from coplay.train.settings import TrainError

AUTO = "auto"
MEETING = re.compile(r"(?P<process>\d+)/(?P<count>\d+)@(?P<address>\S+:\d+)")
WORDS = 1000  # bytes of an error that the others are told
SEEN_SECONDS = 60.0  # a file on a shared disk may show so much later elsewhere


def join(hosts: str) -> None:
    """Makes this process one of those that train together; it is one already if the program called JAX itself.

    `auto`: Slurm, Open MPI, Kubernetes or a cloud's TPUs tell who and how many they are; `0/2@HOST:PORT`: the first of
    two, who meet at the address of the first.
    """
    if not hosts or jax.distributed.is_initialized():
        return
    given: dict[str, Any] = {}
    if hosts != AUTO:
        found = MEETING.fullmatch(hosts)
        if found is None or int(found["process"]) >= int(found["count"]):
            raise TrainError(
                f"--hosts {hosts}: write auto (Slurm, Open MPI, Kubernetes and TPUs say who is who), or the number of "
                "this process, how many there are, and where they meet: 0/2@FIRST:8476 here and 1/2@FIRST:8476 there."
            )
        given = {
            "coordinator_address": found["address"],
            "num_processes": int(found["count"]),
            "process_id": int(found["process"]),
            "cluster_detection_method": "deactivate",
        }
    try:
        jax.distributed.initialize(**given)
    except (ValueError, RuntimeError) as error:
        why = (str(error).splitlines() or ["?"])[0]
        raise TrainError(
            f"--hosts {hosts}: the hosts could not meet ({why}). With auto, begin the command by srun or mpirun; else "
            "see that the address is that of process 0 and that its port is open."
        ) from error


def first() -> bool:
    """Is this the process that writes and tells?"""
    return jax.process_index() == 0


@contextlib.contextmanager
def together() -> Iterator[None]:
    """What fails on one host fails on all, so that none waits for one that has left."""
    if jax.process_count() == 1:
        yield
        return
    failed: Exception | None = None
    try:
        yield
    except Exception as error:
        if was_told(error):
            raise
        failed = error
    words = gathered("" if failed is None else str(failed) or type(failed).__name__)
    if failed is not None:
        raise told(failed)
    for number, word in enumerate(words):
        if word:
            raise told(TrainError(f"process {number} of {len(words)}: {word}"))


Error = TypeVar("Error", bound=BaseException)


def told(error: Error) -> Error:
    """Marks an error with which all processes end."""
    vars(error)["told_to_hosts"] = True
    return error


def was_told(error: BaseException) -> bool:
    return "told_to_hosts" in vars(error)


def anywhere(*flags: bool) -> list[bool]:
    """Of each flag, whether it is set in one of the processes."""
    if jax.process_count() == 1:
        return list(flags)
    return np.any(process_allgather(np.array(flags)), axis=0).tolist()


def same_begin(about: dict[str, Any], *trees: Any) -> None:
    """All processes begin with the same numbers, or the run would fall apart without a word."""
    if jax.process_count() == 1:
        return
    digest = hashlib.sha256(json.dumps(about, sort_keys=True, default=str).encode())
    for leaf in jax.tree.leaves(eqx.filter(trees, eqx.is_array)):
        key = jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key)
        digest.update(np.asarray(jax.random.key_data(leaf) if key else leaf).tobytes())
    words = gathered(digest.hexdigest())
    other = next((number for number, word in enumerate(words) if word != words[0]), 0)
    if other:
        raise told(
            TrainError(
                f"process {other} of {len(words)} would begin with other numbers than process 0; give all the same "
                "command, the same files, the same versions of coplay and JAX, and processors of one kind."
            )
        )


def wait_until_seen(file: Path) -> None:
    """All processes see what the first has written: what a run keeps is read by all of them."""
    if jax.process_count() == 1:
        return
    digest = gathered(hashlib.sha256(file.read_bytes()).hexdigest() if first() else "")[0]
    with together():
        until = time.monotonic() + SEEN_SECONDS
        while not (file.exists() and hashlib.sha256(file.read_bytes()).hexdigest() == digest):
            if time.monotonic() > until:
                raise TrainError(f"{file.parent} is not the same folder here; put it on a disk that all hosts share.")
            time.sleep(0.2)


def gathered(text: str) -> list[str]:
    """What every process says."""
    mine = np.zeros(WORDS, np.uint8)
    said = text.encode()[:WORDS]
    mine[: len(said)] = np.frombuffer(said, np.uint8)
    every = np.asarray(process_allgather(mine)).astype(np.uint8)
    return [bytes(one).rstrip(b"\0").decode(errors="ignore") for one in every]
