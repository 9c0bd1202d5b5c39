"""What somebody who has played before knows of the deals to come: nothing."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from coplay.challenge.errors import ChallengeError
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.ledger.hosting import host
from coplay.serve.store.models import Attempt
from tests.serve.harness import House, rules

GAMES = 20


def first_views(house: House, attempt: Attempt) -> list[bytes]:
    """The first view of every game: the hands of the others, by which a deal is known again."""
    seen: dict[int, bytes] = {}
    for message in house.sit(attempt).hear("turns"):
        rows = np.frombuffer(base64.b64decode(message["vector"]), np.uint8).reshape(len(message["game"]), -1)
        seen |= {game: row.tobytes() for game, row in zip(message["game"], rows, strict=True)}
    return [seen[game] for game in sorted(seen)]


def full_sized(deals: str) -> str:
    """Ten cards are on the table, so that no two deals look alike by chance."""
    text = rules(games=GAMES, deals=deals, attempts=2).replace("hanabi-very-small", "hanabi")
    return text.replace("settings = { life_tokens = 9 }\n", "")


@pytest.mark.parametrize(("deals", "known"), [("own", 0), ("shared", GAMES)])
def test_a_second_attempt_and_a_second_registration_meet_no_deal_again_unless_deals_are_shared(
    url: str, deals: str, known: int
) -> None:
    house = House(url, full_sized(deals))
    entrant, _ = house.enter("first name")
    met: set[bytes] = set()
    for who in (entrant, entrant, house.enter("second name")[0]):
        with house.database.write() as transaction:
            attempt = open_attempt(transaction, who, "eval")
        views = set(first_views(house, attempt))
        assert len(views) == GAMES
        assert not met or len(views & met) == known
        met |= views
        with house.database.write() as transaction:
            transaction.get_one(Attempt, attempt.id).status = "finished"
    house.close()


def test_a_host_cannot_make_deals_that_come_again_without_saying_so(house: House) -> None:
    text = rules().replace("accept_repeats = true\n", "")
    with pytest.raises(ChallengeError, match="can be met twice"), house.database.write() as transaction:
        host.new_challenge(transaction, "learned", text)
    with house.database.write() as transaction:
        made = host.new_challenge(transaction, "safe", text.replace('deals = "shared"', ""))
        assert made.rules.startswith("edition = 2\n")
