"""What letters say. No key ever stands in one: a letter may be read by others, and its link works once."""

from __future__ import annotations

from coplay.serve.ledger.hosting.claims import CLAIM_DAYS, CONFIRM_DAYS
from coplay.serve.post.mailbox import Letter
from coplay.serve.store.models import Challenge, Entrant

END = "\n\nYou get this letter because somebody gave this address there. Nobody reads answers to it."


def confirm(site: str, challenge: Challenge, entrant: Entrant, code: str) -> Letter:
    text = (
        f"{entrant.name} was registered for the challenge {challenge.title} with this address.\n\n"
        f"Open this page to confirm that it is yours, within {CONFIRM_DAYS} days:\n\n{_link(site, code)}\n\n"
        "If it was not you, do nothing: the registration is forgotten then."
    )
    return Letter(entrant.contact, f"Confirm your address: {challenge.title}", text + END)


def claim(site: str, challenge: Challenge, entrant: Entrant, code: str) -> Letter:
    text = (
        f"{entrant.name} may enter the challenge {challenge.title}.\n\n"
        f"Open this page to get your two keys. It works once, within {CLAIM_DAYS} days:\n\n{_link(site, code)}\n\n"
        "The keys are shown only there; keep them. The test key rehearses, the evaluation key plays what counts. "
        "Keys that you had before end when you open it."
    )
    return Letter(entrant.contact, f"Your keys: {challenge.title}", text + END)


def notice(site: str, challenge: Challenge, entrant: Entrant, what: str, reason: str) -> Letter:
    """That something was decided."""
    why = f"\n\nThe host says: {reason}" if reason else ""
    text = f"{entrant.name} is {what} in the challenge {challenge.title}.{why}\n\n{site}/challenges/{challenge.id}"
    return Letter(entrant.contact, f"{entrant.name} is {what}: {challenge.title}", text + END)


def waiting(site: str, challenge: Challenge, entrant: Entrant, to: str) -> Letter:
    """To the host: somebody wants to be let in."""
    text = (
        f"{entrant.name} wants to enter {challenge.title}.\n\nMethod: {entrant.method}\n\nData of people: "
        f"{entrant.human_data}\n\nContact: {entrant.contact}\n\nLet it in or reject it at the desk: {site}/admin"
    )
    return Letter(to, f"{entrant.name} waits: {challenge.title}", text)


def _link(site: str, code: str) -> str:
    """The code stands behind the #, which browsers send to nobody and no log of a proxy has."""
    return f"{site}/claim#{code}"
