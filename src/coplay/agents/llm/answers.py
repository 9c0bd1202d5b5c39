"""Answers of language models on disk: whoever asks the same again pays nothing, and a run that stopped goes on."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

from coplay.agents.llm.chat import Reply

TABLE = """CREATE TABLE IF NOT EXISTS answers (
    question TEXT PRIMARY KEY, asked TEXT, text TEXT, tokens_in INTEGER, tokens_out INTEGER, seconds REAL)"""


def usual_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "coplay" / "llm"


class Answers:
    """One file, shared by threads and processes."""

    def __init__(self, folder: str | Path = "") -> None:
        place = Path(folder) if folder else usual_folder()
        place.mkdir(parents=True, exist_ok=True)
        self.file = place / "answers.sqlite"
        self._lock = threading.Lock()
        self._open = sqlite3.connect(self.file, timeout=60, check_same_thread=False, isolation_level=None)
        self._open.execute("PRAGMA journal_mode=WAL")
        self._open.execute(TABLE)

    def find(self, server: str, question: dict[str, Any]) -> Reply | None:
        with self._lock:
            rows = self._open.execute(
                "SELECT text, tokens_in, tokens_out, seconds FROM answers WHERE question = ?",
                (_name(server, question),),
            ).fetchall()
        return Reply(*rows[0]) if rows else None

    def keep(self, server: str, question: dict[str, Any], reply: Reply) -> None:
        row = (_name(server, question), json.dumps(question), *reply[:4])
        with self._lock:
            self._open.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)", row)


def _name(server: str, question: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps([server, question], sort_keys=True).encode()).hexdigest()
