"""Fits the tastes of the community to games that were played: which reasons count how much for whom.

usage: python studies/fit_community.py FOLDER [--only TASTE] [--write]

FOLDER holds the files named in `TASTES`, in the AH2AC2 format. Every decision (only the person's where a file marks
`human_seat`) is a choice among the legal moves, each with its reasons (deciding/reasons.py). The weights that make the
choices most likely are found by a conditional logit with a small penalty. Folds by game say how well they predict games
they were not fitted to: nats per decision, per seat and turn (AH2AC2's unit), accuracy; for the taste itself and for
members who keep away from moves that the conventions do not allow. `--write` keeps the weights in the package.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from scipy.optimize import minimize

from coplay.data.people import counting_seats
from coplay.worlds.hanabi.bots.hgroup.agent import action_id
from coplay.worlds.hanabi.bots.hgroup.analyse import advance, open_table
from coplay.worlds.hanabi.bots.hgroup.deciding.habits import USUAL
from coplay.worlds.hanabi.bots.hgroup.deciding.reasons import choices
from coplay.worlds.hanabi.bots.hgroup.deciding.tastes import FACTS_MATTER, SHIPPED, kind_of
from coplay.worlds.hanabi.recordings import Games, load_games

PENALTY = 1e-4
FOLDS = 5


class Source(NamedTuple):
    """Games of a taste."""

    file: str
    weight: float  # of one decision
    level: int = 5  # how far the players know the conventions


PEOPLE = Source("ah2ac2_3p_val_train.safetensors", 1.0)  # coplay data split ah2ac2_3p_val.safetensors --train 199
TASTES = {
    "people": [PEOPLE],  # three players
    # With two players there are no games of people who know conventions; a program shows what changes.
    "pairs": [PEOPLE, Source("hgroup_2p.safetensors", 0.3)],
    "beginners": [Source("eger_2p_human_ai.safetensors", 1.0, level=1)],
}
MEMBERS = [(0.0, 1.0, 0.0), (2.0, 1.0, 0.0), (3.0, 1.0, 0.0), (5.0, 1.0, 0.0), (3.0, 0.7, 1.0)]  # care, nerve, book


class Decisions(NamedTuple):
    """Rows are legal moves, those of one decision side by side."""

    names: list[str]
    reasons: sparse.csr_matrix  # [rows, names]
    begins: np.ndarray  # int [decisions]: the first row of each
    made: np.ndarray  # int [decisions]: the row of the move that was made
    sound: np.ndarray  # bool [rows]
    game: np.ndarray  # int [decisions]
    weight: np.ndarray  # float [decisions]
    players: int

    @property
    def owner(self) -> np.ndarray:
        """int [rows]: the decision a row belongs to."""
        return np.repeat(np.arange(len(self.begins)), np.diff(np.append(self.begins, len(self.sound))))

    def only(self, keep: np.ndarray) -> Decisions:
        """The decisions where `keep` is True."""
        owner = self.owner
        rows = keep[owner]
        sizes = np.diff(np.append(self.begins, len(self.sound)))[keep]
        begins = np.append(0, np.cumsum(sizes)[:-1]).astype(int)
        made = begins + (self.made - self.begins)[keep]
        return self._replace(
            reasons=self.reasons[rows],
            begins=begins,
            made=made,
            sound=self.sound[rows],
            game=self.game[keep],
            weight=self.weight[keep],
        )


def decisions(games: Games, level: int) -> Decisions:
    """What every mover could do, and did."""
    index: dict[str, int] = {}
    entries: list[tuple[int, int, float]] = []
    begins, made, sound, number = [], [], [], []
    people = counting_seats(games.extra, len(games), games.players)
    for row in range(len(games)):
        deck = (games.decks[row] @ np.array([5, 1])).tolist()
        tables = [open_table(deck, games.players, seat, level) for seat in range(games.players)]
        for action in games.actions[row, : games.lengths[row]].tolist():
            mine = tables[tables[0].actor]
            if people[row, mine.viewer]:
                facts, found = choices(mine, USUAL)
                begins.append(len(sound))
                number.append(row)
                for choice in found:
                    if action_id(mine, choice.move) == action:
                        made.append(len(sound))
                    kind = kind_of(choice)
                    reasons = dict(choice.reasons)
                    if kind in FACTS_MATTER:
                        reasons |= {f"{kind}, {fact}": value for fact, value in facts.items()}
                    entries += [
                        (len(sound), index.setdefault(name, len(index)), value)
                        for name, value in reasons.items()
                        if value
                    ]
                    sound.append(choice.sound)
            for table in tables:
                advance(table, deck, action)
    rows, columns, values = zip(*entries, strict=True)
    matrix = sparse.csr_matrix((values, (rows, columns)), shape=(len(sound), len(index)))
    return Decisions(
        list(index),
        matrix,
        np.array(begins),
        np.array(made),
        np.array(sound),
        np.array(number),
        np.ones(len(begins)),
        games.players,
    )


def log_chances(liking: np.ndarray, data: Decisions, owner: np.ndarray) -> np.ndarray:
    """log softmax within each decision."""
    shifted = liking - np.maximum.reduceat(liking, data.begins)[owner]
    return shifted - np.log(np.add.reduceat(np.exp(shifted), data.begins))[owner]


def fit(data: Decisions, penalty: float = PENALTY) -> np.ndarray:
    """The weights of the reasons that make the moves most likely."""
    owner = data.owner
    matrix, flipped = data.reasons, data.reasons.T.tocsr()
    total = data.weight.sum()
    seen = flipped[:, data.made] @ data.weight
    share = data.weight[owner]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        logs = log_chances(matrix @ weights, data, owner)
        value = -(logs[data.made] * data.weight).sum() / total + penalty * weights @ weights / 2
        return value, (flipped @ (np.exp(logs) * share) - seen) / total + penalty * weights

    start = np.zeros(len(data.names))
    found: Any = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 400})
    return found.x


def judge(data: Decisions, weights: np.ndarray, care: float = 0.0, nerve: float = 1.0, book: float = 0.0) -> np.ndarray:
    """float [decisions, 2]: loss and whether the likeliest move was made."""
    liking = data.reasons @ weights - care * ~data.sound
    if book:
        liking += book * data.reasons[:, [data.names.index("by the book")]].toarray().ravel()
    logs = log_chances(liking / nerve, data, data.owner)
    best = np.maximum.reduceat(logs, data.begins)
    return np.stack([-logs[data.made], logs[data.made] >= best - 1e-12], 1)


def join(parts: list[Decisions]) -> Decisions:
    """All decisions of several sets, with the reasons of all."""
    names = sorted(set().union(*(part.names for part in parts)))
    place = {name: column for column, name in enumerate(names)}
    matrices = []
    for part in parts:
        entries = part.reasons.tocoo()
        columns = np.array([place[name] for name in part.names])[entries.col]
        shape = (len(part.sound), len(names))
        matrices.append(sparse.csr_matrix((entries.data, (entries.row, columns)), shape=shape))
    rows = np.cumsum([0, *(len(part.sound) for part in parts)])
    games = np.cumsum([0, *(part.game.max() + 1 for part in parts)])
    return Decisions(
        names,
        sparse.csr_matrix(sparse.vstack(matrices)),
        np.concatenate([part.begins + row for part, row in zip(parts, rows, strict=False)]),
        np.concatenate([part.made + row for part, row in zip(parts, rows, strict=False)]),
        np.concatenate([part.sound for part in parts]),
        np.concatenate([part.game + game for part, game in zip(parts, games, strict=False)]),
        np.concatenate([part.weight for part in parts]),
        parts[0].players,
    )


def cross_validate(data: Decisions, first: int) -> None:
    """Prints how well weights predict games they were not fitted to, in the games numbered below `first`."""
    results = {member: np.zeros((len(data.begins), 2)) for member in MEMBERS}
    for fold in range(FOLDS):
        held = data.game % FOLDS == fold
        weights = fit(data.only(~held))
        for member in MEMBERS:
            results[member][held] = judge(data.only(held), weights, *member)
    asked = data.game < first
    sound = data.sound[data.made[asked]].mean()
    print(f"{asked.sum()} decisions, {len(data.names)} reasons; {sound:.1%} of the moves are sound")
    print(f"{'care':>6}{'nerve':>7}{'book':>6}{'nats':>8}{'seat-turn':>11}{'accuracy':>10}   ({FOLDS} folds by game)")
    for (care, nerve, book), rows in results.items():
        loss, right = rows[asked].mean(0)
        print(f"{care:>6}{nerve:>7}{book:>6}{loss:>8.3f}{loss / data.players:>11.3f}{right:>10.1%}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=list(TASTES))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    kept = json.loads(SHIPPED.read_text()) if SHIPPED.is_file() else {}
    for name in [options.only] if options.only else TASTES:
        parts = []
        for source in TASTES[name]:
            part = decisions(load_games(options.folder / source.file, check=False), source.level)
            parts.append(part._replace(weight=part.weight * source.weight))
        data = join(parts)
        print(f"{name}: {', '.join(source.file for source in TASTES[name])}; judged by the first")
        cross_validate(data, int(parts[0].game.max()) + 1)
        kept[name] = {reason: round(float(w), 3) for reason, w in zip(data.names, fit(data), strict=True)}
    if options.write:
        SHIPPED.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
