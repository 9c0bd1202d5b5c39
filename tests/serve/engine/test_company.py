"""Several people at one table: seats by invitation, what each is told, who is away, and what of it is kept."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sqlalchemy import update

from coplay.challenge.errors import ChallengeError
from coplay.serve.engine.party import START, Party
from coplay.serve.ledger import gathering, people
from coplay.serve.ledger.hosting.erase import erase_person
from coplay.serve.pages.export import agreed_games
from coplay.serve.store.models import Place, Table
from coplay.serve.store.places import Customs, places_at
from coplay.worlds.hanabi import Hanabi, View
from coplay.worlds.hanabi.cards import HIDDEN, IDENTITY_SHIFT, POSSIBLE
from coplay.worlds.hanabi.web import people as hanabi_people
from tests.serve.harness import Client, House, first_legal, legal_of

GAME = {"players": 2, "life_tokens": 9}


def lay(house: House, partners: tuple[str | None, ...] = (None,), **settings: Any) -> people.Seat:
    with house.database.write() as transaction:
        customs = Customs(absent=60, substitute="random")
        return people.new_table(transaction, "hanabi-very-small", GAME | settings, partners, customs=customs)


def invite(house: House, attempt: str, seat: int = 1) -> str:
    with house.database.write() as transaction:
        return gathering.invite(transaction, attempt, seat)


def accept(house: House, invitation: str, person: str | None = None) -> people.Seat:
    with house.database.write() as transaction:
        return gathering.sit_down(transaction, invitation, person)


def connect(house: House, seat: people.Seat, **options: Any) -> Client:
    settings = {"seats": (seat.seat,), "kind": "person", "parallel": 1, "all_turns": True}
    return house.sit(seat.attempt, **settings | options)


def spectate(house: House, attempt: str) -> Client:
    return house.sit(attempt, seats=(), watches=True, kind="person", all_turns=True, want=frozenset({"view"}))


def both(house: House) -> tuple[Client, Client]:
    """Two people at a table of two."""
    first = lay(house)
    second = accept(house, invite(house, first.attempt))
    return connect(house, first), connect(house, second)


def told(client: Client) -> dict[str, Any]:
    """The latest view that it was sent."""
    return [message for message in client.everything if message["type"] == "turns"][-1]


def move(house: House, client: Client, turn: int) -> None:
    """The first legal action."""
    message = told(client)
    assert (message["turn"][-1], message["mine"][-1]) == (turn, 1)
    client.send(0, turn, first_legal(legal_of(message, house)[-1]))


def test_a_game_begins_when_everybody_sits_and_tells_each_their_own_seat_alone(sqlite_house: House) -> None:
    first = lay(sqlite_house)
    one = connect(sqlite_house, first)
    (waits,) = one.hear()
    assert [person["taken"] for person in waits["people"]] == [True, False]
    two = connect(sqlite_house, accept(sqlite_house, invite(sqlite_house, first.attempt)))
    for client, seat in ((one, 0), (two, 1)):
        assert {tuple(message["seat"]) for message in client.everything if message["type"] == "turns"} == {(seat,)}
    (refused,) = [message for message in two.send(0, 0, 0) if message["type"] == "error"]
    assert "not yours to move" in refused["message"]  # not for another's seat
    one.leave()
    assert two.hear("company")[-1]["people"][0]["here"] is False


def test_an_invitation_gives_one_seat_once_and_a_new_one_ends_it(sqlite_house: House) -> None:
    attempt = lay(sqlite_house).attempt
    lost, good = invite(sqlite_house, attempt), invite(sqlite_house, attempt)
    with pytest.raises(ChallengeError, match="used or replaced"):
        accept(sqlite_house, lost)
    assert accept(sqlite_house, good).seat == 1
    for again in (good, "coplay_join_nonsense"):
        with pytest.raises(ChallengeError, match="used or replaced"):
            accept(sqlite_house, again)
    with pytest.raises(ChallengeError, match="seat 1 is not free"):
        invite(sqlite_house, attempt)


def test_only_who_laid_the_table_invites(sqlite_house: House) -> None:
    first = lay(sqlite_house)
    second = accept(sqlite_house, invite(sqlite_house, first.attempt))
    with sqlite_house.database.write() as transaction:
        key = people.find(transaction, second.key).key
        with pytest.raises(ChallengeError, match="only who laid this table"):
            gathering.laid_by(transaction, key, first.attempt)
        gathering.laid_by(transaction, people.find(transaction, first.key).key, first.attempt)


def test_an_agent_takes_a_seat_to_which_nobody_comes(sqlite_house: House) -> None:
    first = lay(sqlite_house)
    one, invitation = connect(sqlite_house, first), invite(sqlite_house, first.attempt)
    with sqlite_house.database.write() as transaction:
        gathering.seat_agent(transaction, first.attempt, 1, "random")
    sqlite_house.round(lambda round: sqlite_house.engine.seating.look_at(first.attempt))
    move(sqlite_house, one, 0)
    assert told(one)["turn"][-1] == 2  # the agent has moved
    with pytest.raises(ChallengeError, match="used or replaced"):
        accept(sqlite_house, invitation)


def test_a_spectator_moves_nothing_and_sees_no_card_of_a_person(sqlite_house: House) -> None:
    one, _ = both(sqlite_house)
    spectator = spectate(sqlite_house, one.session.attempt)
    seen = told(spectator)
    assert set(seen) == {"type", "configuration", "game", "seat", "turn", "mine", "view"}
    assert {card["face"] for hand in seen["view"][0]["hands"] for card in hand} == {None}
    (refused,) = [message for message in spectator.send(0, 0, 2) if message["type"] == "error"]
    assert refused["code"] == "conflict"
    sqlite_house.round(lambda round: sqlite_house.engine.seating.company.back(round, spectator.session))
    sqlite_house.round(lambda round: sqlite_house.engine.seating.company.press(round, spectator.session, {"action": 2}))
    move(sqlite_house, one, 0)
    assert told(spectator)["turn"][-1] == 1


def test_what_is_public_holds_the_cards_of_agents_alone() -> None:
    game = Hanabi(players=3)
    hands = tuple(tuple(np.uint32(face << IDENTITY_SHIFT | 5) for face in (1, 2)) for _ in range(3))
    others = dict.fromkeys(("played", "discard_words", "info", "lives", "deck_size", "to_move"))
    view: Any = View(game, np.int32(1), hands, turns_left=None, done=None, last=None, **others)  # pyright: ignore[reportArgumentType]
    shown = hanabi_people.public(game, view, [0, 1])
    faces = [[int(word >> IDENTITY_SHIFT) for word in hand] for hand in shown.hand_words]
    assert faces == [[HIDDEN, HIDDEN], [1, 2], [HIDDEN, HIDDEN]]  # seats 1, 2 and 0
    assert {int(word & POSSIBLE) for hand in shown.hand_words for word in hand} == {5}


def test_nothing_is_lost_when_the_server_is_killed_and_everybody_goes_on_in_their_seats(house: House) -> None:
    first = lay(house)
    second = accept(house, invite(house, first.attempt))
    one, two = connect(house, first), connect(house, second)
    move(house, one, 0)
    house.restart()
    two, one = connect(house, second), connect(house, first)
    for turn in range(1, 5):
        move(house, (one, two)[turn % 2], turn)
    assert told(one)["turn"][-1] == 5


def test_a_second_window_takes_the_seat_over(sqlite_house: House) -> None:
    first = lay(sqlite_house)
    second = accept(sqlite_house, invite(sqlite_house, first.attempt))
    one, two, again = (connect(sqlite_house, seat) for seat in (first, second, first))
    assert one.hear("superseded")[0]["all"] is True
    assert two.hear("superseded") == []
    one.leave()  # its connection is closed only now
    move(sqlite_house, again, 0)
    move(sqlite_house, two, 1)


def test_a_substitute_plays_for_whoever_is_away_until_they_are_back(sqlite_house: House) -> None:
    house = sqlite_house
    one, two = both(house)
    for client in (one, two):
        client.hear()
    house.advance(59)
    house.round(house.engine.tick)
    assert two.hear() == []
    house.advance(2)
    house.round(house.engine.tick)
    assert told(two)["turn"][-1] == 1  # a move was made for the first
    assert one.hear("company")[-1]["people"][0]["away"] is True
    house.restart()
    one, two = (
        connect(house, people.Seat(one.session.attempt, "", 0)),
        connect(house, people.Seat(one.session.attempt, "", 1)),
    )
    move(house, two, 1)
    assert told(two)["turn"][-1] == 3  # still
    house.round(lambda round: house.engine.seating.company.back(round, one.session))
    move(house, two, 3)
    move(house, one, 4)
    with house.database.read() as transaction:
        assert [(place.away, place.stood_in) for place in places_at(transaction, one.session.attempt)] == [
            (False, True),
            (False, False),
        ]


def test_whoever_moves_in_time_is_not_away_however_long_the_game_takes() -> None:
    party = Party(Customs(absent=60, substitute="random"), (0, 1))
    for now in range(0, 400, 40):
        party.waits({now // 40 % 2}, now)
        assert party.late(now) == []
        party.sign(now // 40 % 2)
    party.waits({0}, 400)
    assert party.late(461) == [0]
    assert Party(Customs(absent=0, substitute="random"), (0,), since={0: 0.0}).late(10**6) == []


def test_steps_at_a_pace_are_never_caught_up_with_and_stop_while_somebody_is_missing() -> None:
    party = Party(Customs(pace=4), (0, 1), idle=4)
    party.schedule(True, 100.0)
    assert party.due == 100.0 + START
    party.stepped(103.0)
    assert party.due == 103.25
    party.stepped(110.0)  # the machine was busy
    assert party.due == pytest.approx(110.0 - 0.125 + 0.25)
    party.schedule(False, 111.0)
    assert party.due is None


def finished(house: House, agreed: tuple[bool, ...], stood_in: int | None = None) -> list[str]:
    """A game of two people that is over, some of whom agreed."""
    with house.database.write() as transaction:
        found = [people.new_person(transaction).id for _ in agreed]
        for person, given in zip(found, agreed, strict=True):
            people.answer_consent(transaction, person, "1", given)
        customs = Customs(substitute="random")
        seat = people.new_table(transaction, "hanabi-very-small", GAME, [None], person=found[0], customs=customs)
        gathering.sit_down(transaction, gathering.invite(transaction, seat.attempt, 1), found[1])
        transaction.execute(update(Table).where(Table.attempt_id == seat.attempt).values(status="done"))
        if stood_in is not None:
            change = update(Place).where(Place.attempt_id == seat.attempt, Place.seat == stood_in)
            transaction.execute(change.values(stood_in=True))
    return found


def test_a_game_is_exported_only_if_everybody_agreed_and_without_the_seats_of_substitutes(sqlite_house: House) -> None:
    for agreed in ((True, False), (False, True), (False, False)):
        finished(sqlite_house, agreed)
    one, two = finished(sqlite_house, (True, True))
    left = finished(sqlite_house, (True, True), stood_in=0)
    with sqlite_house.database.read() as transaction:
        (games,) = agreed_games(transaction).values()
    assert [game.people for game in games] == [{0: one, 1: two}, {1: left[1]}]
    assert erase_person(sqlite_house.database, two, "asked") == 1  # with what the other did in that game
    with sqlite_house.database.read() as transaction:
        assert [game.people for (games,) in [agreed_games(transaction).values()] for game in games] == [{1: left[1]}]
    assert json.loads(games[0].record.partners) == []
