"""What a seat cannot see is in no byte that leaves the server."""

from __future__ import annotations

import io
import json
import logging
import math

import jax
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coplay.challenge.run import JsonLines
from coplay.challenge.session import Session
from tests.challenge.harness import House, rules

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
    hall, game = live.hall, live.hall.game
    state = jax.tree.map(lambda leaf: leaf[live.row], hall.states)
    other = game.change_hidden(state, live.seats[0], jax.random.key(seed))  # pyright: ignore[reportAttributeAccessIssue]
    hall.states = jax.tree.map(lambda leaf, new: leaf.at[live.row].set(new), hall.states, other)
    assert _everything_said(house, client.session) == told


def _everything_said(house: House, session: Session) -> str:
    """All messages about a session's tables as they stand: views, refusals of every kind, everything as JSON."""
    (live,) = session.tables.values()
    look = live.hall.look([live.row], live.mine[None])
    live.vector, live.legal, live.words = look.vector[0], look.legal[0], look.words[0]
    heard: list[dict] = []
    session.deliver = heard.extend
    before = live.offences
    for turn, action in ((live.turn, -1), (live.turn, "5"), (live.turn, math.nan), (live.turn + 1, 0), (-1, 0)):
        message = {"game": [live.number], "turn": [turn], "action": [action]}
        from coplay.challenge.moves import accept_moves

        live.offences = 0
        house.round(lambda round, message=message: accept_moves(round, session, message, live.asked or 0.0))
    live.offences = before
    for message in heard:
        message.pop("seconds_left", None)
    return json.dumps(heard)


def test_the_log_of_the_server_holds_no_keys_and_no_cards(house: House) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("coplay.challenge")
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        _, keys = house.enter()
        attempt = house.start()
        client = house.sit(attempt)
        live = next(iter(client.session.tables.values()))
        house.engine.tables.failed(_round(house), live, "partner in seat 1 failed: ValueError")
        client.play()
    finally:
        logger.removeHandler(handler)
    text = stream.getvalue()
    assert "partner failed" in text
    secrets = [keys.test, keys.evaluation, *(table.seed for table in house.tables(attempt))]
    assert not [secret for secret in secrets if secret in text]
    deck = ", ".join(map(str, np.asarray(live.hall.states.deck[live.row]).tolist()))
    assert deck not in text


def _round(house: House):
    from coplay.challenge.round import Round

    return Round(house.engine.tables)


def test_partners_are_named_nowhere_before_the_challenge_closes(tmp_path) -> None:
    house = House(f"sqlite:///{tmp_path}/a.db", rules(partners='"random"', games=2))
    from coplay.challenge.api import public_rules, summary_of
    from coplay.challenge.host import challenge_of

    with house.database.read() as transaction:
        challenge = challenge_of(transaction, "small")
        shown = json.dumps([public_rules(challenge), summary_of(challenge)])
    assert challenge.secret not in shown
    assert json.loads(shown)[0]["configurations"][0]["partners"] == 1
    client = house.sit(house.start(), want=EVERYTHING)
    client.play()
    assert "random" not in json.dumps(client.everything)
    house.close()
