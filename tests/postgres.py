"""A private PostgreSQL for the tests: its own folder, its own user, reachable only through a socket in that folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class NoPostgres(Exception):
    """Why there is none here."""


def _programs() -> Path:
    """The folder with initdb and postgres; installed first where that is possible."""
    for _ in range(2):
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [
            Path(path) for path in [shutil.which("initdb")] if path
        ]
        if found:
            return found[-1].resolve().parent
        if os.name != "posix" or os.geteuid() != 0 or not Path("/etc/debian_version").exists():
            break
        command = ["apt-get", "install", "-y", "--no-install-recommends", "postgresql"]
        subprocess.run(command, check=False, capture_output=True)
    raise NoPostgres("PostgreSQL is not installed (Debian: apt-get install postgresql)")


def _as_someone(folder: Path) -> list[str]:
    """PostgreSQL refuses to run as root: then somebody else runs it."""
    if os.geteuid() != 0:
        return []
    user = "postgres" if subprocess.run(["id", "postgres"], capture_output=True).returncode == 0 else "nobody"
    shutil.chown(folder, user)
    return ["setpriv", f"--reuid={user}", "--regid=" + _group(user), "--clear-groups"]


def _group(user: str) -> str:
    return subprocess.run(["id", "-g", user], capture_output=True, text=True, check=True).stdout.strip()


@contextmanager
def running_postgres() -> Iterator[str]:
    """Starts a cluster; yields an address with {} for the name of a database."""
    if sys.platform != "linux":
        raise NoPostgres("the tests start PostgreSQL on Linux only")
    programs = _programs()
    folder = Path(tempfile.mkdtemp(prefix="coplay-postgres-"))
    folder.chmod(0o755)
    prefix = _as_someone(folder)
    data = folder / "data"
    try:
        made = [*prefix, str(programs / "initdb"), "-D", str(data), "-U", "coplay", "-A", "trust", "--no-sync"]
        subprocess.run(made, check=True, capture_output=True, cwd=folder)
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off -c max_connections=200"
        control = [*prefix, str(programs / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log")]
        subprocess.run([*control, "-o", options, "start"], check=True, capture_output=True, cwd=folder)
    except (subprocess.CalledProcessError, OSError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise NoPostgres(f"PostgreSQL did not start: {error}") from error
    try:
        yield f"postgresql://coplay@/{{}}?host={folder}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=False, capture_output=True, cwd=folder)
        shutil.rmtree(folder, ignore_errors=True)
