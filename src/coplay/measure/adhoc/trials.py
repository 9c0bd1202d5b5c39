"""How ad-hoc trials are played: the games an agent is given, and a game in place of a member of the team."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import groupby
from typing import Any, NamedTuple

import jax
import numpy as np

from coplay.agents.spec import agent as make_agent
from coplay.game import Game
from coplay.measure.adhoc.result import Trial
from coplay.measure.study.cast import Cast
from coplay.measure.study.endings import as_written, endings
from coplay.measure.study.playing import Part, PartWork, place_of, share_parts
from coplay.measure.study.runner import DoneJob, Job
from coplay.player import AgentError, can_learn
from coplay.rollouts.episode import Episodes
from coplay.rollouts.play import play
from coplay.rollouts.team import Player, agent_name, is_policy
from coplay.rollouts.where import On, Where

BATCH, FEWEST = 256, 8  # trials played at once, at most and at least: few shapes, so that little compiles twice


class Trials(NamedTuple):
    """What every agent and team is put through alike."""

    game: Any  # None where only its spec travels
    trials: int
    sets: int
    seed: int
    move_seconds: float

    @property
    def set_of(self) -> np.ndarray:
        """int [trials]"""
        return np.arange(self.trials) % self.sets

    @property
    def seats(self) -> np.ndarray:
        """int [trials]: at random, each seat as often as any other with every set, as far as the numbers allow."""
        draw = np.random.default_rng([self.seed, self.trials, self.sets])
        seats = np.empty(self.trials, np.int64)
        for one in range(self.sets):
            mine = np.flatnonzero(self.set_of == one)
            first = draw.integers(self.game.players)
            seats[mine] = draw.permutation((first + np.arange(len(mine))) % self.game.players)
        return seats


def meeting(plan: Trials, agent: str, everyone: Cast, on: On) -> Any:
    """A function that plays jobs, for `carry_on`; elsewhere a worker has all trials with one team."""
    place = place_of(on, everyone.has_objects)
    work = partial(_meet_all, plan._replace(game=None), agent)
    if place.alone:
        return partial(work, plan.game, everyone)
    return partial(_share, place, work, plan.game, everyone)


def _share(place: Where, work: PartWork, game: Game, everyone: Cast, jobs: list[Job]) -> Iterator[DoneJob]:
    parts = [Part(game, everyone.specs, mine) for mine in _by_team(jobs)]
    yield from share_parts(place, parts, work)


def _by_team(jobs: list[Job]) -> list[list[Job]]:
    return [list(mine) for _, mine in groupby(jobs, lambda job: job.key[0])]


def _meet_all(plan: Trials, agent: str, game: Game, everyone: Cast, jobs: list[Job]) -> Iterator[DoneJob]:
    for mine in _by_team(jobs):
        yield from _meet(plan._replace(game=game), agent, everyone, mine[0].key[0], mine)


def _meet(plan: Trials, agent: str, everyone: Cast, partner: str, jobs: list[Job]) -> Iterator[DoneJob]:
    """All trials with one team."""
    player, team = everyone.players[agent], everyone.players[partner]
    begun = time.monotonic()
    alone = _alone(plan, everyone.specs.get(partner), team)
    learns, most = can_learn(player), max(job.key[1] for job in jobs)
    shown = _shown_games(plan, team, most) if learns and most else None
    played: list[tuple[float, int, str]] | None = None
    for job in jobs:
        amount = job.key[1]
        if learns or played is None:  # who makes nothing of games plays the same, however many there were
            seated = _after_games(plan, player, shown, amount) if learns else [player] * plan.sets
            played = _play_trials(plan, seated, team)
        found = zip(
            range(plan.trials), plan.set_of.tolist(), plan.seats.tolist(), played, map(as_written, alone), strict=True
        )
        rows = [
            Trial(agent, partner, amount, trial, one, seat, score, own, length, forfeit)
            for trial, one, seat, (score, length, forfeit), own in found
        ]
        now = time.monotonic()
        yield DoneJob(job, rows, now - begun)
        begun = now


def _alone(plan: Trials, spec: str | None, team: Player) -> np.ndarray:
    """What the team scores by itself; of one that has a spec, kept for the next agent."""
    if spec is not None:
        return team_alone(plan.game, spec, plan.trials, plan.seed)
    return play(plan.game, team, plan.trials, plan.seed, engine="lockstep", progress=False).scores


@lru_cache(maxsize=64)  # many agents may be judged by one team
def team_alone(game: Game, team: str, trials: int, seed: int) -> np.ndarray:
    """float32 [trials]: what the team scores by itself on the deals of the trials."""
    return play(game, team, trials, seed, engine="lockstep", progress=False).scores


def _shown_games(plan: Trials, team: Player, amount: int) -> Episodes:
    """The team's own games, `amount` for each set, on deals that no trial uses; who played is not told."""
    seed = int.from_bytes(hashlib.sha256(f"{plan.seed} shown".encode()).digest()[:4], "big")
    games = play(plan.game, team, plan.sets * amount, seed, engine="lockstep", progress=False)
    return dataclasses.replace(games, names=("team",) * plan.game.players, forfeits=())


def _after_games(plan: Trials, player: Any, shown: Episodes | None, amount: int) -> list[Player]:
    """Who plays after each set of games: fewer games are the first ones of more."""
    each = 0 if shown is None else len(shown) // plan.sets
    seated: list[Player] = []
    for one in range(plan.sets):
        fresh = player if is_policy(player) else copy.deepcopy(player)
        games = None if shown is None else shown[one * each : one * each + amount]
        found = _learn(fresh, games if games is not None else _no_games(plan.game))
        seated.append(fresh if found is None else make_agent(found, plan.game))
    return seated


def _learn(player: Any, games: Episodes) -> Any:
    try:
        return player.observe_games(games)
    except Exception as error:  # an agent may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise AgentError(f"{agent_name(player)}: observe_games failed on {len(games)} games: {reason}") from error


def _no_games(game: Game) -> Episodes:
    start = jax.device_get(jax.jit(game.reset)(jax.random.key(0)))
    shape = (0, 1, game.players) if game.simultaneous else (0, 1)
    starts = jax.tree.map(lambda leaf: np.asarray(leaf)[None][:0], start)
    nothing = np.zeros(0, np.int32)
    return Episodes(
        game, ("team",) * game.players, starts, np.zeros(shape, np.int16), nothing, nothing.astype(np.float32)
    )


def _play_trials(plan: Trials, seated: list[Player], team: Player) -> list[tuple[float, int, str]]:
    """(score, length, forfeit) of every trial; trials of one player in one seat are played together."""
    together: dict[tuple[int, int], list[int]] = defaultdict(list)
    for trial, (one, seat) in enumerate(zip(plan.set_of.tolist(), plan.seats.tolist(), strict=True)):
        together[id(seated[one]), seat].append(trial)
    results: list[tuple[float, int, str]] = [(0.0, 0, "")] * plan.trials
    players = {id(player): player for player in seated}
    for (who, seat), trials in together.items():
        members = [team] * plan.game.players
        members[seat] = players[who]
        for first in range(0, len(trials), BATCH):
            batch = trials[first : first + BATCH]
            episodes = play(
                plan.game,
                members,
                seed=plan.seed,
                deals=_filled(batch, members),
                engine="lockstep",
                move_seconds=plan.move_seconds,
                progress=False,
            )
            for trial, ending in zip(batch, endings(episodes), strict=False):  # the last one may be repeated
                results[trial] = (ending.score, ending.length, ending.forfeit)
    return results


def _filled(trials: list[int], members: Sequence[Player]) -> list[int]:
    """Repeats the last trial up to a round number: repeated games cost policies less than another compilation."""
    if not all(map(is_policy, members)):
        return trials
    size = min(BATCH, max(FEWEST, 1 << (len(trials) - 1).bit_length()))
    return trials + trials[-1:] * (size - len(trials))
