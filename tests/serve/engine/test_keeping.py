"""A server holds a few kinds of tables ready, not every kind that somebody has ever sat down to."""

from __future__ import annotations

import gc
import weakref

from coplay.serve.engine.arrivals import Command
from coplay.serve.engine.programs import programs_of
from coplay.serve.ledger.people import new_table
from tests.serve.harness import Client, House


def sit_down(house: House, players: int) -> Client:
    """A person at a table of a kind of its own."""
    with house.database.write() as transaction:
        made = new_table(transaction, "hanabi-very-small", {"players": players}, ["random"] * (players - 1))
    return house.sit(made.attempt, kind="person")


def kinds(house: House) -> set[int]:
    return {batch.game.players for batch in house.engine.tables.batches()}


def forget(house: House, players: int) -> None:
    """Takes tables out of memory."""
    for live in [one for one in house.engine.tables.live.values() if one.dealt.batch.game.players == players]:
        house.engine.tables.forget(live)


def test_kinds_that_nobody_uses_are_let_go_and_come_back_when_somebody_asks(sqlite_house: House) -> None:
    house = sqlite_house
    house.engine.keeping.kinds = 0
    stays, goes = sit_down(house, 2), sit_down(house, 3)
    held = [one for one in house.engine.tables.batches() if one.game.players == 3]
    programs = weakref.ref(programs_of(held[0].game).advance)
    assert house.engine.keeping.sweep() == 0  # somebody sits at each
    before = goes.hear("turns")[-1]
    goes.leave()
    forget(house, 3)  # as after ten minutes without anybody
    held.clear()
    assert house.engine.keeping.sweep() == 1
    gc.collect()
    assert kinds(house) == {2}
    assert programs() is None  # and so is what was compiled
    assert not [need for need in house.engine.preparations._ready if need.batch.game.players == 3]
    assert stays.play(moves=1) == 1

    again = house.sit(goes.session.attempt, kind="person")
    assert again.hear("turns")[-1]["vector"] == before["vector"]
    assert kinds(house) == {2, 3}


def test_of_the_kinds_that_nobody_uses_those_left_last_stay(sqlite_house: House) -> None:
    house = sqlite_house
    house.engine.keeping.kinds = 1
    for players in (2, 3):
        sit_down(house, players).leave()
        forget(house, players)
        house.engine.keeping.sweep()
    assert kinds(house) == {3}
    house.engine.round([Command(house.engine.tick)])  # also by itself
    assert kinds(house) == {3}


def test_what_an_open_challenge_needs_is_never_let_go(sqlite_house: House) -> None:
    house = sqlite_house
    house.engine.keeping.kinds = 0
    house.engine.expected = house.engine.tables.expected()
    assert house.engine.keeping.sweep() == 0
    assert len(house.engine.tables.batches()) == 1
