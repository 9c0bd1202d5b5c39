"""A random agent's loop as it is written for the Hanabi Learning Environment; only the first import is ours.

python examples/hle_random_loop.py
"""

import random

from coplay.adapters import hle as rl_env  # was: from hanabi_learning_environment import rl_env


class RandomAgent(rl_env.Agent):
    """Chooses any legal move."""

    def __init__(self, config, *args, **kwargs):
        self.config = config

    def act(self, observation):
        if observation["current_player_offset"] == 0:
            return random.choice(observation["legal_moves"])
        return None


def run(num_episodes=5, num_players=2):
    """Plays whole games and returns their scores."""
    environment = rl_env.make("Hanabi-Full", num_players=num_players)
    scores = []
    for episode in range(num_episodes):
        observations = environment.reset()
        agents = [RandomAgent({"players": num_players}) for _ in range(num_players)]
        done, episode_reward, current_player_action = False, 0, {}
        while not done:
            for agent_id, agent in enumerate(agents):
                observation = observations["player_observations"][agent_id]
                action = agent.act(observation)
                if observation["current_player"] == agent_id:
                    assert action is not None
                    current_player_action = action
                else:
                    assert action is None
            observations, reward, done, _ = environment.step(current_player_action)
            episode_reward += reward
        scores.append(episode_reward)
        print(f"episode {episode}: score {episode_reward}")
    return scores


if __name__ == "__main__":
    run()
