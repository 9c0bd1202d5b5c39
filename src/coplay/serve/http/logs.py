"""The log: one JSON object per line on standard error, and no flood of the same line."""

from __future__ import annotations

import json
import logging
import logging.config
import time
from collections.abc import Callable
from typing import Any


class NamesNoAddress(logging.Filter):
    """uvicorn logs the address of every WebSocket, and on compatibility paths that holds a key."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "WebSocket" not in str(record.msg)


class NoFlood(logging.Filter):
    """Lets so many lines of one kind through in a minute; the next one after that says how many were left out."""

    MANY, SECONDS, KINDS = 10, 60.0, 1000

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._seen: dict[tuple[Any, ...], tuple[float, int]] = {}  # kind -> since when, how many

    def filter(self, record: logging.LogRecord) -> bool:
        known = tuple(getattr(record, name, None) for name in JsonLines.KNOWN)
        kind = (record.name, str(record.msg).partition("\n")[0], known)  # below the first line stand numbers of sockets
        now = self._now()
        since, count = self._seen.get(kind, (now, 0))
        if now - since > self.SECONDS:
            if count > self.MANY:
                record.left_out = count - self.MANY
            since, count = now, 0
        if kind not in self._seen and len(self._seen) >= self.KINDS:
            self._seen.clear()
        self._seen[kind] = since, count + 1
        return count < self.MANY


class JsonLines(logging.Formatter):
    """One JSON object per line. Nothing here is a key, a card or a message of a client."""

    KNOWN = ("challenge", "table", "turn", "attempt", "reason", "tables", "games", "left_out")

    def format(self, record: logging.LogRecord) -> str:
        line = {"at": round(record.created, 3), "level": record.levelname.lower(), "what": record.getMessage()}
        line |= {name: getattr(record, name) for name in self.KNOWN if hasattr(record, name)}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


def logging_settings() -> dict[str, Any]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": JsonLines}},
        "filters": {"addresses": {"()": NamesNoAddress}, "flood": {"()": NoFlood}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "json", "filters": ["addresses", "flood"]}
        },
        "loggers": {
            "coplay": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
            "uvicorn": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        },
        "root": {"handlers": ["stderr"], "level": "WARNING"},  # of asyncio and others
    }
