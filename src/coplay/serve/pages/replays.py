"""Finished games to look at. A game is shown when nobody can gain by seeing it."""

from __future__ import annotations

import json
import re
import time
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import jax
import jax.numpy as jnp
import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from sqlalchemy import select, true
from sqlalchemy.orm import Session

from coplay.challenge.batches import as_key
from coplay.challenge.errors import ChallengeError
from coplay.challenge.log import unpack
from coplay.challenge.outcome.scoring import Record, own_sign, replay_scores
from coplay.challenge.rules import read_rules
from coplay.completion import own_game
from coplay.report.replay import can_be_drawn, link
from coplay.report.replay import page as replay_page
from coplay.rollouts.episode import Episodes, Forfeit
from coplay.rollouts.replay import states_of
from coplay.serve.ledger.hosting.dates import embargoed
from coplay.serve.pages.framed_replay import framed_replay
from coplay.serve.pages.pages import PageRoute, page, server_of
from coplay.serve.pages.sitting import names_for, people_at, seated
from coplay.serve.store.models import Attempt, Challenge, Entrant, Table
from coplay.serve.store.seats import logs
from coplay.views.host import view_text

router = APIRouter(route_class=PageRoute)


class Shown(NamedTuple):
    """A game that may be watched, in values that can be kept."""

    title: str
    number: int  # of the game in its attempt
    game: Any
    names: tuple[str, ...]
    seed: str
    actions: tuple[tuple[int, ...], ...]
    score: float
    forfeit: str  # why it was broken off, if it was
    back: str  # the page it belongs to


@router.get("/replay/{table}")
def replay(request: Request, table: str) -> HTMLResponse:
    """A game in the frame of the site, at an address that stays."""
    with server_of(request).database.read() as transaction:
        shown = shown_game(transaction, table)
    episodes = _episodes(shown)
    elsewhere = link(episodes, 0)
    where = urlsplit(elsewhere).netloc if elsewhere else ""
    turns = None if can_be_drawn(episodes) else plain_turns(episodes)
    return page("replay.html", shown=shown, table=table, elsewhere=elsewhere, where=where, turns=turns)


@router.get("/replay/{table}/film")
def moving_pictures(request: Request, table: str) -> HTMLResponse:
    """The game itself: the page that `coplay replay --html` writes."""
    with server_of(request).database.read() as transaction:
        shown = shown_game(transaction, table)
    return framed_replay(_replay_page(shown), keep=True)


def shown_game(transaction: Session, table: str) -> Shown:
    """The game, if it may be seen: one's own when it is over, rated ones when the rules say so."""
    row = transaction.get(Table, table) if re.fullmatch(r"[0-9a-f]{1,16}", table) else None
    attempt = transaction.get(Attempt, row.attempt_id) if row else None
    if row is None or attempt is None or attempt.kind in ("test", "study") or row.status not in ("done", "forfeit"):
        raise ChallengeError("there is no finished game here.", 404, "unknown")
    partners = json.loads(row.partners)
    if attempt.kind == "person":
        several = len(people_at(row)) > 1
        title = f"{'People' if several else 'A person'} with {', '.join(partners)}" if partners else "People"
        return _shown(transaction, attempt, row, title, "" if several else "a person", partners, "/play")
    challenge, entrant = transaction.get(Challenge, attempt.challenge_id), transaction.get(Entrant, attempt.entrant_id)
    assert challenge is not None
    assert entrant is not None
    if not may_show(challenge) or not transaction.scalar(select(may_be_seen(challenge)).where(Table.id == row.id)):
        text = "this game can be watched when all games of its kind are over, or when the challenge has ended."
        raise ChallengeError(text, 403, "hidden")
    if challenge.status != "closed":  # who the partners are stays hidden until then
        partners = ["partner"] * len(partners)
    title = f"{entrant.name}, {row.configuration}, game {row.number}"
    back = f"/challenges/{challenge.id}/entrants/{entrant.id}"
    return _shown(transaction, attempt, row, title, entrant.name, partners, back)


def _shown(
    transaction: Session, attempt: Attempt, row: Table, title: str, own: str, partners: list[str], back: str
) -> Shown:
    game, names = seated(attempt, row, own, partners)
    names = names if own else names_for(game, attempt, row, None)
    record = tuple(logs(transaction, [row.id])[row.id])
    played = Record(row.id, row.configuration, row.deal, row.seed, row.seats, row.partners, row.status, record)
    score = row.score if row.score is not None else replay_scores(game, [played])[0]
    forfeit = (row.reason or "forfeited") if row.status == "forfeit" else ""
    score *= own_sign(game, row.seats)  # as the game counts it
    return Shown(title, row.number, game, tuple(names), row.seed, tuple(map(unpack, record)), score, forfeit, back)


def may_show(challenge: Challenge) -> bool:
    """Do the rules let games be seen by now?"""
    if embargoed(read_rules(challenge.rules), time.time()):
        return False
    return challenge.status == "closed" or read_rules(challenge.rules).replays == "attempt"


def may_be_seen(challenge: Challenge) -> Any:
    """Which ones: all when the challenge has ended. Before, those that have their score, which comes when all games of
    their configuration are over, so that nothing is learned for games to come."""
    return true() if challenge.status == "closed" else Table.score.is_not(None)


def _episodes(shown: Shown) -> Episodes:
    """The game as an episode, dealt again from its seed."""
    game = shown.game
    start = jax.device_get(game.reset(jax.random.wrap_key_data(jnp.asarray(as_key(shown.seed)))))
    joint = np.asarray(shown.actions, np.int16).reshape(len(shown.actions), -1)
    forfeit = Forfeit(0, len(joint), 0, "", shown.forfeit)
    return Episodes(
        game=game,
        names=shown.names,
        starts=jax.tree.map(lambda leaf: np.asarray(leaf)[None], start),
        actions=joint[None] if game.simultaneous else joint[None, :, 0],
        lengths=np.asarray([len(joint)], np.int32),
        scores=np.asarray([shown.score], np.float32),
        forfeits=(forfeit,) if shown.forfeit else (),
    )


class PlainTurn(NamedTuple):
    """One position of a game without pictures: what everybody saw, and what was done then."""

    seen: list[str]  # by seat, in words
    done: str  # empty after the last move


def plain_turns(episodes: Episodes) -> list[PlainTurn]:
    """A game without pictures, from the deal to the end."""
    game, length = episodes.game, int(episodes.lengths[0])
    told = getattr(own_game(game), "action_text", "action {}".format)
    found = []
    for turn, state in enumerate(states_of(episodes, 0)):
        views = [jax.device_get(game.view(state, seat)) for seat in range(game.players)]
        moves = []
        if turn < length:
            made = np.broadcast_to(episodes.actions[0, turn], game.players)
            moves = [f"{episodes.names[seat]}: {told(int(made[seat]))}" for seat in np.flatnonzero(game.turn(state))]
        found.append(PlainTurn([view_text(view) for view in views], ", ".join(moves)))
    return found


@lru_cache(64)
def _replay_page(shown: Shown) -> str:
    return replay_page(_episodes(shown), 0, shown.number)
