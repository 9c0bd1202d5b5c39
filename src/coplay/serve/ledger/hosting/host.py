"""What a host does: makes, opens and closes challenges, lets entrants in, gives keys. All of it is audited."""

from __future__ import annotations

import json
import re
import time
from typing import NamedTuple

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.names import is_address
from coplay.challenge.outcome.prediction import check_recorded
from coplay.challenge.pins import changes, check_partners, pins_of, pool_hash
from coplay.challenge.repeats import check_repeats
from coplay.challenge.rules import check_agents, dated, read_rules
from coplay.challenge.schedule import new_secret, secret_hash
from coplay.serve.ledger import audit, letters
from coplay.serve.ledger.hosting.dates import check_dates
from coplay.serve.ledger.hosting.entry import (
    accepted_in,
    check_contact,
    checked_fields,
    entry_of,
    refuse_taken,
    track_in,
)
from coplay.serve.ledger.keys import find, new_key, revoke
from coplay.serve.store.models import Attempt, Challenge, Entrant, Key, Result


class Keys(NamedTuple):
    """An entrant's two keys, to be shown once."""

    test: str
    evaluation: str


def new_challenge(transaction: Session, id: str, text: str, actor: str = "host") -> Challenge:
    """A challenge from its TOML text; it is a draft until it is opened."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,62}", id):
        raise ChallengeError(f"{id!r} cannot be the name of a challenge; use small letters, digits and hyphens.")
    if transaction.get(Challenge, id) is not None:
        raise ChallengeError(
            f"there is a challenge {id!r} already; rules never change, so give the new one its own name.", 409
        )
    text = dated(text)
    rules = read_rules(text)
    check_repeats(rules)
    check_agents(rules)
    check_recorded(rules)
    secret, pins = new_secret(), pins_of(rules)
    challenge = Challenge(
        id=id,
        title=rules.title,
        rules=text,
        rules_version=rules.version,
        pool_hash=pool_hash(pins),
        pins=json.dumps(pins, sort_keys=True),
        secret=secret,
        secret_hash=secret_hash(secret),
        status="draft",
        created=time.time(),
    )
    transaction.add(challenge)
    detail = {name: getattr(challenge, name) for name in ("id", "rules_version", "pool_hash", "secret_hash")}
    audit.note(transaction, actor, "challenge made", **detail)
    return challenge


def challenge_of(transaction: Session, id: str) -> Challenge:
    found = transaction.get(Challenge, id)
    if found is None:
        names = ", ".join(transaction.scalars(select(Challenge.id))) or "none"
        raise ChallengeError(f"there is no challenge {id!r}; there are: {names}.", 404, "unknown")
    return found


def published(transaction: Session, id: str) -> Challenge:
    """As `challenge_of`, for visitors: a draft is not there."""
    found = transaction.get(Challenge, id)
    if found is None or found.status == "draft":
        names = ", ".join(transaction.scalars(select(Challenge.id).where(Challenge.status != "draft"))) or "none"
        raise ChallengeError(f"there is no challenge {id[:64]!r}; there are: {names}.", 404, "unknown")
    return found


def changed_partners(challenge: Challenge) -> str:
    """Why no rated game of a challenge is played, if its partners have changed; else nothing."""
    try:
        check_partners(read_rules(challenge.rules), challenge.pool_hash, challenge.pins)
    except (ChallengeError, OSError, ValueError) as problem:
        return str(problem)
    return ""


def accept_partners(transaction: Session, id: str, actor: str = "host", reason: str = "") -> list[str]:
    """Pins the partners as they are now; what has changed is returned and stands in the audit. Lines of the board that
    were scored before keep the hash of the partners they were played with."""
    challenge = challenge_of(transaction, id)
    if challenge.status == "closed":
        raise ChallengeError(f"{id} is closed; nobody plays with its partners any more.", 409)
    now = pins_of(read_rules(challenge.rules))
    found = changes(json.loads(challenge.pins), now) if challenge.pins else ["what they were was not written down"]
    if found:
        challenge.pins, challenge.pool_hash = json.dumps(now, sort_keys=True), pool_hash(now)
        detail = {"id": id, "pool_hash": challenge.pool_hash, "changes": found, "reason": reason}
        audit.note(transaction, actor, "partners accepted", **detail)
    return found


def open_challenge(transaction: Session, id: str, actor: str = "host", reason: str = "") -> Challenge:
    """Attempts may begin. The hash of the secret is public from now on."""
    challenge = challenge_of(transaction, id)
    if challenge.status == "closed":
        raise ChallengeError(f"{id} is closed and its secret is published; make a new challenge.", 409)
    if challenge.status in ("draft", "paused"):
        challenge.status, challenge.opened = "open", challenge.opened or time.time()
        audit.note(transaction, actor, "challenge opened", id=id, secret_hash=challenge.secret_hash, reason=reason)
    return challenge


def pause_challenge(transaction: Session, id: str, actor: str = "host", reason: str = "") -> Challenge:
    """No attempt and no game begins until it is opened again; games that run go on."""
    challenge = challenge_of(transaction, id)
    if challenge.status != "open":
        raise ChallengeError(f"{id} is {challenge.status}; only an open challenge can be paused.", 409)
    challenge.status = "paused"
    audit.note(transaction, actor, "challenge paused", id=id, reason=reason)
    return challenge


def close_challenge(transaction: Session, id: str, actor: str = "host", reason: str = "") -> Challenge:
    """No attempt may begin or go on; the secret becomes public, so that anyone can check every schedule."""
    transaction.execute(update(Challenge).where(Challenge.id == id).values(status=Challenge.status))  # one at a time
    challenge = challenge_of(transaction, id)
    if challenge.status not in ("open", "paused"):
        raise ChallengeError(f"{id} is {challenge.status}; only an open challenge can be closed.", 409)
    challenge.status, challenge.closed = "closed", time.time()
    audit.note(transaction, actor, "challenge closed", id=id, secret=challenge.secret, reason=reason)
    return challenge


def register(
    transaction: Session,
    challenge_id: str,
    name: str,
    method: str,
    contact: str,
    human_data: str,
    track: str = "",
    terms: str = "",
    tell_host: bool = False,
) -> tuple[Entrant, Keys | None]:
    """A new entrant, and its keys if the challenge lets everyone in at once. `terms`: the version that is accepted;
    `tell_host`: the host gets a letter about one that waits."""
    challenge = published(transaction, challenge_id)
    if challenge.status != "open":
        raise ChallengeError(f"{challenge_id} is {challenge.status}; it takes no entrants.", 403, "not_open")
    rules, now = read_rules(challenge.rules), time.time()
    check_dates(rules, challenge_id, "test", now)
    given = checked_fields({"name": name, "method": method, "contact": contact, "human_data": human_data})
    if rules.confirm:
        check_contact(transaction, given["contact"], now)
    refuse_taken(transaction, challenge_id, given["name"])
    given["track"], given["terms"] = track_in(rules, track), accepted_in(rules, challenge_id, terms)
    entrant = Entrant(challenge_id=challenge_id, status="pending", created=now, **given)
    entrant.accepted = now if entrant.terms else None
    transaction.add(entrant)
    transaction.flush()
    detail = {"entrant": entrant.id, "challenge": challenge_id, "entry_hash": entry_of(entrant)}
    detail |= {name: given[name] for name in ("track", "terms") if given[name]}
    audit.note(transaction, "visitor", "entrant registered", **detail)
    if rules.confirm:
        entrant.status = "unconfirmed"
        letters.write(transaction, entrant, "confirm", now)
    elif rules.auto_approve:
        return entrant, approve(transaction, entrant.id, "server", "the challenge lets everyone in")
    elif tell_host:
        letters.write(transaction, entrant, "waiting", now)
    return entrant, None


def approve(transaction: Session, entrant_id: str, actor: str = "host", reason: str = "") -> Keys:
    """Lets an entrant in and gives it its two keys."""
    entrant = entrant_of(transaction, entrant_id)
    if entrant.status == "approved":
        raise ChallengeError(f"{entrant.name} has its keys already; `coplay keys new` gives another.", 409)
    entrant.status = "approved"
    keys = Keys(new_key(transaction, "test", entrant.id), new_key(transaction, "eval", entrant.id))
    audit.note(transaction, actor, "entrant approved", entrant=entrant.id, reason=reason)
    return keys


def let_in(
    transaction: Session, entrant_id: str, actor: str = "host", reason: str = "", by_mail: bool = False
) -> Keys | None:
    """Lets an entrant in, with its keys, or by mail with a link to them; or in again, with those that it has."""
    entrant = entrant_of(transaction, entrant_id)
    new = entrant.status in ("unconfirmed", "pending")
    if new and not by_mail:
        return approve(transaction, entrant.id, actor, reason)
    if by_mail:
        check_mail(entrant)
    set_status(transaction, entrant.id, "approved", actor, reason)
    if by_mail:
        letters.write(transaction, entrant, "claim" if new else "approved", time.time(), reason)
    return None


def check_mail(entrant: Entrant) -> None:
    """Refuses to write to whoever has given no address."""
    if not is_address(entrant.contact):
        text = f"the contact of {entrant.name} is no address of e-mail: {entrant.contact!r}. Give it a link yourself: "
        raise ChallengeError(f"{text}`coplay entrants link`.", 409, "no_address")


def set_status(
    transaction: Session,
    entrant_id: str,
    status: str,
    actor: str = "host",
    reason: str = "",
    by_mail: bool = False,
) -> Entrant:
    """Rejects or bans an entrant, or takes that back (approved); its keys stop or start to work at once. `by_mail`: it
    is told, with the reason."""
    if status not in ("rejected", "banned", "approved"):
        raise ChallengeError(f"{status!r} is no status of an entrant; choose rejected, banned or approved.", 422)
    entrant = entrant_of(transaction, entrant_id)
    entrant.status = status
    audit.note(transaction, actor, f"entrant {status}", entrant=entrant.id, reason=reason)
    if by_mail and status != "approved":
        check_mail(entrant)
        letters.write(transaction, entrant, status, time.time(), reason)
    return entrant


def set_baseline(transaction: Session, entrant_id: str, on: bool, actor: str = "host", reason: str = "") -> Entrant:
    """Marks an entrant as something to compare with, not someone who competes; or takes that back."""
    entrant = entrant_of(transaction, entrant_id)
    entrant.baseline = on
    what = "entrant made a baseline" if on else "entrant no longer a baseline"
    audit.note(transaction, actor, what, entrant=entrant.id, reason=reason)
    return entrant


def withdraw(transaction: Session, entrant_id: str, actor: str = "host", reason: str = "") -> int:
    """Takes an entrant's results off the boards, for good; that they were there stays visible. Returns how many."""
    entrant = entrant_of(transaction, entrant_id)
    attempts = select(Attempt.id).where(Attempt.entrant_id == entrant.id, Attempt.kind == "eval")
    results = list(transaction.scalars(select(Result).where(Result.attempt_id.in_(attempts))))
    if not results:
        raise ChallengeError(f"{entrant.name} has no results to withdraw.", 409, "no_results")
    for result in results:
        result.status = "withdrawn"
    audit.note(transaction, actor, "results withdrawn", entrant=entrant.id, lines=len(results), reason=reason)
    return len(results)


def give_key(transaction: Session, entrant_id: str, kind: str, actor: str = "host", reason: str = "") -> str:
    """Another key; the attempt it belongs to goes on. Older keys of the kind are revoked."""
    if kind not in ("test", "eval"):
        raise ChallengeError(f"{kind!r}: a key is for test or eval.", 422)
    entrant = entrant_of(transaction, entrant_id)
    for old in transaction.scalars(
        select(Key).where(Key.entrant_id == entrant.id, Key.kind == kind, Key.revoked.is_(None))
    ):
        old.revoked = time.time()
    text = new_key(transaction, kind, entrant.id)
    audit.note(transaction, actor, "key given", entrant=entrant.id, kind=kind, reason=reason)
    return text


def rotate_key(transaction: Session, text: str | None) -> tuple[Entrant, str]:
    """An entrant changes its key itself: the one it shows ends, and it gets another of the same kind."""
    holder = find(transaction, text)
    if holder.entrant is None or holder.key.kind not in ("test", "eval"):
        raise ChallengeError(
            "this key is not of an entrant; test and evaluation keys can be changed.", 403, "wrong_key"
        )
    # Of two who change it at once the second waits here, and then finds it revoked.
    mine = update(Key).where(Key.id == holder.key.id, Key.revoked.is_(None)).values(revoked=time.time())
    if transaction.execute(mine).rowcount != 1:  # pyright: ignore[reportAttributeAccessIssue]
        raise ChallengeError(f"the key {holder.key.prefix}... was changed just now.", 401, "revoked")
    id = holder.entrant.id
    return holder.entrant, give_key(transaction, id, holder.key.kind, f"entrant {id}", "changed by the entrant")


def revoke_key(transaction: Session, prefix: str, actor: str = "host", reason: str = "") -> Key:
    """Ends the key that is listed as `prefix`."""
    key = revoke(transaction, prefix)
    audit.note(transaction, actor, "key revoked", prefix=key.prefix, reason=reason)
    return key


def entrant_of(transaction: Session, id: str) -> Entrant:
    """By id, or by name where only one entrant has it."""
    found = transaction.get(Entrant, id)
    named = list(transaction.scalars(select(Entrant).where(Entrant.name == id))) if found is None else [found]
    if len(named) != 1:
        raise ChallengeError(
            f"{len(named)} entrants are called {id!r}; give the id that `coplay keys list` shows.", 404, "unknown"
        )
    return named[0]
