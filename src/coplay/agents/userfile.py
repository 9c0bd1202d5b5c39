"""`file:my_agent.py:MyAgent`: an agent from somebody's own file, with errors that say where to look."""

from __future__ import annotations

import difflib
import importlib.util
import inspect
import sys
import traceback
from pathlib import Path
from typing import Any

from coplay.agents.agent import Agent, AgentError, Policy
from coplay.games.game import Game


def load_agent(place: str, game: Game) -> Policy | Agent:
    """Imports the file of PATH:CLASS and makes the class: with the game if its constructor takes one, else without."""
    path_text, separator, class_name = place.rpartition(":")
    if not separator or not path_text:
        raise AgentError(f"file:{place}: write file:PATH:CLASS, for example file:my_agent.py:MyAgent.")
    path = Path(path_text)
    if not path.is_file():
        raise AgentError(f"file:{place}: there is no file {path_text}; the path is relative to {Path.cwd()}.")
    kind = _find_class(path, _import(path), class_name)
    try:
        made = kind(game) if _wants_game(kind) else kind()
    except (Exception, SystemExit) as error:  # the user's constructor may raise anything
        raise AgentError(f"{path}: making {class_name} failed{_where(error, path)}: {_say(error)}") from error
    if not callable(getattr(made, "act", None)):
        raise AgentError(f"{path}: {class_name} has no act method; define act(self, view) -> int.")
    if isinstance(made, Policy | Agent):
        return made
    return _Wrapped(made, class_name)


class _Wrapped(Agent):
    """A class that has `act` but does not derive from Agent."""

    def __init__(self, inner: Any, name: str) -> None:
        self.inner = inner
        self.name = getattr(inner, "name", name)
        self.hears = getattr(inner, "hears", "own")
        if hasattr(inner, "observe_games"):
            self.observe_games = inner.observe_games

    def reset(self, seat: int, players: int) -> None:
        if hasattr(self.inner, "reset"):
            self.inner.reset(seat, players)

    def act(self, view: Any) -> int:
        return self.inner.act(view)

    def watch(self, view: Any) -> None:
        if hasattr(self.inner, "watch"):
            self.inner.watch(view)


def _import(path: Path) -> Any:
    name = f"coplay_user_{path.stem}"
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise AgentError(f"{path} is not a Python file; its name must end in .py.")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module  # so that its classes can be copied and pickled
    try:
        found.loader.exec_module(module)
    except SyntaxError as error:
        raise AgentError(f"{path}, line {error.lineno}: syntax error: {error.msg}; fix that line.") from error
    except (Exception, SystemExit) as error:  # the user's module may raise anything
        raise AgentError(f"{path}: importing it failed{_where(error, path)}: {_say(error)}") from error
    return module


def _find_class(path: Path, module: Any, name: str) -> type:
    classes = {key: value for key, value in vars(module).items() if inspect.isclass(value) and hasattr(value, "act")}
    own = [key for key, value in classes.items() if value.__module__ == module.__name__]
    if name in classes:
        return classes[name]
    if hasattr(module, name):
        raise AgentError(f"{path}: {name} has no act method; define act(self, view) -> int in that class.")
    near = difflib.get_close_matches(name, own, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    there = f"the agents in it are {', '.join(own)}" if own else "no class in it has an act method"
    raise AgentError(f"{path}: there is no class {name!r}; {there}.{hint}")


def _wants_game(kind: type) -> bool:
    try:
        parameters = list(inspect.signature(kind).parameters.values())
    except ValueError:
        return False
    return any(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)


def _where(error: BaseException, path: Path) -> str:
    """The line of the user's own file where it happened, if any."""
    frames, here = traceback.extract_tb(error.__traceback__), path.resolve()
    lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == here]
    return f" at line {lines[-1]}" if lines else ""


def _say(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
