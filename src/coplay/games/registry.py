"""The one place that knows which games exist and how they are called."""

from __future__ import annotations

import dataclasses
import difflib
import importlib
from typing import TYPE_CHECKING, Any, Literal, overload

from coplay.games.game import Game, GameError

if TYPE_CHECKING:
    from coplay.games.hanabi import Hanabi
    from coplay.games.overcooked import Overcooked

# name -> (module with `make(**settings)`, preset: settings the name stands for)
GAMES: dict[str, tuple[str, str | None]] = {
    "hanabi": ("coplay.games.hanabi", None),
    "hanabi-small": ("coplay.games.hanabi", "SMALL"),
    "hanabi-very-small": ("coplay.games.hanabi", "VERY_SMALL"),
    "overcooked": ("coplay.games.overcooked", None),
}


@overload
def make(name: Literal["hanabi", "hanabi-small", "hanabi-very-small"], **settings: Any) -> Hanabi: ...
@overload
def make(name: Literal["overcooked"], **settings: Any) -> Overcooked: ...
@overload
def make(name: str, **settings: Any) -> Game: ...
def make(name: str, **settings: Any) -> Game:
    """The game called `name`; settings override its defaults."""
    if name not in GAMES:
        near = difflib.get_close_matches(str(name), GAMES, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise GameError(f"unknown game {name!r}; the games are {', '.join(GAMES)}.{hint}")
    module_name, preset = GAMES[name]
    module = importlib.import_module(module_name)
    given = {**(getattr(module, preset) if preset else {}), **settings}
    given.pop("name", None)
    try:
        return module.make(name=name, **given)
    except TypeError as error:
        raise GameError(f"{name}: {_explain_setting(error, module, settings)}") from error


def _explain_setting(error: TypeError, module: Any, settings: dict[str, Any]) -> str:
    """Turns Python's complaint about an unexpected keyword into one about a setting."""
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and hasattr(kind, "reset")]
    known = sorted({field.name for kind in kinds for field in dataclasses.fields(kind)} - {"name"})
    unknown = [setting for setting in settings if setting not in known]
    if not unknown:
        return str(error)
    near = difflib.get_close_matches(unknown[0], known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"unknown setting {unknown[0]!r}; the settings are {', '.join(known)}.{hint}"
