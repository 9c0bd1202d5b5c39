"""The web site as a whole: what `coplay serve` adds to the server it starts."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from coplay.report.style import CHART, PAGE, PALETTE
from coplay.serve.http.server import as_refusal
from coplay.serve.pages import (
    admin,
    challenges,
    claim,
    desk_studies,
    entrants,
    file_replays,
    gathering,
    play,
    replays,
    studies,
    table,
)
from coplay.serve.pages.games import people_of_worlds
from coplay.serve.pages.pages import HERE, problem_page

# Scripts and styles come from this server's own files only, so text that slips into a page can do nothing.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; frame-ancestors 'none'; form-action 'self'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def from_elsewhere(request: Request) -> bool:
    """Does another site send a form in a visitor's name? Nobody signs in, agrees or registers that way.

    Programs send neither header; requests of the API carry their key, which no other site has.
    """
    if request.method != "POST" or request.url.path.startswith("/v1/"):
        return False
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        return site not in ("same-origin", "none")
    return origin is not None and urlsplit(origin).netloc != request.headers.get("host")


def is_reader(request: Request) -> bool:
    """Someone with a browser, not a program."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/v1")


def refused(response: Response) -> Response:
    """What the guard says to programs, as a page."""
    wait = response.headers.get("retry-after")
    text = f"that was too much at once; try again in {wait} seconds." if wait else "this is too large to be sent here."
    if response.status_code == 503:
        text = "this cannot be had just now; try again in a moment."
    page = problem_page(response.status_code, text)
    if wait:
        page.headers["Retry-After"] = wait
    return page


def install(app: FastAPI) -> None:
    """Adds the pages to the application."""
    # FastAPI's own pages about the API load scripts from elsewhere; /openapi.json says the same.
    unwanted = {"/docs", "/docs/oauth2-redirect", "/redoc"}
    app.router.routes[:] = [route for route in app.router.routes if getattr(route, "path", None) not in unwanted]
    parts = (
        *(challenges, claim, entrants, play, gathering, table, replays, file_replays),
        *(studies, desk_studies, admin),
    )
    for part in parts:
        app.include_router(part.router, include_in_schema=False)
    app.include_router(gathering.links, include_in_schema=False)

    @app.get("/static/look.css", include_in_schema=False)
    def look() -> Response:
        """The colours and type of all our pages."""
        return Response(PALETTE + CHART + PAGE, media_type="text/css", headers={"Cache-Control": "max-age=300"})

    for family, people in people_of_worlds().items():
        app.mount(f"/static/{family}", StaticFiles(directory=people.folder / "static"), name=f"static {family}")
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")

    @app.middleware("http")
    async def headers(request: Request, call_next: Any) -> Any:
        if from_elsewhere(request):
            text = f"this form was sent by another site; fill it in at {request.base_url}."
            response: Any = problem_page(403, text)
        elif "\0" in request.url.path or b"%00" in request.scope["query_string"]:
            response = problem_page(404, "no page has such an address.")  # and no database takes such a text
        else:
            response = await call_next(request)
            programs = response.headers.get("content-type") == "application/json"
            if response.status_code in (413, 429, 503) and programs and is_reader(request):
                response = refused(response)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    @app.exception_handler(Exception)
    async def broken(request: Request, problem: Exception) -> Response:
        """Our own fault; the log says more, the answer does not."""
        text = "something went wrong here, and the host can see it in the log; try again later."
        if not is_reader(request):
            return JSONResponse({"code": "broken", "message": text}, 500)
        response = problem_page(500, text)
        response.headers.update(HEADERS)  # no middleware sees this answer
        return response

    @app.exception_handler(HTTPException)
    async def not_found(request: Request, problem: HTTPException) -> Response:
        """Readers get a page, programs get JSON."""
        if not is_reader(request):
            return as_refusal(problem)
        text = f"there is no page {request.url.path}; the start page shows what there is."
        return problem_page(problem.status_code, text if problem.status_code == 404 else str(problem.detail))
