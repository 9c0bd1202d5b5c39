"""Texts that name a thing and set its options: `hanabi?players=3`, `smartbot?risk=false`, `file:levers.py:Levers`.

One grammar for games, agents and settings of any kind: a name, or a prefix and a place, then `?name=value&name=value`.
Values are read by the type that the option declares, else by the type of its default.
"""

from __future__ import annotations

import dataclasses
import difflib
import enum
import inspect
import json
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import quote, unquote

LISTS = (tuple, list, Sequence)  # read as tuples, which can be hashed
WORDS = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}


class Spec(NamedTuple):
    """A text taken apart."""

    text: str
    name: str  # without prefix and options
    prefix: str  # "" for a name
    place: str  # what follows the prefix
    options: dict[str, str]


def parse(text: str) -> Spec:
    """Takes a spec apart; ValueError where an option has no value."""
    name, _, query = text.partition("?")
    prefix, colon, place = name.partition(":")
    options: dict[str, str] = {}
    for pair in query.split("&") if query else []:
        option, equals, value = pair.partition("=")
        if not equals or not option:
            raise ValueError(f"{text}: write options as {name}?name=value&name=value.")
        options[option] = unquote(value)
    return Spec(text, name, prefix if colon else "", place, options)


def with_options(name: str, options: Mapping[str, Any]) -> str:
    """The spec that `parse` reads back."""
    pairs = [f"{option}={quote(value_text(value), safe=',/._:+~ -')}" for option, value in options.items()]
    return f"{name}?{'&'.join(pairs)}" if pairs else name


def value_text(value: Any) -> str:
    """A value as it is typed."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "none"
    if isinstance(value, list | tuple):
        return ",".join(map(value_text, value))
    return value.name if isinstance(value, enum.Enum) else str(value)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """ " Did you mean 'smartbot'?" where something known is near, else nothing."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def unknown(what: str, name: str, known: Iterable[str], more: str = "") -> str:
    """What to say about a name that nothing has."""
    names = list(known)
    listed = f"the {what}s are {', '.join(names)}" if names else f"there are no {what}s"
    return f"unknown {what} {name!r}; {listed}{more}.{did_you_mean(name, names)}"


class Option(NamedTuple):
    """Something that can be set: what it may be, and what it is if nobody says."""

    kind: Any  # a type, or None where only the default tells
    default: Any


def options_of(made: Callable[..., Any], skip: int = 0) -> dict[str, Option]:
    """The options of a class or function, by name; the first `skip` parameters are given by the caller."""
    hints = _hints(made)
    if dataclasses.is_dataclass(made) and not skip:
        fields = [field for field in dataclasses.fields(made) if field.init]
        if {field.name for field in fields} <= set(
            inspect.signature(made.__init__).parameters
        ):  # else it has one of its own
            return {field.name: Option(hints.get(field.name), _default(field)) for field in fields}
    try:
        parameters = list(inspect.signature(made).parameters.values())[skip:]  # pyright: ignore[reportArgumentType]
    except ValueError:  # built in, without a signature
        return {}
    named = [one for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    return {one.name: Option(hints.get(one.name), None if one.default is one.empty else one.default) for one in named}


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    return None if field.default_factory is dataclasses.MISSING else field.default_factory()


def _hints(made: Any) -> dict[str, Any]:
    target = made if dataclasses.is_dataclass(made) or not inspect.isclass(made) else made.__init__
    try:
        return typing.get_type_hints(target)
    except (NameError, TypeError, AttributeError):  # a name that only a type checker sees
        return {}


def read_options(
    given: Mapping[str, Any],
    known: Mapping[str, Option],
    where: str,
    error: Callable[[str], Exception],
    what: str = "option",
) -> dict[str, Any]:
    """The values of texts; names that do not exist and values of another kind raise `error`."""
    values = {}
    for name, value in given.items():
        if name not in known:
            raise error(f"{where}: {unknown(what, name, known)}")
        try:
            values[name] = read_value(value, known[name])
        except ValueError as problem:
            raise error(f"{where}: {name}={value!r} should be {problem}.") from problem
    return values


def read_value(value: Any, option: Option) -> Any:
    """A typed text as a value; what is no text stays as it is. ValueError: what it should have been."""
    kind = option.kind
    if kind in (None, Any) or kind is inspect.Parameter.empty:
        kind = str if option.default is None else type(option.default)
        if option.default is None and isinstance(value, str):
            return _json_or_text(value)
    return _read(value, kind)


def _json_or_text(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return tuple(value) if isinstance(value, list) else value


def _read(value: Any, kind: Any) -> Any:
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _read_any(value, typing.get_args(kind))
    if origin is Literal:
        return _read_choice(value, {value_text(one): one for one in typing.get_args(kind)})
    if isinstance(kind, enum.EnumMeta):
        return _read_choice(value, dict(kind.__members__))
    if kind is bool:
        return _read_bool(value)
    if kind in (int, float):
        return _read_number(value, kind)
    if kind is type(None):
        if isinstance(value, str) and value.lower() not in ("none", "null", ""):
            raise ValueError("none")
        return None
    if kind in LISTS or origin in LISTS:
        return _read_tuple(value, typing.get_args(kind))
    if kind in (str, Path):
        return value if isinstance(value, str | Path) else str(value)
    made = origin or kind
    if isinstance(value, str) and isinstance(made, type) and made is not object:
        raise ValueError(f"a {made.__name__} (which no text can say)")
    return value


def _read_choice(value: Any, choices: Mapping[str, Any]) -> Any:
    """The choice that a text names; what is one of them already stays as it is."""
    if not isinstance(value, str) and value in choices.values():
        return value
    if value_text(value) not in choices:
        raise ValueError(f"one of {', '.join(choices)}")
    return choices[value_text(value)]


def _read_any(value: Any, kinds: tuple[Any, ...]) -> Any:
    """The first kind that fits; texts last, for everything is a text."""
    wanted = []
    for kind in sorted(kinds, key=lambda kind: kind in (str, Path) or typing.get_origin(kind) is Literal):
        try:
            return _read(value, kind)
        except ValueError as problem:
            wanted.append(str(problem))
    raise ValueError(" or ".join(wanted))


def _read_bool(value: Any) -> bool:
    if str(value).lower() not in WORDS:
        raise ValueError("true or false")
    return WORDS[str(value).lower()]


def _read_number(value: Any, kind: type) -> Any:
    if isinstance(value, bool):
        raise ValueError("a number")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError("a whole number" if kind is int else "a number") from None
    if kind is float:
        return number
    if not number.is_integer():
        raise ValueError("a whole number")
    return int(value) if isinstance(value, int) else int(number)


def _read_tuple(value: Any, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    if isinstance(value, str):
        value = [part.strip() for part in value.strip("[]() ").split(",") if part.strip()]
    if not isinstance(value, Iterable):
        raise ValueError("a list such as 1,2,3")
    kind = kinds[0] if kinds else str
    return tuple(_read(part, kind) for part in value)
