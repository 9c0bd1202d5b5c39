"""A Slurm of one node on this machine, run by whoever runs the tests: munged, slurmctld and slurmd, without systemd."""

from __future__ import annotations

import getpass
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")
PLACES = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
SECONDS = 60
CONFIG = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={home}/munge.socket
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/slurmd.pid
SlurmctldPort={first}
SlurmdPort={second}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory=4000
PartitionName=all Nodes={host} Default=YES State=UP
"""


def missing() -> list[str]:
    """Programs that have to be installed first."""
    return [name for name in PROGRAMS if shutil.which(name, path=PLACES) is None]


@contextmanager
def one_slurm() -> Iterator[None]:
    """While it runs, this program and those it starts find it, and no other cluster."""
    before = dict(os.environ)
    with TemporaryDirectory(prefix="slurm-", ignore_cleanup_errors=True) as folder, ExitStack() as running:
        home = Path(folder)
        for name in ("state", "spool"):
            (home / name).mkdir(mode=0o700)
        (home / "key").write_bytes(secrets.token_bytes(64))
        (home / "key").chmod(0o600)
        names = {"host": socket.gethostname().split(".")[0], "user": getpass.getuser(), "cores": os.cpu_count()}
        ports = dict(zip(("first", "second"), _free_ports(), strict=True))
        (home / "slurm.conf").write_text(CONFIG.format(home=home, **names, **ports))
        munge = [f"--key-file={home}/key", f"--socket={home}/munge.socket", f"--log-file={home}/munge.log"]
        munge += [f"--pid-file={home}/munge.pid", f"--seed-file={home}/seed", "--force", "--foreground"]
        try:
            os.environ |= {"SLURM_CONF": str(home / "slurm.conf"), "PATH": PLACES}
            for words in (["munged", *munge], ["slurmctld", "-D"], ["slurmd", "-D", "-N", str(names["host"])]):
                _start(words, home, running)
            _wait_for("idle", home)
            yield
        finally:
            running.close()
            os.environ.clear()
            os.environ |= before


def _start(words: list[str], home: Path, running: ExitStack) -> None:
    with (home / f"{words[0]}.told").open("wb") as told:
        process = subprocess.Popen(words, stdout=told, stderr=told)
    running.callback(process.wait)
    running.callback(process.terminate)
    if words[0] == "munged":
        for _ in range(10 * SECONDS):
            if (home / "munge.socket").exists():
                return
            time.sleep(0.1)


def _wait_for(state: str, home: Path) -> None:
    for _ in range(2 * SECONDS):
        told = subprocess.run(["sinfo", "--noheader", "--format", "%T"], capture_output=True, text=True)
        if told.stdout.strip() == state:
            return
        time.sleep(0.5)
    said = "\n".join(file.read_text(errors="replace")[-1000:] for file in home.glob("*.told"))
    raise RuntimeError(f"Slurm did not start: {said}")


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        for free in (one, other):
            free.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]
