"""What deploy/ says can be done: its files, paths and commands exist."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import typer.main

from coplay.cli import app
from coplay.serve.http.connections import MOST, Limits
from coplay.serve.http.run import named_proxies

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
UNITS = ("coplay.service", "coplay-check.service", "coplay-check.timer")


def _parses(line: str) -> None:
    """Reads a command line as `coplay` would, without running it."""
    _, *words = shlex.split(line)
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands"):
        name, *words = words
        command = command.commands[name]
    command.make_context(command.name, words)


def test_the_image_is_built_from_files_that_exist_and_runs_a_command_that_exists() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    allowed = {line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().split() if line.startswith("!")}
    copied = {name for line in re.findall(r"^COPY (.*) \S+$", text, re.M) for name in line.split()}
    assert copied == allowed
    assert all((ROOT / name).exists() for name in copied)
    (run,) = re.findall(r"^CMD (.*)$", text, re.M)
    shell, flag, script = json.loads(run)
    assert (shell, flag) == ("sh", "-c")
    assert subprocess.run(["sh", "-n", "-c", script], check=False).returncode == 0
    _parses(script.split("exec ")[1])


def test_the_services_fit_together() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = compose["services"]
    built = services["coplay"]["build"]
    assert (DEPLOY / built["context"] / built["dockerfile"]).resolve() == DEPLOY / "Dockerfile"
    for service in services.values():
        assert set(service["secrets"]) <= set(compose["secrets"])
        assert {volume.split(":")[0] for volume in service["volumes"]} <= set(compose["volumes"])
        assert set(service.get("depends_on", {})) <= set(services)
    shell, flag, script = services["check"]["command"]
    assert (shell, flag) == ("sh", "-c")
    assert subprocess.run(["sh", "-n", "-c", script.replace("$$", "$")], check=False).returncode == 0
    _parses(re.findall(r"do (coplay .*); done", script)[0])
    assert services["check"]["image"] == services["coplay"]["image"]
    (secret,) = compose["secrets"].values()
    assert Path(secret["file"]).name in (DEPLOY / ".gitignore").read_text().split()  # it cannot be committed
    assert all(port.startswith("127.0.0.1:") for port in services["coplay"]["ports"])


def test_only_the_proxy_on_this_machine_is_believed() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    (network,) = compose["networks"]["default"]["ipam"]["config"]
    believed = compose["services"]["coplay"]["environment"]["FORWARDED_ALLOW_IPS"]
    assert named_proxies(believed) == network["gateway"]
    assert ip_address(network["gateway"]) in ip_network(network["subnet"])


def test_the_units_run_commands_that_exist() -> None:
    for name in UNITS[:2]:
        (line,) = re.findall(r"^ExecStart=(.*)$", (DEPLOY / name).read_text(), re.M)
        _parses(line)


def test_the_server_may_open_a_file_for_each_of_many_connections() -> None:
    """systemd gives a service 1,024 otherwise, and a container what its engine thinks fit."""
    (unit,) = re.findall(r"^LimitNOFILE=(\d+)$", (DEPLOY / "coplay.service").read_text(), re.M)
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    for files in (int(unit), compose["services"]["coplay"]["ulimits"]["nofile"]):
        assert Limits.of(files).total == MOST


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    for name in UNITS:
        text = (DEPLOY / name).read_text().replace("/opt/coplay/.venv/bin/coplay", str(shutil.which("true")))
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", *(str(tmp_path / name) for name in UNITS)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
