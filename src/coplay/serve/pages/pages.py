"""How pages are made: templates that escape everything, and errors a reader understands."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from fastapi.routing import APIRoute
from jinja2 import ChoiceLoader, Environment, FileSystemLoader, FunctionLoader, StrictUndefined

from coplay import __version__
from coplay.challenge.errors import ChallengeError
from coplay.report.html import bounds
from coplay.serve.http.server import Server
from coplay.serve.pages.games import people_of_worlds

HERE = Path(__file__).parent


def _day(seconds: float | None) -> str:
    return "" if seconds is None else datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d")


def _number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _of_a_world(name: str) -> tuple[str, str, None] | None:
    """The text of FAMILY/FILE: a page that a world brings."""
    family, _, file = name.partition("/")
    people = people_of_worlds().get(family)
    if people is None or file != "table.html":
        return None
    path = people.folder / file
    return path.read_text(encoding="utf-8"), str(path), None


_environment = Environment(
    loader=ChoiceLoader([FileSystemLoader(HERE / "templates"), FunctionLoader(_of_a_world)]),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters |= {"day": _day, "number": _number}
_environment.globals |= {"version": __version__, "bounds": bounds}


def page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A template with values put in; the browser keeps no copy, because pages may show keys."""
    text = _environment.get_template(template).render(**values)
    return HTMLResponse(text, status, {"Cache-Control": "no-store"})


def server_of(request: Request) -> Server:
    return request.app.state.server


class PageRoute(APIRoute):
    """A route whose refusals are pages too."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        answer = super().get_route_handler()

        async def answer_with_page(request: Request) -> Response:
            try:
                return await answer(request)
            except ChallengeError as problem:
                return problem_page(problem.status, str(problem))
            except RequestValidationError as problem:
                first = problem.errors()[0]
                return problem_page(422, f"{first['loc'][-1]}: {first['msg']}.")

        return answer_with_page


def problem_page(status: int, message: str) -> HTMLResponse:
    return page("problem.html", status, message=message, code=status)
