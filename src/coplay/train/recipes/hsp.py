"""Hidden-utility self-play (Yu et al. 2023): half of the partners have tastes of their own, half come from MEP.

Pairs with tastes are trained as by `preferring`; those without a point together are dropped. Of the rest the most
different are chosen one after the other: the next is the one whose play, as events per episode, is furthest from all
chosen before.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from coplay.nets.file import load_policy
from coplay.train.ego import LEVELS, EgoSettings, ego_defaults, ego_plan, own_population, sub_run
from coplay.train.learner.partners import stacked
from coplay.train.pairs import play_pairs
from coplay.train.recipe import Context, Plan
from coplay.train.recipes.preferring import preferences_of
from coplay.train.settings import TrainError, require_above_zero

EPISODES = 16  # in which it is seen how a pair plays


@dataclasses.dataclass(frozen=True)
class Settings(EgoSettings):
    pairs: int = 36  # tastes that are tried
    preferring: str = ""  # a folder of `coplay train preferring`; empty: it is trained first
    diversity_weight: float = 0.01  # of MEP

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above_zero(self, "pairs")
        if self.size % 6:
            raise TrainError(f"size={self.size}: must be a multiple of 6: half are MEP's, each member three times.")


defaults = ego_defaults


def plan(context: Context, settings: Settings) -> Plan:
    half = settings.size // 2
    folder = Path(settings.preferring) if settings.preferring else context.folder / "preferring"
    if not settings.preferring:
        sub_run(context, settings, "preferring", folder, 1, pairs=settings.pairs, snapshots=0)
    tastes = different_ones(context, folder, half)
    different = {"diversity": "entropy", "diversity_weight": settings.diversity_weight} if half > LEVELS else {}
    others = own_population(context, settings, half, **different)
    return ego_plan(context, settings, [*tastes, *others])


def different_ones(context: Context, folder: Path, count: int) -> list[Path]:
    """Of the players with tastes in a run of `preferring`, so many that play differently."""
    files = sorted(folder.glob("agent-*.safetensors"), key=lambda path: int(path.stem.split("-")[1]))
    pairs = len(files) // 2
    policies = [load_policy(str(file), context.game, greedy=False, name="pair") for file in files]
    together = [stacked(part) for part in (policies[:pairs], policies[pairs:])]
    played = play_pairs(context.game, *together, episodes=EPISODES, liked=preferences_of(context.game))
    able = np.flatnonzero(played.means > 0)
    if able.size < count:
        raise TrainError(
            f"only {able.size} of {pairs} pairs in {folder} ever scored, and {count} are needed; "
            "let them learn for longer (population_turns), or train more pairs."
        )
    features = played.by_first.mean(1)[able]
    scale = np.abs(features).max(0)
    return [files[able[number]] for number in furthest(features / np.where(scale > 0, scale, 1), count)]


def furthest(features: np.ndarray, count: int) -> list[int]:
    """One after the other the row with the largest sum of absolute differences to those chosen before; the first one
    is the furthest from all."""
    gaps = np.abs(features[:, None] - features[None]).sum(2)
    chosen = [int(gaps.sum(1).argmax())]
    while len(chosen) < count:
        reach = gaps[:, chosen].sum(1)
        reach[chosen] = -1
        chosen.append(int(reach.argmax()))
    return chosen
