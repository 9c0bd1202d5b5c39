"""Small files that PyTorch wrote, and what its own layers make of them (answers.npz). Runs where torch is:

python record.py FOLDER

The networks are stated here from the papers and published files, with PyTorch's layers: dense layers, an LSTM and a
head (SAD, Other-Play), a private and a public network (OBL), convolutions, a GRU and normalisations (ZSC-Eval). They
are narrower than the published ones. `sad_2p.pthw` is in the form that PyTorch wrote before 1.6, as SAD's are.
"""

import itertools
import sys
from pathlib import Path

import numpy as np
import torch  # pyright: ignore[reportMissingImports]
from torch import nn  # pyright: ignore[reportMissingImports]

TURNS, HIDDEN = 30, 8
WIDTH, HEIGHT, LAYERS, FILTERS = 5, 4, 20, (3, 5, 2)


class Recurrent(nn.Module):
    """SAD: dense layers, two layers of an LSTM, a head; perhaps what enters the memory is added to what it shows."""

    def __init__(self, inputs, dense, skip, actions=21):
        super().__init__()
        self.skip = skip
        sizes = [inputs, *[HIDDEN] * dense]
        parts = [part for a, b in itertools.pairwise(sizes) for part in (nn.Linear(a, b), nn.ReLU())]
        self.net = nn.Sequential(*parts)
        self.lstm = nn.LSTM(HIDDEN, HIDDEN, num_layers=2)
        self.fc_v, self.fc_a = nn.Linear(HIDDEN, 1), nn.Linear(HIDDEN, actions)
        self.pred_1st = nn.Linear(HIDDEN, 15)

    def forward(self, seen):
        entering = self.net(seen)
        shown, _ = self.lstm(entering)
        return self.fc_a(shown + entering if self.skip else shown)


class PublicMemory(nn.Module):
    """OBL: three dense layers over the whole view, an LSTM over its public part, their product."""

    def __init__(self):
        super().__init__()
        widths = [658, HIDDEN, HIDDEN, HIDDEN]
        parts = [part for a, b in itertools.pairwise(widths) for part in (nn.Linear(a, b), nn.ReLU())]
        self.priv_net = nn.Sequential(*parts)
        self.publ_net = nn.Sequential(nn.Linear(533, HIDDEN), nn.ReLU())
        self.lstm = nn.LSTM(HIDDEN, HIDDEN, num_layers=2)
        self.fc_v, self.fc_a, self.pred_1st = nn.Linear(HIDDEN, 1), nn.Linear(HIDDEN, 21), nn.Linear(HIDDEN, 15)

    def forward(self, seen):
        shown, _ = self.lstm(self.publ_net(seen[..., 125:]))
        return self.fc_a(self.priv_net(seen) * shown)


class Actor(nn.Module):
    """ZSC-Eval: three convolutions that keep the kitchen's size, three dense layers, a GRU, a head."""

    def __init__(self):
        super().__init__()
        parts, channels = [], LAYERS
        for filters in FILTERS:
            parts += [nn.Conv2d(channels, filters, 3, padding=1), nn.ReLU()]
            channels = filters
        parts += [nn.Flatten()]
        for inputs in (channels * WIDTH * HEIGHT, HIDDEN, HIDDEN):
            parts += [nn.Linear(inputs, HIDDEN), nn.ReLU(), nn.LayerNorm(HIDDEN)]
        self.base = nn.Module()
        self.base.cnn = nn.Sequential(*parts)
        self.rnn = nn.Module()
        self.rnn.rnn, self.rnn.norm = nn.GRU(HIDDEN, HIDDEN), nn.LayerNorm(HIDDEN)
        self.act = nn.Module()
        self.act.action_out = nn.Module()
        self.act.action_out.linear = nn.Linear(HIDDEN, 6)

    def forward(self, layers):
        """[steps, x, y, layer]; its game multiplies by 255 and its network divides by it."""
        features = self.base.cnn(layers.permute(0, 3, 1, 2) * 255 / 255.0)
        shown, _ = self.rnn.rnn(features[:, None])
        return self.act.action_out.linear(self.rnn.norm(shown[:, 0]))


def drawn(network):
    """Weights of all sizes, the norms' too."""
    for number, weight in enumerate(network.parameters()):
        torch.manual_seed(number)
        nn.init.normal_(weight, std=0.5 if weight.ndim == 1 else 1 / weight[0].numel() ** 0.5)
    return network


def main(folder):
    rng = np.random.default_rng(0)
    bits = {n: (rng.random((TURNS, n)) < 0.2).astype(np.float32) for n in (658, 783, 838)}
    kitchen = rng.integers(0, 5, (TURNS, WIDTH, HEIGHT, LAYERS)).astype(np.float32) * (rng.random(LAYERS) < 0.5)
    answers = {f"bits_{n}": one for n, one in bits.items()} | {"kitchen": kitchen.astype(np.float32)}
    networks = {
        "obl.pthw": (PublicMemory(), bits[658], True),
        "sad_2p.pthw": (Recurrent(838, 1, False), bits[838], False),
        "iql_2p.pthw": (Recurrent(783, 1, False), bits[783], True),
        "M9.pthw": (Recurrent(838, 2, True), bits[838], True),
        "actor.pt": (Actor(), answers["kitchen"], True),
    }
    with torch.no_grad():
        for name, (network, seen, zipped) in networks.items():
            drawn(network)
            torch.save(network.state_dict(), folder / name, _use_new_zipfile_serialization=zipped)
            inputs = torch.tensor(seen) if name == "actor.pt" else torch.tensor(seen)[:, None]
            answers[name] = network(inputs).numpy().reshape(TURNS, -1)
    np.savez_compressed(folder / "answers.npz", **answers)  # pyright: ignore[reportArgumentType]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
