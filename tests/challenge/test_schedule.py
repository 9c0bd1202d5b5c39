"""Schedules: the same for everyone, balanced, fixed by a secret, checkable."""

from __future__ import annotations

from collections import Counter

import pytest

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import DEMO, dated, read_rules
from coplay.challenge.schedule import draw, new_secret, schedule_hash, secret_hash
from tests.serve.harness import rules

SECRET = "ab" * 32
TEXT = rules(games=24, partners='"random", "iggi", "piers"', players=3)


OWN = rules(games=24, partners='"random", "iggi", "piers"', players=3, deals="own")


def test_with_shared_deals_every_entrant_meets_the_same_deals_partners_and_seats_in_another_order() -> None:
    first, second = (draw(read_rules(TEXT), SECRET, attempt) for attempt in ("a", "b"))
    assert {(one.deal, one.seed, one.key, one.partners, one.seats) for one in first} == {
        (one.deal, one.seed, one.key, one.partners, one.seats) for one in second
    }
    assert [one.deal for one in first] != [one.deal for one in second]
    assert [one.number for one in first] == list(range(24))


def test_own_deals_are_everyones_own() -> None:
    first, second = (draw(read_rules(OWN), SECRET, attempt) for attempt in ("a", "b"))
    seeds = [one.seed for one in (*first, *second)]
    assert len(set(seeds)) == len(seeds)  # also within an attempt: a deal met with two partners would be recognised


def test_partners_and_seats_come_up_equally_often_together() -> None:
    counts = Counter((one.partners[0], one.seats) for one in draw(read_rules(TEXT), SECRET, "a"))
    assert len(counts) == 9
    assert max(counts.values()) - min(counts.values()) <= 1


def test_no_seed_comes_twice_and_another_secret_gives_others() -> None:
    seeds = {one.seed for one in draw(read_rules(TEXT), SECRET, "a")}
    assert len(seeds) == 24
    assert not seeds & {one.seed for one in draw(read_rules(TEXT), new_secret(), "a")}


def test_a_rehearsal_has_public_partners_and_deals_of_its_own() -> None:
    rehearsal = draw(read_rules(TEXT), SECRET, "a", rehearsal=True, games=5)
    assert len(rehearsal) == 5
    assert {one.partners[0] for one in rehearsal} == {"random"}
    assert not {one.seed for one in rehearsal} & {one.seed for one in draw(read_rules(TEXT), SECRET, "a")}


def test_the_hash_changes_with_anything_in_the_schedule() -> None:
    schedule = draw(read_rules(TEXT), SECRET, "a")
    assert schedule_hash(schedule) == schedule_hash(draw(read_rules(TEXT), SECRET, "a"))
    assert schedule_hash(schedule) != schedule_hash(schedule[1:])
    assert len(secret_hash(SECRET)) == 64


def test_the_demo_is_a_thousand_games_per_player_count_in_all_seatings_and_mixtures() -> None:
    found = read_rules(DEMO.read_text())
    assert [(one.name, one.games) for one in found.configurations] == [("2p", 1000), ("3p", 1000)]
    schedule = draw(found, SECRET, "a")
    for name, cases in (("2p", 4), ("3p", 18)):  # those of AH2AC2
        counts = Counter((one.seats, one.partners) for one in schedule if one.configuration == name)
        assert len(counts) == cases
        assert max(counts.values()) - min(counts.values()) <= 1


def test_mixed_partners_take_the_other_seats_in_every_combination() -> None:
    found = read_rules(TEXT.replace("players = 3", "players = 3\nmixed = true\nseatings = [[1], [0, 2]]"))
    companies = Counter((one.seats, one.partners) for one in draw(found, SECRET, "a", games=24))
    assert len(companies) == 9 + 3
    assert set(companies.values()) == {2}
    assert {one.partners for one in draw(found, SECRET, "a", rehearsal=True)} == {("random", "random"), ("random",)}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("games = 24", "games = 0"), "games = 0; give a whole number"),
        (("games = 24", "gmaes = 24"), "unknown entry 'gmaes'"),
        (("players = 3", "players = 9"), "players=9"),
        (("players = 3", "players = 3\nmixed = 1"), "mixed = 1; give true or false"),
        (('partners = ["random", "iggi", "piers"]', "partners = []"), "partners = \\[\\]; give a list"),
        (("move = 10", 'move = "x"'), "give a number"),
        (("move = 10", "move = -1"), "give a number"),
        (('title = "Small"', ""), "lacks title"),
        (('title = "Small"', "title = "), "is not TOML"),
        (("attempts = 1", "attempts = true"), "give a whole number"),
        (("players = 3", "players = 3\nseatings = [[0, 1, 2]]"), "at least one is a partner's"),
        (("players = 3", "players = 3\nseatings = [[5]]"), "seats are 0 to 2"),
    ],
)
def test_mistakes_in_the_rules_are_explained(change: tuple[str, str], told: str) -> None:
    assert change[0] in TEXT
    with pytest.raises(ChallengeError, match=told):
        read_rules(TEXT.replace(*change))


def test_games_on_shared_deals_are_shown_only_when_the_challenge_is_closed() -> None:
    assert read_rules(TEXT).replays == "challenge"
    assert read_rules(OWN).replays == "attempt"


UNSAID = TEXT.replace('deals = "shared"\naccept_repeats = true\n', "")


def test_rules_that_say_nothing_of_deals_mean_own_ones_and_old_rules_what_they_meant() -> None:
    assert read_rules(dated(UNSAID)).deals == "own"
    assert read_rules(UNSAID).deals == "shared"  # kept by a server of before, without an edition
    assert draw(read_rules(UNSAID), SECRET, "a") == draw(read_rules(TEXT), SECRET, "a")
    assert dated(dated(UNSAID)) == dated(UNSAID)
    with pytest.raises(ChallengeError, match="edition = 3; choose 1 or 2"):
        read_rules("edition = 3\n" + UNSAID)
