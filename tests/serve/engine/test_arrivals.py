"""What a round takes: a fair share of every connection, rated games first."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from coplay.serve.engine.arrivals import MOST, OPENING, OTHERS, RATED, Arrivals, Command
from coplay.serve.engine.session import Session


def session(kind: str) -> Session:
    return Session("attempt", lambda messages: None, kind=kind)


def nothing(round: Any) -> None:
    pass


def test_a_flood_of_rehearsals_holds_up_no_rated_move() -> None:
    arrivals = Arrivals()
    floods = [session("test") for _ in range(12)]
    for flood in floods:
        for _ in range(3):
            arrivals.put(Command(nothing, flood, MOST))
    rated = Command(nothing, session("eval"), 1)
    arrivals.put(rated)
    taken = arrivals.take(0)
    assert taken[0] is rated
    assert sum(command.moves for command in taken[1:]) <= OTHERS


def test_rehearsals_take_turns_at_their_share() -> None:
    arrivals = Arrivals()
    greedy, modest = session("test"), session("person")
    for _ in range(5):
        arrivals.put(Command(nothing, greedy, MOST))
    arrivals.put(Command(nothing, modest, 1))
    assert [command.session for command in arrivals.take(0)] == [greedy]
    assert [command.session for command in arrivals.take(0)] == [modest]
    assert [command.session for command in arrivals.take(0)] == [greedy]


def test_what_is_of_no_connection_is_taken_at_once() -> None:
    arrivals = Arrivals()
    for _ in range(3):
        arrivals.put(Command(nothing))
    assert len(arrivals.take(0)) == 3
    assert arrivals.take(0) == []


COMMANDS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, MOST)), max_size=60)


@given(COMMANDS)
def test_every_command_is_taken_once_in_its_connections_order_and_no_round_is_long(
    commands: list[tuple[int, int]],
) -> None:
    arrivals = Arrivals()
    sessions = [session("eval" if number < 2 else "test") for number in range(6)]
    sent = [Command(nothing, sessions[number], moves) for number, moves in commands]
    for command in sent:
        arrivals.put(command)
    taken: list[Command] = []
    while found := arrivals.take(0):
        for rated, most in ((True, RATED), (False, OTHERS)):
            assert sum(one.moves for one in found if one.session and one.session.rated is rated) <= most
        assert all(sum(one.moves for one in found if one.session is who) <= MOST for who in sessions)
        taken += found
    for who in sessions:
        assert [one for one in taken if one.session is who] == [one for one in sent if one.session is who]


def test_connections_that_come_and_go_in_a_loop_are_counted_too() -> None:
    arrivals = Arrivals()
    for _ in range(50):
        arrivals.put(Command(nothing, session("test"), OPENING))
    assert len(arrivals.take(0)) == OTHERS // OPENING
