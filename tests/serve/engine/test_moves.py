"""Moves over the wire: played once, answered always, refused with reasons."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from coplay.serve.engine.moves import MOST
from coplay.serve.engine.round import over
from tests.serve.harness import House, first_legal, last_legal, legal_of, one_turn


def test_an_attempt_is_played_to_its_end_and_scored_from_the_log(house: House) -> None:
    attempt = house.start()
    client = house.sit(attempt)
    client.play(last_legal)
    assert {table.status for table in house.tables(attempt)} == {"done"}
    assert house.finish(attempt) == ["small"]
    assert all(table.score is not None for table in house.tables(attempt))


def test_scores_of_rated_games_are_not_told_and_those_of_rehearsals_are(sqlite_house: House) -> None:
    rated, rehearsal = sqlite_house.sit(sqlite_house.start()), sqlite_house.sit(sqlite_house.start("test"))
    for client, told in ((rated, False), (rehearsal, True)):
        client.play()
        over = [message for message in client.everything if message["type"] == "over"]
        assert over
        assert all(("score" in message) == told for message in over)


def test_the_same_move_twice_is_played_once_and_answered_twice(house: House) -> None:
    client = house.sit(house.start(), parallel=1)
    first = client.hear()
    game, turn = one_turn(first)
    action = last_legal(legal_of(first[-1], house)[0])  # a hint, which ends no game
    answer = client.send(game, turn, action)
    again = client.send(game, turn, action)
    without_time = [[m | {"seconds_left": None} for m in messages] for messages in (answer, again)]
    assert without_time[0] == without_time[1]


def test_the_move_that_ended_a_game_sent_again_is_told_again_that_it_ended(house: House) -> None:
    client = house.sit(house.start(), parallel=1)
    client.play()
    first = next(message for message in client.everything if message["type"] == "over")
    assert client.send(first["game"][0], 3, 0) == [first]


def test_ends_that_are_told_again_and_new_ones_may_come_together(sqlite_house: House) -> None:
    """In a rehearsal an end is told with its score, and told again without it until all are scored."""
    client = sqlite_house.sit(sqlite_house.start("test"), parallel=1)
    client.hear()
    ends = [over(0, "done", "", None), over(1, "done", "", 3.0), over(2, "done", "", None)]
    sqlite_house.round(*(lambda round, end=end: round.say(client.session, end) for end in ends))
    assert [(message["game"], message.get("score")) for message in client.hear()] == [([0, 2], None), ([1], [3.0])]


def test_another_action_for_a_turn_that_is_over_is_a_conflict_with_the_state(house: House) -> None:
    client = house.sit(house.start(), parallel=1)
    first = client.hear()
    game, turn = one_turn(first)
    legal = legal_of(first[-1], house)[0]
    _, now = one_turn(client.send(game, turn, last_legal(legal)))  # a hint, which ends no game
    for old, action in ((turn, first_legal(legal)), (now + 1, 0), (-1, 0), (10**30, 0), ("0", 0), (None, 0), (True, 0)):
        answer = client.send(game, old, action)
        assert [m["status"] for m in answer if m["type"] == "error"] == [409]
        assert one_turn(answer) == (game, now)


KITCHEN = """
title = "Kitchen"
answer_floor = 0
auto_approve = true
[[configuration]]
name = "kitchen"
game = "overcooked"
games = 1
partners = ["random"]
rehearsal = ["random"]
"""


def test_where_all_act_at_once_only_the_entrants_own_action_is_the_same_move_again(tmp_path: Path) -> None:
    house = House(f"sqlite:///{tmp_path}/kitchen.db", KITCHEN)
    client = house.sit(house.start())
    game, turn = one_turn(client.hear())
    assert one_turn(client.send(game, turn, 3)) == (game, turn + 1)
    (live,) = client.session.tables.values()
    partners = live.course.log[turn][1 - live.dealt.seats[0]]
    for action in range(6):
        answer = client.send(game, turn, action)
        assert [m["status"] for m in answer if m["type"] == "error"] == ([] if action == 3 else [409]), partners
    house.close()


NONSENSE = [-1, 10**30, -(10**30), math.nan, math.inf, 1.0, True, False, "0", "", None, [], {}, [0], 2**31, 2**63]


def test_what_is_not_a_legal_action_is_refused_with_the_legal_set_and_changes_nothing(house: House) -> None:
    for action in NONSENSE:  # each in a game of its own, for few offences are forgiven
        attempt = house.start("test")
        client = house.sit(attempt, parallel=1)
        first = client.hear()
        game, turn = one_turn(first)
        answer = client.send(game, turn, action)
        assert [(m["status"], m["code"], m["offences_left"]) for m in answer] == [(422, "illegal", 2)], action
        assert answer[0]["legal"] == legal_of(first[-1], house)[0].nonzero()[0].tolist()
        assert [table.turn for table in house.tables(attempt) if table.status == "active"] == [turn]
        legal = answer[0]["legal"][0]
        assert client.send(game, turn, legal)[-1]["type"] in ("turns", "over")


def test_every_integer_that_is_not_legal_is_refused_and_the_last_offence_forfeits(house: House) -> None:
    attempt = house.start()
    client = house.sit(attempt, parallel=1)
    first = client.hear()
    game, turn = one_turn(first)
    legal = legal_of(first[-1], house)[0]
    illegal = [n for n in range(-3, len(legal) + 3) if not (0 <= n < len(legal) and legal[n])]
    left = [client.send(game, turn, action)[0]["offences_left"] for action in illegal[:2]]
    assert left == [2, 1]
    answer = client.send(game, turn, illegal[2])
    assert [(m["type"], m.get("how")) for m in answer[:2]] == [("error", None), ("over", ["forfeit"])]
    assert house.tables(attempt)[game].status == "forfeit"
    client.heard[:] = [m for m in answer if m["type"] == "turns"]
    client.play()
    house.finish(attempt)
    assert [table.score for table in house.tables(attempt)][game] == 0


def test_moves_in_a_game_that_has_just_ended_are_answered_by_its_end_alone(sqlite_house: House) -> None:
    client = sqlite_house.sit(sqlite_house.start(), parallel=1)
    game, turn = one_turn(client.hear())
    answer = client.say({"type": "act", "game": [game] * 5, "turn": [turn] * 5, "action": [-1] * 5})
    said = [message for message in answer if message["type"] != "turns"]
    assert [message.get("code") or message["how"] for message in said] == ["illegal"] * 3 + [["forfeit"]]


def test_offences_survive_a_restart(sqlite_house: House) -> None:
    attempt = sqlite_house.start()
    client = sqlite_house.sit(attempt, parallel=1)
    game, turn = one_turn(client.hear())
    client.send(game, turn, -1)
    sqlite_house.restart()
    client = sqlite_house.sit(attempt, parallel=1)
    assert one_turn(client.hear()) == (game, turn)
    assert client.send(game, turn, -1)[0]["offences_left"] == 1


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"game": 0, "turn": 0, "action": 0},
        {"game": [0], "turn": [0]},
        {"game": [0], "turn": [0, 1], "action": [0]},
        {"game": [0], "turn": [0], "action": [0], "seat": 3},
        {"game": None, "turn": None, "action": None},
        {"game": "abc", "turn": "abc", "action": "abc"},
    ],
)
def test_columns_that_do_not_fit_are_malformed(sqlite_house: House, message: dict) -> None:
    client = sqlite_house.sit(sqlite_house.start(), parallel=1)
    client.hear()
    assert [m["code"] for m in client.say(message)] == ["malformed"]


@pytest.mark.parametrize("game", [99, -1, "0", None, True, 10**30, 1.5, [0]])
def test_a_game_that_is_not_held_is_unknown(sqlite_house: House, game: object) -> None:
    client = sqlite_house.sit(sqlite_house.start(), parallel=1)
    client.hear()
    assert [m["code"] for m in client.send(game, 0, 0)] == ["unknown_game"]


@contextmanager
def queries(house: House) -> Iterator[list[str]]:
    """The statements that the database is sent meanwhile."""
    sent: list[str] = []

    def note(connection: object, cursor: object, statement: str, *rest: object) -> None:
        sent.append(statement)

    event.listen(house.database.engine, "before_cursor_execute", note)
    yield sent
    event.remove(house.database.engine, "before_cursor_execute", note)


def test_a_message_about_a_thousand_games_that_are_not_held_costs_one_query_and_one_answer(house: House) -> None:
    client = house.sit(house.start(), parallel=1)
    client.hear()
    with queries(house) as sent:
        answer = client.say(
            {"type": "act", "game": list(range(10, 10 + MOST)), "turn": [0] * MOST, "action": [0] * MOST}
        )
    assert len([one for one in sent if "FROM tables" in one and "number IN" in one]) == 1
    assert len(sent) <= 3
    (told,) = answer
    assert (told["code"], told["game"], len(told["games"])) == ("unknown_game", 10, MOST)


def test_ends_of_many_games_are_told_again_after_one_query(house: House) -> None:
    client = house.sit(house.start())
    client.play()
    with queries(house) as sent:
        (over,) = client.say({"type": "act", "game": [0, 1] * 400, "turn": [0] * 800, "action": [0] * 800})
    assert sorted(over["game"]) == [0, 1]
    assert len([one for one in sent if "FROM tables" in one and "number IN" in one]) == 1


def test_a_message_with_too_many_moves_is_refused_whole(house: House) -> None:
    client = house.sit(house.start(), parallel=1)
    client.hear()
    many = MOST + 1
    (told,) = client.say({"type": "act", "game": [0] * many, "turn": [0] * many, "action": [0] * many})
    assert told["status"] == 413


def test_each_seat_is_looked_at_once_in_a_turn_however_often_it_is_moved_wrongly(sqlite_house: House) -> None:
    client = sqlite_house.sit(sqlite_house.start(), parallel=1, all_turns=True)
    (live,) = client.session.tables.values()
    live.course.position = live.course.position._replace(
        seat=1 - live.dealt.seats[0]
    )  # as where several seats are on turn
    looked: list[None] = []
    look = live.dealt.batch.look

    def count(*arguments: Any) -> Any:
        looked.append(None)
        return look(*arguments)

    live.dealt.batch.look = count  # pyright: ignore[reportAttributeAccessIssue]
    live.dealt.terms.offences = 10**6
    client.say(
        {"type": "act", "game": [live.dealt.number] * 500, "turn": [live.course.turn] * 500, "action": [-1] * 500}
    )
    assert len(looked) == 1


@given(st.data())
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_duplicates_reorderings_and_losses_change_nothing(house: House, data: st.DataObject) -> None:
    """A client that repeats, delays and forgets messages, and a server that restarts: the games are those of a client
    that does not."""
    calm, wild = house.start(), house.start()  # the same deals, partners and seats
    house.sit(calm).play()
    client = house.sit(wild)
    sent: list[tuple[int, int, int]] = []
    for _ in range(200):
        turns = client.hear("turns")
        waiting = {(m["game"][i], m["turn"][i]): legal_of(m, house)[i] for m in turns for i in range(len(m["game"]))}
        if not waiting and all(table.status == "done" for table in house.tables(wild)):
            break
        for (game, turn), legal in waiting.items():
            sent.append((game, turn, first_legal(legal)))
        match data.draw(st.sampled_from(["send", "send", "twice", "old", "reorder", "reconnect", "restart"])):
            case "twice":
                sent += sent[-2:]
            case "old":
                sent.insert(0, data.draw(st.sampled_from(sent)) if sent else (0, 0, 0))
            case "reorder":
                sent.reverse()
            case "reconnect":
                client.leave()
                client = house.sit(wild)
            case "restart":
                house.restart()
                client = house.sit(wild)
            case _:
                pass
        for game, turn, action in sent[-4:]:
            message = {"type": "act", "game": [game], "turn": [turn], "action": [action]}
            client.heard.extend(client.say(message))
    assert {table.status for table in house.tables(wild)} == {"done"}
    assert house.logs(wild) == house.logs(calm)
