"""The host's desk for studies with people: how far participants are, opening and closing."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from sqlalchemy import select

from coplay.challenge.errors import ChallengeError
from coplay.experiment.reading import read_plan
from coplay.serve.ledger.studies import hosting
from coplay.serve.pages import desk_session
from coplay.serve.pages.pages import PageRoute, page, server_of
from coplay.serve.store.study_models import Experiment

router = APIRouter(route_class=PageRoute)
DEEDS = {"open": hosting.open_experiment, "close": hosting.close_experiment, "accept": hosting.accept}


@router.get("/admin/studies")
def studies(request: Request) -> HTMLResponse:
    """All studies, the latest first."""
    with server_of(request).database.read() as transaction:
        desk = desk_session.desk_of(transaction, request)
        if desk is None:
            return page("login.html", message="")
        found = list(transaction.scalars(select(Experiment).order_by(Experiment.created.desc())))
        shown = [
            {
                "study": one,
                "plan": read_plan(one.plan),
                "progress": hosting.progress(transaction, one.id),
                "changed": hosting.changed(one),
                "preview": hosting.preview_token(one),
            }
            for one in found
        ]
    return page("admin_studies.html", desk=desk, studies=shown)


@router.post("/admin/studies/{name}")
def change(
    request: Request,
    name: str,
    what: Annotated[str, Form()],
    token: Annotated[str, Form()] = "",
    reason: Annotated[str, Form()] = "",
) -> Response:
    """Opens or closes a study, or goes on with partners that have changed."""
    if what not in DEEDS:
        raise ChallengeError(f"{what[:20]!r}: a study can be opened and closed, and changed partners accepted.", 422)
    with server_of(request).database.write() as transaction:
        desk_session.check_form(transaction, request, token)
        if not reason.strip():
            raise ChallengeError("give a reason: it goes into the audit.", 422, "no_reason")
        DEEDS[what](transaction, name, "admin", reason)
    return RedirectResponse("/admin/studies", 303)
