"""The pages of a study, as its participants see them: consent, then one step after the other, then thanks.

Every page is at the address of the study. What is on it follows from where the participant is, and never from what
their browser says; so there is nothing to skip, to come back to, or to send twice.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from sqlalchemy.orm import Session
from starlette.datastructures import FormData

from coplay.challenge.errors import ChallengeError
from coplay.experiment.passing import Sheet, filled
from coplay.experiment.plan import Plan
from coplay.experiment.reading import read_plan
from coplay.experiment.steps import Step
from coplay.serve.http.guard import address_of
from coplay.serve.http.server import Server
from coplay.serve.ledger.studies import going_on
from coplay.serve.ledger.studies.going_on import Standing
from coplay.serve.ledger.studies.joining import Asking, check_door, find, join, token_of
from coplay.serve.ledger.studies.leaving import withdraw
from coplay.serve.ledger.studies.results import outcomes
from coplay.serve.pages.pages import PageRoute, page, server_of
from coplay.serve.store.models import Attempt
from coplay.serve.store.study_models import Experiment, Participant

router = APIRouter(route_class=PageRoute)
COOKIE = "coplay_study"
A_YEAR = 365 * 24 * 3600
LONGEST = 200  # letters of what comes in a link


async def sent_form(request: Request) -> FormData:
    """Which fields a form has depends on the page."""
    return await request.form()


Form = Annotated[FormData, Depends(sent_form)]


@router.get("/studies/{name}")
def study(request: Request, name: str) -> Response:
    """Where somebody is: the text to agree to, their step, or the end."""
    server = server_of(request)
    with server.database.read() as transaction:
        experiment = _experiment(transaction, name)
        plan = read_plan(experiment.plan)
        asking = _asking(request, plan)
        participant = find(transaction, experiment, asking)
        if participant is None:
            check_door(experiment, plan, asking)
            return page("study_consent.html", plan=plan, study=experiment.id, asking=asking)
    with server.database.write() as transaction:
        at = going_on.look(transaction, participant.id, server.timing.now())
        answer = _page_of(transaction, experiment, at)
    _remember(request, answer, experiment, participant)
    return answer


@router.post("/studies/{name}/consent")
def consent(request: Request, name: str, form: Form) -> Response:
    """Whoever agrees is in; of whoever does not, nothing is kept."""
    server = server_of(request)
    with server.database.read() as transaction:
        experiment = _experiment(transaction, name)
        plan = read_plan(experiment.plan)
    if form.get("agreed") != "yes":
        return page("study_declined.html", plan=plan, study=experiment.id)
    asking = _asking(request, plan, form)
    with server.database.read() as transaction:
        known = find(transaction, experiment, asking) is not None
    who = f"study {experiment.id} {address_of(request)}"
    if not known and server.guard.wait("joining", who, (plan.per_address, plan.per_address / 3600)):
        text = "too many people have joined from this address; please come back in a while."
        raise ChallengeError(text, 429, "too_many", retry_after=600)
    with server.database.write() as transaction:
        experiment = _experiment(transaction, name)
        made = join(transaction, experiment, asking, str(form.get("version", "")), server.timing.now())
    answer = _back(experiment)
    _remember(request, answer, experiment, made)
    return answer


@router.post("/studies/{name}/page")
def submit(request: Request, name: str, form: Form) -> Response:
    """The answers to a page; it comes again with what has to be mended."""
    server = server_of(request)
    given = {key.removeprefix("q-"): str(value) for key, value in form.multi_items() if key.startswith("q-")}
    with server.database.write() as transaction:
        experiment, participant = _here(transaction, request, name)
        now = server.timing.now()
        step, sheet = _number(form, "step"), _number(form, "sheet")
        told = going_on.submit(transaction, participant.id, step, sheet, given, now)
        if told is None:
            return _back(experiment)
        return _page_of(transaction, experiment, going_on.look(transaction, participant.id, now), told, given)


@router.post("/studies/{name}/game")
def sit_down(request: Request, name: str, form: Form) -> Response:
    """To the table. The key to the seat travels behind the #, which browsers send to nobody."""
    server = server_of(request)
    if server.engine.draining:
        raise ChallengeError("the server restarts in a moment; go back and try again, your place is kept.", 503)
    with server.database.write() as transaction:
        experiment, participant = _here(transaction, request, name)
        seat = going_on.sit_down(transaction, participant.id, _number(form, "step"), server.timing.now())
    return _back(experiment) if seat is None else RedirectResponse(f"/play/{seat.attempt}#{seat.key}", 303)


@router.get("/studies/{name}/withdraw")
def leaving(request: Request, name: str) -> HTMLResponse:
    """Asks once more."""
    with server_of(request).database.read() as transaction:
        experiment, participant = _here(transaction, request, name)
    return page("study_withdraw.html", plan=read_plan(experiment.plan), study=experiment.id, participant=participant)


@router.post("/studies/{name}/withdraw")
def leave(request: Request, name: str, form: Form) -> Response:
    """Erases whoever takes their consent back."""
    with server_of(request).database.write() as transaction:
        experiment, participant = _here(transaction, request, name)
        if form.get("sure") == "yes" and participant.status != "withdrawn":
            withdraw(transaction, participant, "participant")
    server_of(request).look_again()
    return _back(experiment)


def way_back(server: Server, attempt: Attempt) -> dict[str, Any] | None:
    """Where a game of a study leads back to, and how many seconds it may still last; None of any other game."""
    if attempt.kind != "study":
        return None
    with server.database.read() as transaction:
        study, until = going_on.study_of(transaction, attempt.id)
    seconds = None if until is None else max(0.0, until - server.timing.now())
    return {"page": f"/studies/{study}", "seconds": seconds}


def _experiment(transaction: Session, name: str) -> Experiment:
    """Others are not named: studies are found by those who were sent there."""
    found = transaction.get(Experiment, name)
    if found is None:
        raise ChallengeError("there is no such study.", 404, "unknown")
    return found


def _asking(request: Request, plan: Plan, form: FormData | None = None) -> Asking:
    """Who says they ask: by the link, or by the hidden fields of the form that the link led to."""
    given = request.query_params if form is None else form

    def word(name: str) -> str:
        return str(given.get(name, ""))[:LONGEST].strip()

    outside = word(plan.outside_id if form is None else "outside") if plan.outside_id else ""
    place = word("place") or request.cookies.get(COOKIE, "")
    return Asking(outside, place, word("preview"))


def _here(transaction: Session, request: Request, name: str) -> tuple[Experiment, Participant]:
    """The participant whose browser asks."""
    experiment = _experiment(transaction, name)
    participant = find(transaction, experiment, Asking(token=request.cookies.get(COOKIE, "")))
    if participant is None:
        text = "this browser is in no study here; open it with the link that you were sent, with cookies allowed."
        raise ChallengeError(text, 403, "no_place")
    return experiment, participant


def _number(form: FormData, name: str) -> int:
    """A number that our own form has; of anything else, one that fits nowhere."""
    text = str(form.get(name, ""))
    return int(text) if text.isdecimal() and len(text) < 6 else -1


def _back(experiment: Experiment) -> RedirectResponse:
    return RedirectResponse(f"/studies/{experiment.id}", 303)


def _remember(request: Request, answer: Response, experiment: Experiment, participant: Participant) -> None:
    """The browser finds its place again; no script reads the cookie, and no other page of the server gets it."""
    secure, path = request.url.scheme == "https", f"/studies/{experiment.id}"
    token = token_of(experiment, participant)
    answer.set_cookie(COOKIE, token, max_age=A_YEAR, path=path, httponly=True, samesite="lax", secure=secure)


def _page_of(
    transaction: Session,
    experiment: Experiment,
    at: Standing,
    told: Sheet | None = None,
    given: dict[str, str] | None = None,
) -> HTMLResponse:
    """What a participant sees where they are."""
    about: dict[str, Any] = {"plan": at.plan, "study": experiment.id, "participant": at.participant}
    about["elsewhere"] = "" if at.plan.outside_id else token_of(experiment, at.participant)
    if at.step is None:
        return _end_of(transaction, about, at)
    about |= {"number": at.participant.step, "of": len(at.steps), "step": at.step}
    if at.step.kind == "game":
        block = at.plan.block(at.step.block)
        first = at.participant.step == next(n for n, one in enumerate(at.steps) if one.block == block.name)
        return page("study_game.html", **about, block=block, first=first, playing=at.playing, left=at.left, **_turn(at))
    sheet, status = at.plan.page(at.step.name), 200 if told is None else 422
    sheets = at.sheets + 1
    problems = {} if told is None else told.problems
    failed = told is not None and not told.problems
    more = {"page": sheet, "sheet": sheets, "given": given or {}, "problems": problems, "failed": failed}
    return page("study_page.html", status, **about, **more)


def _turn(at: Standing) -> dict[str, Any]:
    """Which game this is, for the participant: of those that count, or of those to practise."""
    assert at.step is not None
    same = [one for one in at.steps if one.kind == "game" and one.practice == at.step.practice]
    return {"turn": _index(same, at.step) + 1, "turns": len(same), "fresh": _is_new(at.steps, at.participant.step)}


def _index(steps: list[Step], step: Step) -> int:
    return next(number for number, one in enumerate(steps) if one is step)


def _is_new(steps: tuple[Step, ...], number: int) -> bool:
    """Is the partner another one than in the game before?"""
    before = [one for one in steps[:number] if one.kind == "game"]
    step = steps[number]
    return bool(before) and (before[-1].block, before[-1].position, before[-1].practice) != (
        step.block,
        step.position,
        step.practice,
    )


def _end_of(transaction: Session, about: dict[str, Any], at: Standing) -> HTMLResponse:
    """Thanks, with the code; or why it is over."""
    participant, plan = at.participant, at.plan
    ends = {"done": plan.end, "failed": plan.checks}
    end = ends.get(participant.status)
    code = address = ""
    if end is not None:
        blanks = participant.outside_id or "", participant.id
        code = filled(end.code, "", *blanks)
        address = filled(end.redirect, code, *blanks, quote=True)
    games = outcomes(transaction, participant) if participant.status == "done" and plan.end.reveal else []
    return page("study_end.html", **about, end=end, code=code, address=address, games=games)
