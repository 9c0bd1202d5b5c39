"""Frozen dataclasses from tables of a TOML file; mistakes are explained with the place they are at."""

from __future__ import annotations

import dataclasses
import datetime
import tomllib
from typing import Any

from coplay.challenge.errors import ChallengeError


def toml(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ChallengeError(f"{where} is not TOML: {error}.") from error


def record(kind: type, given: Any, where: str, taken: dict[str, Any] | None = None) -> Any:
    """A dataclass from a TOML table, checked against the types of its defaults."""
    taken = taken or {}
    fields = {field.name: field for field in dataclasses.fields(kind) if field.name not in taken}
    if not isinstance(given, dict):
        raise ChallengeError(f"{where} should be a table, not {given!r}.")
    refuse_unknown(set(given) - set(fields), set(fields), where)
    values: dict[str, Any] = {}
    for name, field in fields.items():
        if name not in given:
            if field.default is dataclasses.MISSING:
                raise ChallengeError(f"{where} lacks {name}; add a line {name} = ...")
            continue
        values[name] = _typed(given[name], str(field.type), f"{where}: {name}")
    return kind(**values, **taken)


def _typed(value: Any, kind: str, where: str) -> Any:
    if kind == "float" and isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 10**9:
        return float(value)
    if kind.startswith("int") and isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 10**6:
        return value
    if kind.startswith("datetime") and isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC)
    if (kind == "str" and isinstance(value, str)) or (kind == "bool" and isinstance(value, bool)):
        return value
    if kind.startswith("tuple") and isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return tuple(value)
    names = {
        "tuple[str, ...]": 'a list of texts such as ["2p"]',
        "float": "a number of at least 0",
        "str": "a text",
        "bool": "true or false",
    }
    names["datetime.datetime | None"] = "a day and time with its zone, such as 2027-03-01T12:00:00Z"
    wanted = names.get(kind, "a whole number of at least 1")
    raise ChallengeError(f"{where} = {value!r}; give {wanted}.")


def refuse_unknown(unknown: set[str], known: set[str], where: str) -> None:
    if unknown:
        raise ChallengeError(f"{where}: unknown entry {min(unknown)!r}; the entries are {', '.join(sorted(known))}.")
