"""`--config FILE`: arguments and options of a command in a TOML file. What is typed wins over what the file says."""

from __future__ import annotations

import functools
import inspect
import sys
import tomllib
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from coplay.specs import unknown, value_text

FEWEST = 4  # options: a command with fewer is as quickly typed
WORDS = "A TOML file of arguments and options; what is typed wins over it."


class ConfigError(ValueError):
    """A file of options cannot be used; the message names the file, the rule and the remedy."""


def configurable(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option `--config`, if it has options enough."""
    own = inspect.signature(command, eval_str=True)
    if sum(map(_is_option, own.parameters.values())) < FEWEST:
        return command

    @functools.wraps(command)
    def configured(context: typer.Context, config: str | None = None, **given: Any) -> None:
        if config is not None:
            given |= _repeated(context)
            _tell(context, config)
        command(**given)

    option = typer.Option("--config", metavar="FILE", is_eager=True, callback=_read, help=WORDS)
    keyword = inspect.Parameter.KEYWORD_ONLY
    more = [
        inspect.Parameter("config", keyword, default=None, annotation=Annotated[str | None, option]),
        inspect.Parameter("context", keyword, annotation=typer.Context),
    ]
    same = [one.replace(kind=keyword) for one in own.parameters.values()]
    configured.__signature__ = own.replace(parameters=[*same, *more])  # pyright: ignore[reportAttributeAccessIssue]
    configured.__annotations__ = {one.name: one.annotation for one in [*same, *more]}
    return configured


def _is_option(one: inspect.Parameter) -> bool:
    return any(type(told).__name__ == "OptionInfo" for told in typing.get_args(one.annotation)[1:])


def _read(context: typer.Context, file: str | None) -> str | None:
    """Whatever is not typed is looked up in the file, for it is the command's map of defaults."""
    if file is not None:
        context.default_map = read_config(Path(file), _settable(context))
    return file


def _settable(context: typer.Context) -> dict[str, Any]:
    """The arguments and options by the names that a file may give them: `move_seconds` of `--move-seconds`."""
    named: dict[str, Any] = {}
    for one in context.command.params:
        names = [one.name] if one.param_type_name == "argument" else one.opts
        named |= {str(name).lstrip("-").replace("-", "_"): one for name in names}
    return {name: one for name, one in named.items() if name not in ("config", "help")}


def read_config(file: Path, settable: dict[str, Any]) -> dict[str, Any]:
    """What a file says, by the names of parameters and as the command line would have it."""
    try:
        told = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} is no TOML: {error}. A line is for example: games = 100") from error
    found = {}
    for key, value in told.items():
        name = key.replace("-", "_")
        if name not in settable:
            raise ConfigError(f"{file}: {unknown('option', key, sorted(settable))}")
        found[settable[name].name] = _value(f"{file}: {key}", settable[name], value)
    return found


def _value(where: str, one: Any, value: Any) -> Any:
    """A list where several may be given, else a flag or a text; a table is a list of name=value."""
    if isinstance(value, dict):
        if not getattr(one, "multiple", False):
            raise ConfigError(f"{where} takes no table; write one value.")
        return [f"{name}={value_text(inner)}" for name, inner in value.items()]
    if getattr(one, "multiple", False) or one.nargs == -1:
        return [value_text(inner) for inner in (value if isinstance(value, list) else [value])]
    if getattr(one, "is_flag", False):
        if not isinstance(value, bool):
            raise ConfigError(f"{where} = {value!r}: write true or false.")
        return value
    return value_text(value)


def _repeated(context: typer.Context) -> dict[str, Any]:
    """Options that may be repeated: what the file says, then what was typed, so that `--set` overrules name by name."""
    file: Any = context.default_map
    both = [one for one in _from_file(context) if getattr(one, "multiple", False) and not _overlooked(context, one)]
    return {one.name: [*file[one.name], *context.params[one.name]] for one in both}


def _from_file(context: typer.Context) -> list[Any]:
    return [one for one in dict.fromkeys(_settable(context).values()) if one.name in (context.default_map or {})]


def _overlooked(context: typer.Context, one: Any) -> bool:
    """Was it not typed, so that the file decides?"""
    source = context.get_parameter_source(one.name)
    return source is not None and source.name == "DEFAULT_MAP"


def _tell(context: typer.Context, file: str) -> None:
    """Results tell the command line that made them; so that it says everything, the file is written out there.

    Where another program runs the command, its command line stays as it is.
    """
    typed = sys.argv[1:]
    places = [i for i, word in enumerate(typed) if word == f"--config={file}" or typed[i : i + 2] == ["--config", file]]
    for place in reversed(places):
        del typed[place : place + 1 + (typed[place] == "--config")]
    if places:
        said = [one for one in _from_file(context) if _overlooked(context, one) or getattr(one, "multiple", False)]
        last = len(typed) - len(_typed_options(typed))
        words = [word for one in said for word in _words(one, (context.default_map or {})[one.name])]
        sys.argv[1:] = [*typed[:last], *words, *typed[last:]]


def _typed_options(typed: list[str]) -> list[str]:
    """From the first option on."""
    first = next((i for i, word in enumerate(typed) if word.startswith("-")), len(typed))
    return typed[first:]


def _words(one: Any, value: Any) -> list[str]:
    """An argument or option as it would be typed."""
    several = value if isinstance(value, list) else [value]
    if one.param_type_name == "argument":
        return several
    if isinstance(value, bool):
        return (one.opts if value else one.secondary_opts)[:1]
    return [word for inner in several for word in (one.opts[0], inner)]
