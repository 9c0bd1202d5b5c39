"""What a seat cannot see is in no byte that leaves the server."""

from __future__ import annotations

import base64
import io
import json
import logging
import math

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coplay.challenge.batches import as_key
from coplay.challenge.log import unpack
from coplay.challenge.rules import read_rules
from coplay.challenge.schedule import draw, new_secret
from coplay.serve.engine.frames import whole
from coplay.serve.engine.session import Session
from coplay.serve.http.logs import JsonLines
from coplay.serve.ledger.hosting.host import challenge_of
from tests.serve.harness import House, last_legal, rules

EVERYTHING = frozenset({"vector", "legal", "text", "view", "words"})


@given(seed=st.integers(0, 2**32 - 1), moves=st.integers(0, 12))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_two_states_that_differ_in_hidden_cards_give_the_same_messages(house: House, seed: int, moves: int) -> None:
    client = house.sit(house.start("test", 1), parallel=1, want=EVERYTHING, all_turns=True)
    client.play(moves=moves)
    lives = [live for live in client.session.tables.values() if live.status == "active"]
    if not lives:
        return
    live = lives[0]
    told = _everything_said(house, client.session)
    batch, game = live.dealt.batch, live.dealt.batch.game
    state = jax.tree.map(lambda leaf: leaf[live.dealt.row], batch.states)
    other = game.change_hidden(state, live.dealt.seats[0], jax.random.key(seed))  # pyright: ignore[reportAttributeAccessIssue]
    batch.states = jax.tree.map(lambda leaf, new: leaf.at[live.dealt.row].set(new), batch.states, other)
    assert _everything_said(house, client.session) == told


def _everything_said(house: House, session: Session) -> str:
    """All messages about a session's tables as they stand: views, refusals of every kind, everything as JSON."""
    (live,) = session.tables.values()
    look = live.dealt.batch.look([live.dealt.row], live.dealt.mine[None])
    live.course.position = live.course.position._replace(
        vector=look.vector[0], legal=look.legal[0], words=look.words[0]
    )
    heard: list[dict] = []
    session.deliver = lambda messages: heard.extend(map(whole, messages))
    before = live.offences
    for turn, action in (
        (live.course.turn, -1),
        (live.course.turn, "5"),
        (live.course.turn, math.nan),
        (live.course.turn + 1, 0),
        (-1, 0),
    ):
        message = {"game": [live.dealt.number], "turn": [turn], "action": [action]}
        from coplay.serve.engine.moves import accept_moves

        live.offences = 0
        given = session, message, live.asked or 0.0
        house.round(lambda round, given=given: accept_moves(house.engine.tables, round, *given))
    live.offences = before
    for message in heard:
        message.pop("seconds_left", None)
    return json.dumps(heard)


def test_the_log_of_the_server_holds_no_keys_and_no_cards(house: House) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("coplay.serve")
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        _, keys = house.enter()
        attempt = house.start()
        client = house.sit(attempt)
        live = next(iter(client.session.tables.values()))
        house.engine.tables.failed(_round(house), live, "seat 1: ValueError in agent.py, line 3")
        client.play()
    finally:
        logger.removeHandler(handler)
    text = stream.getvalue()
    assert "partner failed" in text
    secrets = [keys.test, keys.evaluation, *(table.seed for table in house.tables(attempt))]
    assert not [secret for secret in secrets if secret in text]
    deck = ", ".join(map(str, np.asarray(live.dealt.batch.states.deck[live.dealt.row]).tolist()))
    assert deck not in text


def _round(house: House):
    from coplay.serve.engine.round import Round

    return Round(house.engine.clock, house.engine.metrics)


def test_partners_are_named_nowhere_before_the_challenge_closes(house: House) -> None:
    from coplay.serve.http.api import public_rules, summary_of

    with house.database.read() as transaction:
        challenge = challenge_of(transaction, "small")
        shown = json.dumps([public_rules(challenge), summary_of(challenge)])
    assert challenge.secret not in shown
    assert json.loads(shown)[0]["configurations"][0]["partners"] == 1
    client = house.sit(house.start(), want=EVERYTHING)
    client.play()
    assert "random" not in json.dumps(client.everything)


def test_each_of_an_entrants_seats_gets_its_own_view_and_nothing_else(url: str) -> None:
    """One key in seats 0 and 2: every view that is told is that of its seat, made again from the log."""
    house = House(url, rules(games=1, players=3).replace("players = 3", "players = 3\nseatings = [[0, 2]]"))
    attempt = house.start()
    client = house.sit(attempt, want=EVERYTHING, all_turns=True)
    live = next(iter(client.session.tables.values()))
    client.play(last_legal)
    (record,), (table,) = house.records(attempt), house.tables(attempt)
    assert (table.seats, table.attempt_id) == ("0,2", attempt.id)  # who sat where is kept
    game = live.dealt.batch.game
    see = jax.jit(lambda state, seat: game.encode(game.view(state, seat)))
    states = [game.reset(jax.random.wrap_key_data(jnp.asarray(as_key(record.seed))))]
    for turn in record.actions:
        states.append(jax.jit(game.step)(states[-1], jnp.full(3, unpack(turn)[0])).state)
    told = [
        (seat, turn, view["seat"], vector)
        for message in client.everything
        if message["type"] == "turns"
        for seat, turn, view, vector in zip(
            message["seat"],
            message["turn"],
            message["view"],
            np.frombuffer(base64.b64decode(message["vector"]), np.uint8).reshape(len(message["seat"]), -1),
            strict=True,
        )
    ]
    assert {seat for seat, *_ in told} == {0, 2}
    for seat, turn, viewer, vector in told:
        assert viewer == seat
        np.testing.assert_array_equal(vector, np.packbits(np.asarray(see(states[turn], seat))))
        assert (vector != np.packbits(np.asarray(see(states[turn], 2 - seat)))).any()
    house.close()


def test_deals_follow_from_the_secret_alone_and_games_have_random_names(house: House) -> None:
    first, second = house.start(), house.start()
    with house.database.read() as transaction:
        challenge = challenge_of(transaction, "small")
    drawn = draw(read_rules(challenge.rules), challenge.secret, first.id)
    tables = house.tables(first) + house.tables(second)
    assert {table.seed for table in tables} == {one.seed for one in drawn}
    assert {one.seed for one in drawn}.isdisjoint(
        one.seed for one in draw(read_rules(challenge.rules), new_secret(), first.id)
    )
    names = sorted(int(table.id, 16) for table in tables)
    assert min(np.diff(np.asarray(names, object))) > 2**32  # of 64 bits: none is found by counting
