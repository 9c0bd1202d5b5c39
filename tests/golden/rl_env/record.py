"""Records games of the Hanabi Learning Environment's rl_env, every dictionary it returns: games.json.gz.

Runs where that package is installed, not here: python record.py games.json.gz
"""

import gzip
import json
import random
import sys
from pathlib import Path

from hanabi_learning_environment import pyhanabi, rl_env  # pyright: ignore[reportMissingImports]

SMALL = {"colors": 2, "ranks": 5, "hand_size": 2, "max_information_tokens": 3, "max_life_tokens": 1}
CONFIGS = [
    {"players": 2},
    {"players": 2, **SMALL, "observation_type": 0},
    {"players": 3, **SMALL, "colors": 1, "max_life_tokens": 2, "observation_type": 2, "random_start_player": True},
]


def plain(observation):
    """A player's dictionary with its `pyhanabi` object in words."""
    seen = observation.pop("pyhanabi")
    observation["vectorized"] = "".join(map(str, observation["vectorized"]))
    return {
        **observation,
        "last_moves": [history(item) for item in seen.last_moves()],
        "knowledge": [[str(card) for card in hand] for hand in seen.card_knowledge()],
        "hands": [[str(card) for card in hand] for hand in seen.observed_hands()],
        "table": [seen.fireworks(), seen.deck_size(), seen.information_tokens(), seen.life_tokens()],
        "pile": [str(card) for card in seen.discard_pile()],
        "moves": [str(move) for move in seen.legal_moves()],
        "playable": [seen.card_playable_on_fireworks(0, rank) for rank in range(5)],
    }


def history(item):
    touched = [item.card_info_revealed(), item.card_info_newly_revealed()]
    card = [item.color(), item.rank(), item.scored(), item.information_token()]
    return [str(item.move()), item.player(), item.deal_to_player(), *card, *touched]


def choose(env, observation, chance):
    """Plays cards that fit, now and then anything: long games with bonus tokens and lost lives."""
    state, legal = env.state, observation["legal_moves"]
    hand = state.player_hands()[state.cur_player()]
    fits = [slot for slot, card in enumerate(hand) if state.card_playable_on_fireworks(card.color(), card.rank())]
    draw = chance.random()
    if fits and draw < 0.3:
        return {"action_type": "PLAY", "card_index": chance.choice(fits)}
    careful = [move for move in legal if move["action_type"] != "PLAY"]
    return chance.choice(careful if careful and draw < 0.95 else legal)


def play(config, seed):
    env = rl_env.HanabiEnv({**config, "seed": seed})
    chance = random.Random(seed)
    seen, done, turns = env.reset(), False, []
    start, first = seen["current_player"], [plain(dict(mine)) for mine in seen["player_observations"]]
    while not done:
        move = choose(env, seen["player_observations"][seen["current_player"]], chance)
        seen, reward, done, _ = env.step(move)
        after = [plain(dict(mine)) for mine in seen["player_observations"]]
        turns.append({"move": move, "reward": reward, "done": done, "after": after})
    items = [item.move() for item in env.state.move_history()]
    deals = [(move.color(), move.rank()) for move in items if move.type() == pyhanabi.HanabiMoveType.DEAL]
    end = [int(env.state.end_of_game_status()), env.state.score()]
    return {"config": config, "start": start, "deals": deals, "first": first, "turns": turns, "end": end}


if __name__ == "__main__":
    games = [play(config, seed) for config in CONFIGS for seed in (1, 2)]
    Path(sys.argv[1]).write_bytes(gzip.compress(json.dumps(games).encode(), mtime=0))
    print([(len(game["turns"]), game["end"]) for game in games])
