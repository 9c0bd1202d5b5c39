"""Thinking time, on the server's clock alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coplay.challenge.clock import left_after
from coplay.challenge.rules import Clock
from coplay.serve.engine.engine import Engine
from coplay.serve.engine.game_clock import LONGEST, GameClock
from coplay.serve.store import uptime
from tests.serve.harness import House, first_legal, legal_of, one_turn
from tests.serve.timing import HandMoved

MOVE, BANK = 10.0, 60.0  # as in the harness
THREE_HOURS = 3 * 3600.0


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
    house.advance(MOVE + 40)
    client.send(game, turn, first_legal(legal_of(opening[-1], house)[0]))
    assert house.tables(attempt)[0].bank == BANK - 40
    house.restart()
    house.sit(attempt, parallel=1)
    live = next(live for live in house.engine.tables.live.values() if live.dealt.number == 0)
    assert live.bank == BANK - 40


def test_a_move_after_the_bank_is_empty_forfeits_and_scores_0(house: House) -> None:
    attempt = house.start()
    client = house.sit(attempt, parallel=1)
    opening = client.hear()
    game, turn = one_turn(opening)
    house.advance(MOVE + BANK + 1)
    answer = client.send(game, turn, first_legal(legal_of(opening[-1], house)[0]))
    assert [(m["how"], m["reason"]) for m in answer if m["type"] == "over"] == [(["forfeit"], ["out of time"])]
    assert house.tables(attempt)[0].status == "forfeit"


def test_a_client_that_never_comes_back_forfeits_its_running_games(house: House) -> None:
    attempt = house.start()
    client = house.sit(attempt, parallel=1)
    client.leave()
    house.advance(MOVE + BANK)
    house.round(house.engine.tick)
    assert [table.status for table in house.tables(attempt)] == ["active", "todo"]
    house.advance(1)
    house.round(house.engine.tick)
    statuses = [table.status for table in house.tables(attempt)]
    assert statuses == ["forfeit", "todo"]


def test_a_game_whose_time_ran_out_while_no_process_had_it_is_forfeited(house: House) -> None:
    """The client went, the server restarted and stayed alive: the game must not wait for ever."""
    attempt = house.start()
    house.sit(attempt, parallel=1)
    house.restart()
    house.advance(MOVE + BANK)
    house.engine.sweep_database()
    assert house.tables(attempt)[0].status == "active"
    house.advance(1)
    house.engine.sweep_database()
    assert house.tables(attempt)[0].status == "forfeit"


def test_time_in_which_no_server_lived_is_charged_to_nobody(house: House) -> None:
    attempt = house.start()
    house.sit(attempt, parallel=1)
    house.advance(7)
    house.engine.sign_of_life()
    house.timing.advance(THREE_HOURS)
    house.restart()
    house.engine.sweep_database()
    (message,) = house.sit(attempt, parallel=1).hear("turns")
    assert message["seconds_left"] == [MOVE + BANK - 7]


@pytest.mark.parametrize("step", [THREE_HOURS, -THREE_HOURS])
@pytest.mark.parametrize("restarts", [True, False])
def test_a_step_of_the_clock_on_the_wall_forfeits_nothing(house: House, step: float, restarts: bool) -> None:
    attempt = house.start()
    client = house.sit(attempt, parallel=2)
    client.leave()
    house.engine.sign_of_life()
    house.timing.wrong += step
    if restarts:
        house.restart()
    for _ in range(2):
        house.advance(1)
        house.engine.sign_of_life()
        house.round(house.engine.tick)
        house.engine.sweep_database()
    assert {table.status for table in house.tables(attempt)} == {"active"}
    (message,) = house.sit(attempt, parallel=2).hear("turns")
    assert min(message["seconds_left"]) >= MOVE + BANK - 2


def test_while_a_process_is_paused_every_clock_stands_still(house: House) -> None:
    """As by SIGSTOP, or when its machine sleeps: the monotonic clock may go on meanwhile."""
    attempt = house.start()
    client = house.sit(attempt, parallel=1)
    opening = client.hear()
    game, turn = one_turn(opening)
    house.timing.advance(THREE_HOURS)
    house.round(house.engine.tick)
    house.engine.sign_of_life()
    house.engine.sweep_database()
    answer = client.send(game, turn, first_legal(legal_of(opening[-1], house)[0]))
    assert [message["type"] for message in answer] == ["turns"]
    assert house.tables(attempt)[0].bank == BANK  # not even as much as one beat of it is charged beyond the move


def test_a_process_that_was_paused_charges_nothing_though_others_went_on(house: House) -> None:
    attempt = house.start()
    client = house.sit(attempt, parallel=1)
    with house.database.write() as transaction:
        uptime.beat(transaction, "another", house.engine.clock.shared() + THREE_HOURS)
    house.engine.sign_of_life()
    house.round(house.engine.tick)
    assert client.play(moves=1) == 1
    (table, _) = house.tables(attempt)
    assert (table.status, table.bank) == ("active", BANK)
    assert table.asked is not None
    assert table.asked >= THREE_HOURS  # and whoever takes it over begins from there


def test_two_processes_agree_on_how_long_a_move_has_taken(house: House) -> None:
    attempt = house.start()
    house.sit(attempt, parallel=1)
    house.engine.sign_of_life()
    other = Engine(house.database, timing=house.timing)
    house.advance(20)
    house.engine.sign_of_life()
    other.sign_of_life()
    first, house.engine = house.engine, other
    (message,) = house.sit(attempt, parallel=1).hear("turns")
    assert message["seconds_left"] == [pytest.approx(MOVE + BANK - 20)]
    first.partners.close()


def test_the_time_a_server_needs_to_bring_a_game_back_is_charged_to_nobody(sqlite_house: House) -> None:
    attempt = sqlite_house.start()
    sqlite_house.sit(attempt, parallel=1)
    sqlite_house.advance(5)
    came = sqlite_house.engine.clock.shared()
    sqlite_house.advance(60)
    client = sqlite_house.sit(attempt, parallel=1, came=came)  # and only now there is an answer
    sqlite_house.restart()
    client = sqlite_house.sit(attempt, parallel=1, came=came)
    (message,) = client.hear("turns")
    assert message["seconds_left"] == [MOVE + BANK - 5]


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 10_000))))
def test_the_clock_of_games_never_goes_back_and_no_beat_counts_for_long(steps: list[tuple[bool, float]]) -> None:
    timing = HandMoved()
    clock, before = GameClock(timing), 0.0
    beats = 0
    for beat, seconds in steps:
        timing.advance(seconds)
        if beat:
            clock.beat()
            beats += 1
        assert clock.here() >= before
        before = clock.here()
    assert before <= min(sum(seconds for _, seconds in steps), LONGEST * (beats + 1)) + 1e-6
