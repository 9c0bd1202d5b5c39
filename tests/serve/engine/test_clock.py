"""Thinking time, on the server's clock alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import update

from coplay.challenge.clock import covered, left_after
from coplay.challenge.rules import Clock
from coplay.serve.store.models import Table, Uptime
from tests.serve.harness import House, first_legal, legal_of, one_turn

MOVE, BANK = 10.0, 60.0  # as in the harness


def test_a_move_in_time_costs_nothing_and_a_slow_one_uses_the_bank() -> None:
    clock = Clock(move=10, bank=60)
    assert left_after(clock, 60, 9.9) == 60
    assert left_after(clock, 60, 25) == 45
    assert left_after(clock, 5, 16) < 0


def test_the_bank_runs_down_and_survives_a_restart(house: House) -> None:
    attempt = house.start()
    client = house.sit(attempt, parallel=1)
    opening = client.hear()
    game, turn = one_turn(opening)
    house.timing.advance(MOVE + 40)
    client.send(game, turn, first_legal(legal_of(opening[-1], house)[0]))
    assert house.tables(attempt)[0].bank == BANK - 40
    house.restart()
    house.sit(attempt, parallel=1)
    live = next(live for live in house.engine.tables.live.values() if live.number == 0)
    assert live.bank == BANK - 40


def test_a_move_after_the_bank_is_empty_forfeits_and_scores_0(house: House) -> None:
    attempt = house.start()
    client = house.sit(attempt, parallel=1)
    opening = client.hear()
    game, turn = one_turn(opening)
    house.timing.advance(MOVE + BANK + 1)
    answer = client.send(game, turn, first_legal(legal_of(opening[-1], house)[0]))
    assert [(m["how"], m["reason"]) for m in answer if m["type"] == "over"] == [(["forfeit"], ["out of time"])]
    assert house.tables(attempt)[0].status == "forfeit"


def test_a_client_that_never_comes_back_forfeits_its_running_games(house: House) -> None:
    attempt = house.start()
    client = house.sit(attempt, parallel=1)
    client.leave()
    house.timing.advance(MOVE + BANK)
    house.round(house.engine._tick)
    assert [table.status for table in house.tables(attempt)] == ["active", "todo"]
    house.timing.advance(1)
    house.round(house.engine._tick)
    statuses = [table.status for table in house.tables(attempt)]
    assert statuses == ["forfeit", "todo"]


def test_a_game_whose_time_ran_out_while_no_process_had_it_is_forfeited(house: House) -> None:
    """The client went, the server restarted and stayed alive: the game must not wait for ever."""
    attempt = house.start()
    house.sit(attempt, parallel=1)
    house.restart()
    now = house.timing.now()
    with house.database.write() as transaction:
        transaction.execute(update(Table).where(Table.status == "active").values(asked=now - 1000, holder=""))
        transaction.add(Uptime(started=now - 2000, alive=now))
    house.engine._sweep_database()
    assert house.tables(attempt)[0].status == "forfeit"


def test_time_in_which_no_server_lived_is_charged_to_nobody(house: House) -> None:
    attempt = house.start()
    house.sit(attempt, parallel=1)
    house.restart()
    now = house.timing.now()
    with house.database.write() as transaction:
        transaction.execute(update(Table).where(Table.status == "active").values(asked=now - 10_000, holder=""))
        transaction.add(Uptime(started=now - 20_000, alive=now - 10_000 + 7))
    house.engine._sweep_database()
    client = house.sit(attempt, parallel=1)
    (message,) = client.hear("turns")
    assert message["seconds_left"] == [MOVE + BANK - 7]


def test_the_time_a_server_needs_to_bring_a_game_back_is_charged_to_nobody(sqlite_house: House) -> None:
    attempt = sqlite_house.start()
    sqlite_house.sit(attempt, parallel=1)
    sqlite_house.restart()
    now = sqlite_house.timing.now()
    with sqlite_house.database.write() as transaction:
        transaction.execute(update(Table).where(Table.status == "active").values(asked=now - 65, holder=""))
        transaction.add(Uptime(started=now - 100, alive=now))
    client = sqlite_house.sit(attempt, parallel=1, came=now - 60)  # and only now there is an answer
    (message,) = client.hear("turns")
    assert message["seconds_left"] == [MOVE + BANK - 5]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 10))), st.integers(0, 30), st.integers(0, 20))
def test_covered_time_is_counted_once(periods: list[tuple[int, int]], begin: int, length: int) -> None:
    spans = [(float(start), float(start + size)) for start, size in periods]
    seconds = sum(any(a <= second < b for a, b in spans) for second in range(begin, begin + length))
    assert covered(spans, begin, begin + length) == seconds
