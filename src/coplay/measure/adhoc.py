"""Ad-hoc teams as the Hanabi challenge defines them (Bard et al. 2020, section 3.3).

In a trial an agent is given some self-play games of a hold-out team, plays one game in place of one of its members, in
a random seat, and forgets. A thousand trials per team, with a hundred different sets of games; beside the score stands
what the team reaches by itself, here on the same deals. An agent that makes nothing of games just plays.
"""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from coplay.agents.agent import AgentError, can_learn
from coplay.agents.spec import agent as make_agent
from coplay.games.game import Game
from coplay.measure import MeasureError
from coplay.measure.partners import check_partners, default_partners
from coplay.measure.run_folder import Folder
from coplay.measure.run_settings import run_settings
from coplay.measure.validate import whole
from coplay.play.episode import Episodes
from coplay.play.play import play
from coplay.play.team import Player, agent_name, is_policy

BATCH, FEWEST = 256, 8  # trials played at once, at most and at least: few shapes, so that little compiles twice


class Trial(NamedTuple):
    """A line of games.csv."""

    agent: str
    partner: str  # the hold-out team: copies of this one
    observed: int  # games of the team that the agent was given
    trial: int  # same seed and number, same deal, seat and set
    set: int  # which set of games
    seat: int  # where the agent sat
    score: float
    team_score: float  # of the team by itself on this deal
    length: int
    forfeit: str


class AdHocFolder(Folder[Trial]):
    """The folder of ad-hoc trials."""

    format, what, command = "coplay ad-hoc 1", "ad-hoc evaluation", "coplay adhoc AGENT"
    fields = Trial._fields

    def read(self, cells: list[str]) -> Trial:
        agent, partner, observed, trial, set_, seat, score, team_score, length, forfeit = cells
        numbers = (int(observed), int(trial), int(set_), int(seat))
        return Trial(agent, partner, *numbers, float(score), float(team_score), int(length), forfeit)

    def team(self, row: Trial) -> tuple[str, int]:
        return row.partner, row.observed

    def game(self, row: Trial) -> int:
        return row.trial


class _Plan(NamedTuple):
    """What every agent and team is put through alike."""

    game: Game
    trials: int
    sets: int
    seed: int

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


def adhoc(
    game: Game,
    agent: str,
    out: str | Path,
    partners: Sequence[str] | None = None,
    trials: int = 1000,
    sets: int = 100,
    observe: Sequence[int] = (10,),
    seed: int = 0,
    say: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
) -> AdHocFolder:
    """Plays the trials that the folder `out` does not hold yet, with every team and every number of observed games."""
    plan = _Plan(game, whole("trials", trials, 1), whole("sets", sets, 1), whole("seed", seed, 0))
    if sets > trials:
        raise MeasureError(f"sets={sets} but only {trials} trials: some sets would never be used. Take fewer sets.")
    amounts = sorted({whole("observe", amount, 0) for amount in observe})
    if not amounts:
        raise MeasureError("observe is empty; say how many games of the team the agent is given, for example 10.")
    player = make_agent(agent, game)
    teams = tuple(default_partners(game, agent) if partners is None else check_partners(agent, partners))
    made = {partner: make_agent(partner, game) for partner in teams}
    folder = AdHocFolder(out)
    asked = {"trials": trials, "sets": sets, "observe": amounts, "seed": seed}
    folder.begin(run_settings(folder.format, game, agent, teams) | asked)
    with folder.alone():
        done = folder.complete(trials)
        folder.keep(done.values())
        for number, partner in enumerate(teams, 1):
            missing = [amount for amount in amounts if (partner, amount) not in done]
            if missing:
                begun = time.monotonic()
                _meet(plan, folder, agent, player, partner, made[partner], missing)
                say(f"[{number}/{len(teams)}] with {partner} ({time.monotonic() - begun:.1f} s)")
    return folder


def _meet(
    plan: _Plan, folder: AdHocFolder, agent: str, player: Player, partner: str, team: Player, amounts: list[int]
) -> None:
    """All trials with one team."""
    alone = team_alone(plan.game, partner, plan.trials, plan.seed)
    learns = can_learn(player)
    shown = _shown_games(plan, team, max(amounts)) if learns and max(amounts) else None
    played: list[tuple[float, int, str]] | None = None
    for amount in amounts:
        if learns or played is None:  # who makes nothing of games plays the same, however many there were
            seated = _after_games(plan, player, shown, amount) if learns else [player] * plan.sets
            played = _play_trials(plan, seated, team)
        rows = zip(range(plan.trials), plan.set_of.tolist(), plan.seats.tolist(), played, alone.tolist(), strict=True)
        folder.append(
            [
                Trial(agent, partner, amount, trial, one, seat, score, own, length, forfeit)
                for trial, one, seat, (score, length, forfeit), own in rows
            ]
        )


@lru_cache(maxsize=64)  # many agents may be judged by one team
def team_alone(game: Game, team: str, trials: int, seed: int) -> np.ndarray:
    """float32 [trials]: what the team scores by itself on the deals of the trials."""
    return play(game, team, trials, seed, engine="lockstep", progress=False).scores


def _shown_games(plan: _Plan, team: Player, amount: int) -> Episodes:
    """The team's own games, `amount` for each set, on deals that no trial uses; who played is not told."""
    seed = int.from_bytes(hashlib.sha256(f"{plan.seed} shown".encode()).digest()[:4], "big")
    games = play(plan.game, team, plan.sets * amount, seed, engine="lockstep", progress=False)
    return dataclasses.replace(games, names=("team",) * plan.game.players, forfeits=())


def _after_games(plan: _Plan, player: Any, shown: Episodes | None, amount: int) -> list[Player]:
    """Who plays after each set of games: fewer games are the first ones of more."""
    each = 0 if shown is None else len(shown) // plan.sets
    seated: list[Player] = []
    for one in range(plan.sets):
        fresh = player if is_policy(player) else copy.deepcopy(player)
        games = None if shown is None else shown.part(one * each, one * each + amount)
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


def _play_trials(plan: _Plan, seated: list[Player], team: Player) -> list[tuple[float, int, str]]:
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
                plan.game, members, seed=plan.seed, deals=_filled(batch, members), engine="lockstep", progress=False
            )
            broken = {forfeit.game: _reason(forfeit) for forfeit in episodes.forfeits}
            for place, trial in enumerate(batch):
                score, length = float(episodes.scores[place]), int(episodes.lengths[place])
                results[trial] = (score, length, broken.get(place, ""))
    return results


def _filled(trials: list[int], members: Sequence[Player]) -> list[int]:
    """Repeats the last trial up to a round number: repeated games cost policies less than another compilation."""
    if not all(map(is_policy, members)):
        return trials
    size = min(BATCH, max(FEWEST, 1 << (len(trials) - 1).bit_length()))
    return trials + trials[-1:] * (size - len(trials))


def _reason(forfeit: Any) -> str:
    return f"turn {forfeit.turn}, seat {forfeit.seat}: {forfeit.reason.splitlines()[0]}"
