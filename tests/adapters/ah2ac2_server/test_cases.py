"""The cases of AH2AC2, 4 with two players and 18 with three, with a client like the official one; the last tests take
the official one itself, where it is installed."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")


from coplay.challenge.log import unpack
from coplay.challenge.outcome.verify import read_export, verify_export
from coplay.challenge.rules import DEMO, read_rules
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.closing import close_and_score
from coplay.serve.ledger.hosting.export import write_export
from coplay.serve.ledger.hosting.host import Keys
from tests.adapters.ah2ac2_server.harness import Host, first, next_game
from tests.serve.serving import wait_for

HABITS = Path(__file__).parents[2] / "own" / "habits.py"
CASES = {"2p": 4, "3p": 18}
SMALL = 'game = "hanabi-very-small"\nsettings = { life_tokens = 3 }'


def demo_in_miniature() -> str:
    """The rules of the challenge of `coplay serve` with each of its cases once."""
    games, *_ = DEMO.read_text().split("[[prediction]]")  # that client asks for none
    for name, cases in CASES.items():
        games, changed = re.subn(rf'(name = "{name}"[^[]*)games = \d+', rf"\g<1>games = {cases}", games)
        assert changed == 1
    return games


def demo_with_habits() -> str:
    """The same with a game and partners that cost nothing, and answers that come at once."""
    text = demo_in_miniature().replace('game = "hanabi"', SMALL).replace("[clock]", "answer_floor = 0\n[clock]")
    text = re.sub(r"pool:hanabi-.p-proxy-(.)", lambda one: f"file:{HABITS}:Habit?plays={one[1] == '0'}", text)
    return re.sub("rehearsal = .*", 'rehearsal = ["random"]', text)


def enter(app: Host, id: str, text: str) -> str:
    """A new challenge and somebody's key for it."""
    with app.server.database.write() as transaction:
        host.new_challenge(transaction, id, text)
        host.open_challenge(transaction, id)
        _, found = host.register(transaction, id, "entrant", "m", "c", "none")
    assert found is not None
    return found.evaluation


def played_cases(app: Host, id: str, folder: Path) -> list[dict[str, Any]]:
    """The games of the challenge's one attempt as an export has them, when every case of AH2AC2 was played to its end
    and the export has been verified."""
    assert close_and_score(app.server.database, id) == 0  # nothing was cut off
    write_export(app.server.database, id, f"{folder}/{id}.gz")
    assert any("22 games drawn and replayed again, every score" in line for line in verify_export(f"{folder}/{id}.gz"))
    (attempt,) = read_export(f"{folder}/{id}.gz")["attempts"]
    assert (attempt["status"], {one["status"] for one in attempt["tables"]}) == ("finished", {"done"})
    rules = read_rules(read_export(f"{folder}/{id}.gz")["challenge"]["rules"])
    expected = Counter(
        (one.name, ",".join(map(str, seats)), company)
        for one in rules.configurations
        for count in range(1, one.make().players)
        for seats in itertools.combinations(range(one.make().players), count)
        for company in itertools.product(one.partners, repeat=one.make().players - count)
    )
    assert Counter(name for name, *_ in expected) == CASES
    played = [(one["configuration"], one["seats"], tuple(json.loads(one["partners"]))) for one in attempt["tables"]]
    assert Counter(played) == expected
    return attempt["tables"]


def test_every_case_of_ah2ac2_is_played_with_each_partner_in_its_own_seat(app: Host, tmp_path: Path) -> None:
    key = enter(app, "habits", demo_with_habits())
    scores = []
    while not app.info(key).json()["human_ai_eval_done"]:
        scores.append(next_game(app, key).play(first)[-1]["score"])
    wait_for(lambda: all(one["score"] is not None for one in app.info(key).json()["all_envs"]))
    assert [one["score"] for one in app.info(key).json()["all_envs"]] == scores
    for game in played_cases(app, "habits", tmp_path):
        players, mine = int(game["configuration"][0]), [int(seat) for seat in game["seats"].split(",")]
        others = [seat for seat in range(players) if seat not in mine]
        for seat, partner in zip(others, json.loads(game["partners"]), strict=True):
            moves = [unpack(one)[0] for one in game["actions"][seat::players]]
            assert moves
            assert {move == 2 for move in moves} == {partner.endswith("plays=True")}  # 2: play the first card


@pytest.fixture
def official(app: Host, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of the official client. It is on GitHub (FLAIROx/ah2ac2) only: where it is not installed,
    COPLAY_AH2AC2_CLIENT names the folder that holds its package `ah2ac2`."""
    if folder := os.environ.get("COPLAY_AH2AC2_CLIENT"):
        monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("AH2AC2_EVALUATION_BASE_URL", app.base)
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.setenv(name, str(app.certificate))
    return pytest.importorskip("ah2ac2.evaluation.evaluation_space", reason="no official client: see the docstring")


async def play_official(environment: Any, choose: Callable[[list[int]], int] = first) -> Any:
    """One game as the example scripts of the official client play it."""
    observations, legal = await environment.reset()
    mine = environment.info.candidate_controlling
    done = False
    while not done:
        assert set(observations) == set(legal) == set(mine)
        actions = {name: choose(legal[name].tolist()) for name in mine}
        observations, _, done, legal = await environment.step(actions)
    return environment


def test_the_official_client_plays_test_and_official_games(app: Host, keys: Keys, official: Any) -> None:
    test = official.EvaluationSpace(keys.test)
    for players, seats in ((2, [1]), (3, [0, 2])):
        played = asyncio.run(play_official(test.new_test_environment(players, seats)))
        assert (played.info.num_players, played.info.is_debug) == (players, True)
    space, scores = official.EvaluationSpace(keys.evaluation), []
    while not space.info.human_ai_eval_done:
        scores.append(asyncio.run(play_official(space.next_environment())).score)
    wait_for(lambda: all(one.score is not None for one in space.info.all_envs))
    assert [one.score for one in space.info.all_envs] == scores

    async def one_more() -> None:
        environment = space.next_environment()
        with pytest.raises(RuntimeError, match="spent"):
            await environment.reset()
        await environment.connection.close()  # the client leaves it open

    asyncio.run(one_more())


def careful(legal: list[int]) -> int:
    """Of the demo's games: discards or else hints, and so loses no life."""
    return next(action for action in (*range(5), *range(10, len(legal))) if legal[action])


def test_the_official_client_plays_every_case_of_the_demo(app: Host, tmp_path: Path, official: Any) -> None:
    space, seated = official.EvaluationSpace(enter(app, "miniature", demo_in_miniature())), {}
    while not space.info.human_ai_eval_done:
        played = asyncio.run(play_official(space.next_environment(), careful))
        assert not played.info.is_debug
        seated[f"{played.info.game_id:016x}"] = played.info.candidate_controlling
    wait_for(lambda: all(one.score is not None for one in space.info.all_envs))
    games = played_cases(app, "miniature", tmp_path)
    assert seated == {one["id"]: [f"agent_{seat}" for seat in one["seats"].split(",")] for one in games}
