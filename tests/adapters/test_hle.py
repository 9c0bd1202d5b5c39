"""The rl_env adapter returns what the reference's rl_env returned, and refuses what would have crashed it."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from coplay.adapters import hle
from coplay.adapters.pyhanabi import HanabiEndOfGameType

GAMES = json.loads(gzip.decompress((Path(__file__).parents[1] / "golden/rl_env/games.json.gz").read_bytes()))
PLAY_FIRST = {"action_type": "PLAY", "card_index": 0}


def plain(observation):
    """A player's dictionary with its `pyhanabi` object in words, as the recorder writes it."""
    observation = dict(observation)
    seen = observation.pop("pyhanabi")
    observation["vectorized"] = "".join(map(str, observation["vectorized"]))
    words = {
        **observation,
        "last_moves": [history(item) for item in seen.last_moves()],
        "knowledge": [[str(card) for card in hand] for hand in seen.card_knowledge()],
        "hands": [[str(card) for card in hand] for hand in seen.observed_hands()],
        "table": [seen.fireworks(), seen.deck_size(), seen.information_tokens(), seen.life_tokens()],
        "pile": [str(card) for card in seen.discard_pile()],
        "moves": [str(move) for move in seen.legal_moves()],
        "playable": [seen.card_playable_on_fireworks(0, rank) for rank in range(5)],
    }
    return json.loads(json.dumps(words))


def history(item):
    touched = [item.card_info_revealed(), item.card_info_newly_revealed()]
    card = [item.color(), item.rank(), item.scored(), item.information_token()]
    return [str(item.move()), item.player(), item.deal_to_player(), *card, *touched]


def full_deck(env, deals):
    """The recorded deals, then the cards never reached in any order."""
    left = [(c, r) for c in range(env.game.num_colors()) for r in range(5) for _ in range(env.game.num_cards(c, r))]
    for card in deals:
        left.remove(tuple(card))
    return np.asarray([*deals, *left])


@pytest.fixture(scope="module")
def env():
    return hle.HanabiEnv({"players": 2, "seed": 7})


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_every_dictionary_of_a_recorded_game_is_the_references(number):
    game = GAMES[number]
    env = hle.HanabiEnv(game["config"])
    seen = env.deal(full_deck(env, game["deals"]), game["start"])
    assert [plain(mine) for mine in seen["player_observations"]] == game["first"]
    for turn in game["turns"]:
        seen, reward, done, info = env.step(turn["move"])
        assert [plain(mine) for mine in seen["player_observations"]] == turn["after"]
        assert (reward, done, info) == (turn["reward"], turn["done"], {})
        assert seen["current_player"] == turn["after"][0]["current_player"]
    assert [env.state.end_of_game_status(), env.state.score()] == game["end"]
    assert env.state.is_terminal()


def test_consecutive_games_differ_and_a_seed_repeats_them(env):
    def series(seed):
        table = hle.HanabiEnv({"players": 2, "seed": seed})
        return [table.reset()["player_observations"][0]["vectorized"] for _ in range(2)]

    first, second = series(3)
    assert first != second
    assert [first, second] == series(3)
    assert [first, second] != series(4)


def test_a_move_is_an_id_or_a_dictionary_of_the_list(env):
    by_id, by_dict = hle.HanabiEnv({"players": 2, "seed": 1}), hle.HanabiEnv({"players": 2, "seed": 1})
    mine = by_id.reset()["player_observations"][0]
    by_dict.reset()
    for action, move in zip(mine["legal_moves_as_int"], mine["legal_moves"], strict=True):
        assert by_id.game.get_move(action).to_dict() == move
    action, move = mine["legal_moves_as_int"][-1], mine["legal_moves"][-1]
    vectors = [table.step(choice)[0] for table, choice in ((by_id, np.int64(action)), (by_dict, move))]
    assert vectors[0]["player_observations"][1]["vectorized"] == vectors[1]["player_observations"][1]["vectorized"]


def test_an_illegal_move_is_refused_with_the_legal_ones_and_changes_nothing(env):
    before = env.reset()["player_observations"][0]
    with pytest.raises(
        ValueError, match=r"illegal move \(Discard 0\), given as 0; player 0 may choose from 5 \(Play 0\)"
    ):
        env.step(0)
    with pytest.raises(ValueError, match=r"illegal move \(Play 9\)"):
        env.step({"action_type": "PLAY", "card_index": 9})
    with pytest.raises(ValueError, match="illegal move 99"):
        env.step(99)
    assert env.state.observation(0).legal_moves() == before["pyhanabi"].legal_moves()


@pytest.mark.parametrize(
    "action", [None, "PLAY", True, {}, {"action_type": "FOLD"}, {"action_type": "PLAY"}, {"card_index": 0}]
)
def test_what_is_no_move_is_an_error_with_an_example(env, action):
    env.reset()
    with pytest.raises(ValueError, match=r"write for example|such as"):
        env.step(action)


def test_after_the_end_only_reset_helps(env):
    env.reset()
    done = False
    while not done:
        *_, done, _ = env.step(PLAY_FIRST)
    assert env.state.end_of_game_status() == HanabiEndOfGameType.OUT_OF_LIFE_TOKENS
    with pytest.raises(ValueError, match="over; call reset"):
        env.step(PLAY_FIRST)
    with pytest.raises(ValueError, match="no game has begun"):
        hle.make().step(PLAY_FIRST)


@pytest.mark.parametrize(
    ("name", "players", "moves", "bits"),
    [
        ("Hanabi-Full", 5, 48, 1280),
        ("Hanabi-Full-CardKnowledge", 2, 20, 658),
        ("Hanabi-Full-Minimal", 2, 20, 308),
        ("Hanabi-Small", 2, 11, 171),
        ("Hanabi-Very-Small", 2, 10, 106),
    ],
)
def test_the_references_environments_have_their_sizes(name, players, moves, bits):
    env = hle.make(name, num_players=players)
    assert (env.players, env.num_moves(), env.vectorized_observation_shape()) == (players, moves, [bits])


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"players": 6}, "players=6"),
        ({"player": 2}, "unknown setting 'player'"),
        ({"observation_type": 3}, "observation_type=3"),
    ],
)
def test_a_wrong_setting_is_named(config, message):
    with pytest.raises(ValueError, match=message):
        hle.HanabiEnv(config)


def test_an_unknown_environment_is_named():
    with pytest.raises(ValueError, match="unknown environment 'Hanabi-Huge'; choose one of Hanabi-Full"):
        hle.make("Hanabi-Huge")


def test_an_agent_says_what_it_lacks():
    class Silent(hle.Agent):
        def __init__(self, config):
            pass

    with pytest.raises(NotImplementedError, match="write act"):
        Silent({}).act({})
