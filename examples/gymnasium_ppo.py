"""PyTorch learns to cook with partners of the pool: PPO over coplay's Gymnasium environments, in one file.

pip install torch 'coplay[gymnasium]' coplay-pool
python examples/gymnasium_ppo.py --out cook.pt
coplay evaluate "file:examples/gymnasium_ppo.py:Learned?weights=cook.pt" --game "overcooked?layout=cramped_room" \
    --partners pool:cramped_room-ippo-0,pool:cramped_room-ippo-1,greedy-cook --games 20
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch  # pyright: ignore[reportMissingImports]
from torch import nn  # pyright: ignore[reportMissingImports]
from torch.distributions import Categorical  # pyright: ignore[reportMissingImports]

GAME = "overcooked?layout=cramped_room"
PARTNERS = ("pool:cramped_room-ippo-0", "pool:cramped_room-ippo-1")
ENVS, TURNS, EPOCHS, PARTS = 64, 200, 4, 8
DISCOUNT, TRACE, CLIP, RATE = 0.99, 0.95, 0.2, 1e-3


class Network(nn.Module):
    """What is to be done, and what it is worth."""

    def __init__(self, inputs: int, actions: int, width: int = 64) -> None:
        super().__init__()
        layers = [nn.Flatten(), nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh()]
        self.body, self.actor, self.critic = nn.Sequential(*layers), nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, seen: torch.Tensor, legal: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        inner = self.body(seen.float())
        return Categorical(logits=self.actor(inner).masked_fill(~legal, -1e9)), self.critic(inner)[:, 0]


class Learned:
    """The trained network as an agent of coplay; it is asked once for all games of its seat."""

    name = "learned"

    def __init__(self, weights: str = "cook.pt") -> None:
        kept = torch.load(weights, weights_only=True)
        self.network = Network(kept["inputs"], kept["actions"])
        self.network.load_state_dict(kept["weights"])

    def reset_batch(self, seat, players, seeds):
        self.chance = torch.Generator().manual_seed(int(seeds[0]))

    def act_batch(self, views):
        """Draws as it did while it learned: the surest move of a cook that is not sure may be to stand still."""
        with torch.no_grad():
            choices, _ = self.network(torch.from_numpy(views.vector), torch.from_numpy(views.legal))
        return torch.multinomial(choices.probs, 1, generator=self.chance)[:, 0].tolist()


def tensors(*arrays: np.ndarray) -> tuple[torch.Tensor, ...]:
    return tuple(torch.from_numpy(np.ascontiguousarray(one)) for one in arrays)


@torch.no_grad()
def collect(
    envs, network: Network, seen: np.ndarray, scores: list[float]
) -> tuple[np.ndarray, dict[str, torch.Tensor]]:
    """Plays `TURNS` decisions everywhere; a game that the clock cut off is worth what its last position is."""
    rows: dict[str, list[torch.Tensor]] = {
        name: [] for name in ("seen", "legal", "action", "log", "value", "reward", "done")
    }
    for _ in range(TURNS):
        vector, legal = tensors(seen, envs.action_masks())
        choices, value = network(vector, legal)
        action = choices.sample()
        seen, reward, ended, cut, info = envs.step(action.numpy())
        reward = reward.astype(np.float32)
        if cut.any():
            [last] = tensors(np.stack(list(info["final_obs"][cut])))
            reward[cut] += DISCOUNT * network(last, torch.ones(len(last), legal.shape[1], dtype=torch.bool))[1].numpy()
        if (ended | cut).any():
            scores += info["final_info"]["score"][ended | cut].tolist()
        now = (vector, legal, action, choices.log_prob(action), value, *tensors(reward, ended | cut))
        for column, one in zip(rows.values(), now, strict=True):
            column.append(one)
    found = {name: torch.stack(column) for name, column in rows.items()}
    after = network(*tensors(seen, envs.action_masks()))[1]
    found["gain"] = advantages(found, after)
    return seen, found


def advantages(found: dict[str, torch.Tensor], after: torch.Tensor) -> torch.Tensor:
    """Generalised advantage estimates, float [turns, envs]."""
    gains, gain = torch.zeros_like(found["value"]), torch.zeros_like(after)
    for turn in reversed(range(TURNS)):
        goes_on = 1 - found["done"][turn].float()
        surprise = found["reward"][turn] + DISCOUNT * goes_on * after - found["value"][turn]
        gain = surprise + DISCOUNT * TRACE * goes_on * gain
        gains[turn], after = gain, found["value"][turn]
    return gains


def improve(network: Network, tool: torch.optim.Optimizer, found: dict[str, torch.Tensor], entropy: float) -> None:
    flat = {name: one.flatten(0, 1) for name, one in found.items()}
    for _ in range(EPOCHS):
        for part in torch.randperm(TURNS * ENVS).chunk(PARTS):
            batch = {name: one[part] for name, one in flat.items()}
            choices, value = network(batch["seen"], batch["legal"])
            gain = (batch["gain"] - batch["gain"].mean()) / (batch["gain"].std() + 1e-8)
            ratio = (choices.log_prob(batch["action"]) - batch["log"]).exp()
            policy = torch.minimum(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            error = (value - batch["value"] - batch["gain"]).square().mean()
            loss = 0.5 * error - policy - entropy * choices.entropy().mean()
            tool.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            tool.step()


def train(game: str, partners: list[str], steps: float, out: str, seed: int = 0) -> float:
    """Learns for so many decisions; the mean score of the last hundred games."""
    from coplay.adapters.gymnasium import make_vec  # so that who only plays needs no Gymnasium

    torch.manual_seed(seed)
    torch.set_num_threads(1)  # small networks are no work for several
    envs = make_vec(game, partners, ENVS)
    shaped = hasattr(envs.game, "horizon")
    inputs, actions = int(np.prod(envs.game.observation_shape)), envs.game.num_actions
    network = Network(inputs, actions)
    tool = torch.optim.Adam(network.parameters(), RATE, eps=1e-5)
    seen, _ = envs.reset(seed=seed)
    scores: list[float] = []
    updates, begun = max(int(steps / (ENVS * TURNS)), 1), time.monotonic()
    for number in range(updates):
        left = 1 - number / updates
        envs.shaping = max(2 * left - 1, 0.0) if shaped else 0.0
        tool.param_groups[0]["lr"] = RATE * left
        seen, found = collect(envs, network, seen, scores)
        improve(network, tool, found, entropy=0.05 * left + 0.005)
        done = (number + 1) * ENVS * TURNS
        if scores and (number % 10 == 9 or number + 1 == updates):
            mean, pace = np.mean(scores[-100:]), done / (time.monotonic() - begun)
            print(f"{done:,} decisions, score {mean:.1f}, {pace:,.0f} per second", flush=True)
    torch.save({"weights": network.state_dict(), "inputs": inputs, "actions": actions}, out)
    return float(np.mean(scores[-100:])) if scores else float("nan")


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--game", default=GAME)
    options.add_argument("--partners", default=",".join(PARTNERS))
    options.add_argument("--steps", type=float, default=2e6)
    options.add_argument("--out", default="cook.pt")
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    train(chosen.game, chosen.partners.split(","), chosen.steps, chosen.out, chosen.seed)
