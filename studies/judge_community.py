"""How well does a community predict games that were played, and how well does it play? For choosing the shares.

usage: python studies/judge_community.py FOLDER GAMES RECIPE [--taste people] [--members 60] [--games 300]

Members are drawn from the recipe. Each gives every move of the recorded games (GAMES, a file in FOLDER) a probability,
with weights fitted to other games of the same folds as in fit_community.py. Whoever sat in a seat is one member for the
whole game, so after each move those who found it likely count more for the next one, as a clone with a memory would
have it. `--taste` names the taste that is fitted anew without the games that are judged; members of other tastes and
members who go by the book alone are left out.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np
from fit_community import FOLDS, PEOPLE, TASTES, Decisions, Source, decisions, fit, join, log_chances

from coplay.data.people import marks_people
from coplay.worlds.hanabi.community.recipe import Member, read_community
from coplay.worlds.hanabi.community.table_game import play_number
from coplay.worlds.hanabi.recordings import load_games


def chances(data: Decisions, weights: np.ndarray, member: Member) -> np.ndarray:
    """log probability of every legal move, [rows]."""
    habits = member.habits
    liking = data.reasons @ weights - habits.care * ~data.sound
    liking += habits.book * data.reasons[:, [data.names.index("by the book")]].toarray().ravel()
    return log_chances(liking / habits.nerve, data, data.owner)


def seats(data: Decisions, people: bool) -> np.ndarray:
    """int [decisions]: who decided, one number per seat of each game; where only the person counts, one per game."""
    if people:
        return data.game
    turn = np.arange(len(data.game)) - np.searchsorted(data.game, data.game)
    return data.game * data.players + turn % data.players


def predict(logs: np.ndarray, data: Decisions, unit: np.ndarray) -> np.ndarray:
    """float [decisions, 2]: loss and whether the likeliest move was made, by members [members, rows] of equal share."""
    owner, belief = data.owner, np.zeros((len(logs), unit.max() + 1))
    before = np.zeros((len(logs), len(unit)))  # log posterior of each member before each decision
    for decision, who in enumerate(unit):
        before[:, decision] = belief[:, who]
        belief[:, who] += logs[:, data.made[decision]]
    before -= before.max(0)
    share = np.exp(before)
    share /= share.sum(0)
    mixed = np.zeros(logs.shape[1])
    for member in range(len(logs)):
        mixed += share[member][owner] * np.exp(logs[member])
    best = np.maximum.reduceat(mixed, data.begins)
    return np.stack([-np.log(mixed[data.made]), mixed[data.made] >= best - 1e-12], 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("file")
    parser.add_argument("recipe")
    parser.add_argument("--taste", default="people")
    parser.add_argument("--members", type=int, default=60)
    parser.add_argument("--games", type=int, default=300, help="games that the community plays itself")
    options = parser.parse_args()
    community = read_community(options.recipe)
    games = load_games(options.folder / options.file, check=False)
    luck = random.Random(0)
    drawn = [community.seat(games.players, luck)[0] for _ in range(options.members)]
    drawn = [member for member in drawn if member.habits.taste == options.taste]
    by_level = {level: decisions(games, level) for level in sorted({member.level for member in drawn})}
    print(f"{len(drawn)} members of taste {options.taste}, levels {list(by_level)}")
    some = next(iter(by_level.values()))
    unit = seats(some, marks_people(games.extra))
    results = np.zeros((len(some.begins), 2))
    sources = [source for source in TASTES[options.taste] if source.file != options.file]
    others = [weighted(options.folder, source) for source in sources]
    own = [source for source in TASTES[options.taste] if source.file == options.file]
    level = own[0].level if own else PEOPLE.level
    base = by_level.get(level) or decisions(games, level)
    for fold in range(FOLDS):
        held = some.game % FOLDS == fold
        fitted = join(
            [base.only(~held)._replace(weight=np.full((~held).sum(), own[0].weight)), *others] if own else others
        )
        weights = dict(zip(fitted.names, fit(fitted), strict=True))
        logs = []
        for member in drawn:
            data = by_level[member.level].only(held)
            logs.append((data, chances(data, np.array([weights.get(name, 0.0) for name in data.names]), member)))
        results[held] = spread(logs, unit[held])
    loss, right = results.mean(0)
    print(f"{len(unit)} decisions: {loss:.3f} nats, {loss / games.players:.3f} per seat and turn, accuracy {right:.1%}")
    scores = np.array([play_number(community, games.players, 0, number).score for number in range(options.games)])
    print(f"self-play of {len(scores)} games: {scores.mean():.2f}, {(scores == 0).mean():.1%} struck out")


def weighted(folder: Path, source: Source) -> Decisions:
    """The decisions of a source with its weight."""
    part = decisions(load_games(folder / source.file, check=False), source.level)
    return part._replace(weight=part.weight * source.weight)


def spread(logs: list[tuple[Decisions, np.ndarray]], unit: np.ndarray) -> np.ndarray:
    """Members of different levels list the same moves in the same order."""
    data = logs[0][0]
    assert all((other.made == data.made).all() for other, _ in logs)
    return predict(np.stack([log for _, log in logs]), data, unit)


if __name__ == "__main__":
    main()
