"""Connections that break, race and take over: nothing is lost, and exactly one move is made at each turn."""

from __future__ import annotations

import base64
import threading

import numpy as np
import pytest
from sqlalchemy import func, select, update

from coplay.challenge.errors import ChallengeError
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.store.models import Attempt, Uptime
from coplay.serve.store.uptime import DEAD
from tests.serve.harness import Client, House, first_legal, last_legal, legal_of, one_turn


def standing(client: Client) -> dict[int, tuple[int, bytes]]:
    """Turn and view of every game of a client."""
    return {
        live.dealt.number: (live.course.turn, live.course.position.vector.tobytes())
        for live in client.session.tables.values()
    }


def test_a_client_that_vanishes_at_every_turn_plays_the_games_of_one_that_stays(house: House) -> None:
    stays, vanishes = house.start(), house.start()
    house.sit(stays).play()
    for _ in range(200):
        client = house.sit(vanishes)
        if not client.play(moves=1):
            break
        client.leave()
    assert house.logs(vanishes) == house.logs(stays)


def test_a_server_that_is_killed_at_every_turn_plays_the_games_of_one_that_is_not(house: House) -> None:
    stays, dies = house.start(), house.start()
    house.sit(stays).play()
    for _ in range(200):
        house.restart()
        if not house.sit(dies).play(moves=1):
            break
    assert house.logs(dies) == house.logs(stays)


def test_the_first_message_after_a_reconnect_is_the_state_of_every_running_game(sqlite_house: House) -> None:
    attempt = sqlite_house.start()
    client = sqlite_house.sit(attempt)
    client.play(moves=6)
    before = standing(client)
    sqlite_house.restart()
    again = sqlite_house.sit(attempt)
    assert standing(again) == before


def test_history_holds_every_view_a_seat_has_had(sqlite_house: House) -> None:
    attempt = sqlite_house.start()
    client = sqlite_house.sit(attempt, parallel=1, all_turns=True)
    seen: dict[int, bytes] = {}
    client.play(moves=3)
    for message in client.everything:
        rows = np.frombuffer(base64.b64decode(message["vector"]), np.uint8).reshape(len(message["turn"]), -1)
        seen |= {turn: row.tobytes() for turn, row in zip(message["turn"], rows, strict=True)}
    sqlite_house.restart()
    again = sqlite_house.sit(attempt, parallel=1, history=True)
    (history,) = again.hear("history")
    assert history["turn"] == list(range(len(history["actions"])))
    assert len(history["movers"]) == len(history["actions"]) >= 5
    past = base64.b64decode(history["vector"])
    assert past == b"".join(seen[turn] for turn in history["turn"])


def test_views_of_every_turn_are_told_in_every_form(sqlite_house: House) -> None:
    """Also those of turns that were over before the message was sent, because a partner moved."""
    forms = frozenset({"vector", "text", "view", "legal"})
    client = sqlite_house.sit(sqlite_house.start(), parallel=1, all_turns=True, want=forms)
    client.play(last_legal, moves=2)
    told = [(t, x, v) for m in client.everything for t, x, v in zip(m["turn"], m["text"], m["view"], strict=True)]
    assert sorted({turn for turn, *_ in told}) == list(range(len(told)))
    assert len({text for _, text, _ in told}) == len(told)
    assert all((view["seat"] + view["to_move"]) % 2 == turn % 2 for turn, _, view in told)


def test_a_second_connection_takes_over_and_the_first_is_told(house: House) -> None:
    attempt = house.start()
    first = house.sit(attempt, parallel=1)
    opening = first.hear()
    game, turn = one_turn(opening)
    second = house.sit(attempt, parallel=1)
    assert [m["type"] for m in first.hear()] == ["superseded"]
    assert one_turn(second.hear()) == (game, turn)
    assert first.send(game, turn, 0)[0]["code"] == "unknown_game"
    assert second.send(game, turn, first_legal(legal_of(opening[-1], house)[0]))[-1]["type"] in ("turns", "over")


def test_a_table_that_another_process_has_moved_is_left_to_it(house: House) -> None:
    """Two engines on one database, as with --workers 2: the one that was superseded writes nothing."""
    attempt = house.start()
    first = house.sit(attempt, parallel=1)
    opening = first.hear()
    game, turn = one_turn(opening)
    action = first_legal(legal_of(opening[-1], house)[0])
    engine, house.engine = house.engine, type(house.engine)(house.database)
    second = house.sit(attempt, parallel=1)
    second.play(moves=1)
    taken, house.engine = house.engine, engine
    stored = house.tables(attempt)[0].turn
    assert [m["type"] for m in first.send(game, turn, action)] == ["superseded"]
    assert house.tables(attempt)[0].turn == stored
    taken.partners.close()


def test_tables_of_a_process_that_has_died_are_free_and_those_of_one_that_lives_are_not(house: House) -> None:
    attempt = house.start()
    house.engine.sign_of_life()
    game, _ = one_turn(house.sit(attempt, parallel=1).hear())
    held = house.tables(attempt)[game].holder
    house.restart()
    for silent, holder in ((DEAD - 10, held), (DEAD + 10, "")):
        with house.database.write() as transaction:
            transaction.execute(update(Uptime).values(alive=house.engine.clock.shared() - silent))
        house.engine.sweep_database()
        assert house.tables(attempt)[game].holder == holder
    assert one_turn(house.sit(attempt, parallel=1, take="one").hear())[0] == game


def test_of_racing_connections_exactly_one_moves_at_each_turn(house: House) -> None:
    attempt, calm = house.start(), house.start()
    house.sit(calm).play()
    current = house.sit(attempt)
    for _ in range(200):
        stale, current = current, house.sit(attempt)
        stale.heard[:] = [message for message in stale.everything if message["type"] == "turns"]
        stale.play(last_legal, moves=2)
        current.play(moves=2)
        if {table.status for table in house.tables(attempt)} == {"done"}:
            break
    assert house.logs(attempt) == house.logs(calm)


def test_a_paused_challenge_begins_no_game_and_lets_running_ones_end(house: House) -> None:
    from coplay.serve.ledger.hosting.host import open_challenge, pause_challenge

    attempt = house.start()
    client = house.sit(attempt, parallel=1)
    with house.database.write() as transaction:
        pause_challenge(transaction, "small")
    client.play()
    assert [table.status for table in house.tables(attempt)] == ["done", "todo"]
    with house.database.write() as transaction:
        open_challenge(transaction, "small")
    house.round(house.engine.tick)
    client.play()
    assert [table.status for table in house.tables(attempt)] == ["done", "done"]


def test_a_command_that_fails_harms_its_session_alone(sqlite_house: House) -> None:
    from coplay.serve.engine.arrivals import Command

    broken, fine = (sqlite_house.sit(sqlite_house.start()) for _ in range(2))
    broken.hear()
    sqlite_house.engine.round([Command(lambda round: 1 / 0, broken.session)])  # pyright: ignore[reportArgumentType]
    assert [message["type"] for message in broken.hear()] == ["closing"]
    assert not broken.session.tables
    assert fine.play() > 0


def test_answers_that_cannot_be_given_send_everybody_away_and_the_engine_goes_on(
    sqlite_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coplay.serve.engine import frames

    attempt = sqlite_house.start()
    client = sqlite_house.sit(attempt, parallel=1)
    opening = client.hear()
    game, turn = one_turn(opening)
    with monkeypatch.context() as broken:
        broken.setattr(frames, "turns", lambda *arguments: 1 / 0)
        answer = client.send(game, turn, last_legal(legal_of(opening[-1], sqlite_house)[0]))
    assert [message["type"] for message in answer] == ["closing"]
    again = sqlite_house.sit(attempt, parallel=1)
    assert one_turn(again.hear()) == (game, turn + 2)  # what was written before is not lost


def test_fifty_parallel_starts_make_one_attempt(house: House) -> None:
    entrant, _ = house.enter()
    outcomes: list[str] = []

    def start() -> None:
        with house.database.write() as transaction:
            outcomes.append(open_attempt(transaction, entrant, "eval").id)

    threads = [threading.Thread(target=start) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with house.database.read() as transaction:
        assert transaction.scalar(select(func.count()).select_from(Attempt)) == 1
    assert len(outcomes) == 50
    assert len(set(outcomes)) == 1


def test_a_spent_key_starts_nothing(house: House) -> None:
    entrant, _ = house.enter()
    with house.database.write() as transaction:
        attempt = open_attempt(transaction, entrant, "eval")
    house.sit(attempt).play()
    house.finish(attempt)
    with pytest.raises(ChallengeError, match="spent"), house.database.write() as transaction:
        open_attempt(transaction, entrant, "eval")
    with house.database.write() as transaction:
        assert open_attempt(transaction, entrant, "test", 1).kind == "test"
