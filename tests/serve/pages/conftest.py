"""A whole server in this process, with pages, on a free port; and a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the web site needs coplay[server]")
pytest.importorskip("fastapi", reason="the web site needs coplay[server]")

import httpx

from coplay.serve.http.server import Server, Settings, create_app
from coplay.serve.ledger import keys
from coplay.serve.ledger.hosting import host
from coplay.serve.pages.site import install
from tests.conftest import DATABASES, new_database
from tests.serve.serving import serving

CHROMIUM = "/usr/bin/chromium"
RULES = """
title = "Small & hidden"
answer_floor = 0
replays = "attempt"
description = "Four short games."
auto_approve = true
[[configuration]]
name = "small"
game = "hanabi-very-small"
settings = { life_tokens = 3 }
players = 2
games = 4
partners = ["piers"]
rehearsal = ["random"]
"""


class Site:
    """The running server: its address, a client, its inside, and an admin token."""

    def __init__(self, url: str, server: Server, token: str) -> None:
        self.url, self.server, self.token = url, server, token
        # A connection kept alive may be closed by the server, after a few idle seconds, just as it is used again.
        self.client = httpx.Client(base_url=url, timeout=120, limits=httpx.Limits(max_keepalive_connections=0))

    def enter(self, name: str, challenge: str = "small") -> dict[str, Any]:
        """Registers over the API; the answer holds the keys."""
        given = {"name": name, "method": "m", "contact": "secret@example.org", "human_data": "none"}
        return self.client.post(f"/v1/challenges/{challenge}/register", json=given).json()


@contextmanager
def running_site(database: str) -> Iterator[Site]:
    app = create_app(Settings(database, sign_ups_per_hour=1000, requests_per_minute=100_000))
    install(app)
    with serving(app) as port:
        server: Server = app.state.server
        with server.database.write() as transaction:
            host.new_challenge(transaction, "small", RULES)
            host.open_challenge(transaction, "small")
            token = keys.new_key(transaction, "admin")
        made = Site(f"http://127.0.0.1:{port}", server, token)
        yield made
        made.client.close()


@pytest.fixture(scope="session")
def sqlite_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(f"sqlite:///{tmp_path_factory.mktemp('site')}/coplay.db") as made:
        yield made


@pytest.fixture(scope="session")
def postgresql_site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(new_database(request, tmp_path_factory.mktemp("site"), "postgresql")) as made:
        yield made


@pytest.fixture
def site(request: pytest.FixtureRequest) -> Site:
    """On SQLite, unless a test wants both kinds of database."""
    return request.getfixturevalue(f"{getattr(request, 'param', 'sqlite')}_site")


on_both_databases = pytest.mark.parametrize("site", DATABASES, indirect=True)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"needs {CHROMIUM}: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def tab(browser: Any, site: Site) -> Iterator[Any]:
    """A fresh browser tab on a phone-sized screen; a script that breaks fails the test."""
    context = browser.new_context(viewport={"width": 400, "height": 800}, base_url=site.url)
    page = context.new_page()
    page.set_default_timeout(120_000)
    broken: list[str] = []
    page.on("dialog", lambda dialog: (broken.append(f"a script ran: {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: broken.append(str(error)))
    page.on("console", lambda message: broken.append(message.text) if "Content Security" in message.text else None)
    yield page
    context.close()
    assert broken == []
