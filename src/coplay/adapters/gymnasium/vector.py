"""Many environments that step together: every decision of all of them is one compiled call per partner."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from coplay.adapters.gymnasium import table
from coplay.adapters.gymnasium.company import ILLEGAL_REWARD, Company, check_seat, check_shaping, companies, draw
from coplay.adapters.spaces import box
from coplay.compiling import keep_compiled
from coplay.game import Game, GameError
from coplay.games import make as make_game
from coplay.player import AgentError
from coplay.rollouts.team import is_policy


def make_vec(
    game: str | Game,
    partners: Any,
    num_envs: int,
    *,
    seat: int | None = None,
    shaping: float = 0.0,
    illegal_reward: float = ILLEGAL_REWARD,
    **settings: Any,
) -> SeatVectorEnv:
    """So many games at once; each partner has its share of them, side by side. What else: see `make`.

    Partners must be policies, as all trained and most scripted agents are; with plain agents take Gymnasium's
    `SyncVectorEnv` of `make`.
    """
    made = make_game(game, **settings) if isinstance(game, str) else make_game(game)
    return SeatVectorEnv(made, partners, num_envs, seat, shaping, illegal_reward)


class _Group(NamedTuple):
    """A partner and the environments it sits in."""

    company: Company
    places: slice


class SeatVectorEnv(VectorEnv):
    """Finished games begin anew in the same step; `infos["final_obs"]` has what they ended with.

    `shaping` may be changed while it runs, to anneal it.
    """

    def __init__(
        self,
        game: Game,
        partners: Any,
        num_envs: int,
        seat: int | None = None,
        shaping: float = 0.0,
        illegal_reward: float = ILLEGAL_REWARD,
    ) -> None:
        keep_compiled()
        check_seat(game, seat)
        check_shaping(game, shaping)
        self.game, self.num_envs, self.seat = game, num_envs, seat
        self.shaping, self.illegal_reward = shaping, illegal_reward
        self.groups = _shares(companies(game, partners), num_envs)
        self.partners = [group.company.name for group in self.groups for _ in range(*group.places.indices(num_envs))]
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        shape = jax.eval_shape(lambda: game.encode(game.view(game.reset(jax.random.key(0)), 0)))
        self.single_observation_space = box(shape.shape, shape.dtype)
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.generators = [np.random.default_rng() for _ in range(num_envs)]

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """New episodes everywhere; environment i has the seed `seed` + i. `options` are not used."""
        if seed is not None:
            seeds = [seed + place for place in range(self.num_envs)] if isinstance(seed, int) else seed
            self.generators = [seeding.np_random(one)[0] for one in seeds]
        begun = [self._begin(group, np.ones(_size(group), bool)) for group in self.groups]
        self.tables, self.seen = [one for one, _ in begun], [one for _, one in begun]
        self.before = self._earned()
        return self._observations(), self._infos()

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Plays an action in every environment."""
        chosen = np.asarray(actions, np.int32)
        for number, group in enumerate(self.groups):
            players = group.company.players
            self.tables[number], seen = table.move(self.game, players, self.tables[number], chosen[group.places])
            self.seen[number] = jax.device_get(seen)
            if self.seen[number].broken.any():
                raise AgentError(f"the partner {group.company.name} chose an action that is not legal.")
        done, illegal = self._column("done"), self._column("illegal")
        rewards = np.where(illegal, self.illegal_reward, self._earned() + self.before).astype(np.float64)
        cut = done & ~illegal if self.game.truncates else np.zeros_like(done)
        final = self._final(done, illegal) if done.any() else {}
        for number, group in enumerate(self.groups):
            if done[group.places].any():
                self._renew(number, group, done[group.places])
        self.before = np.where(done, self._earned(), 0.0)
        return self._observations(), rewards, done & ~cut, cut, {**self._infos(), **final}

    def action_masks(self) -> np.ndarray:
        """bool [environments, actions]: what may be done now."""
        return self._column("legal")

    def _earned(self) -> np.ndarray:
        """float [environments]: since you were to move last; in a new episode, before your first turn."""
        return self._column("reward") + self.shaping * self._column("shaped")

    def _begin(self, group: _Group, wanted: np.ndarray) -> tuple[Any, Any]:
        """Fresh games where they are wanted (the others have any numbers), none of them over before your first turn."""
        generators = self.generators[group.places]
        deals = [
            draw(self.game, generator, self.seat) if one else (0, 0, 0)
            for one, generator in zip(wanted, generators, strict=True)
        ]
        seat, start, act = (np.array(column) for column in zip(*deals, strict=True))
        numbers = seat.astype(np.int32), start.astype(np.uint32), act.astype(np.uint32)
        tables, seen = table.begin(self.game, group.company.players, *numbers)
        seen = jax.device_get(seen)
        if (again := wanted & seen.done).any():
            more, more_seen = self._begin(group, again)
            return table.choose(again, (more, more_seen), (tables, seen))
        return tables, seen

    def _renew(self, number: int, group: _Group, done: np.ndarray) -> None:
        begun = self._begin(group, done)
        now = self.tables[number], self.seen[number]
        self.tables[number], seen = table.choose(done, begun, now)
        self.seen[number] = jax.device_get(seen)

    def _column(self, name: str) -> np.ndarray:
        return np.concatenate([np.asarray(getattr(seen, name)) for seen in self.seen])

    def _observations(self) -> np.ndarray:
        return self._column("vector")

    def _infos(self) -> dict[str, Any]:
        every = np.ones(self.num_envs, bool)
        seats = np.concatenate([np.asarray(one.seat) for one in self.tables])
        masks = self._column("legal").astype(np.int8)
        return {"action_mask": masks, "_action_mask": every, "seat": seats, "_seat": every}

    def _final(self, done: np.ndarray, illegal: np.ndarray) -> dict[str, Any]:
        """What ended, as Gymnasium's own vector environments tell it."""
        last = np.full(self.num_envs, None, object)
        for place, seen in zip(np.flatnonzero(done), self._observations()[done], strict=True):
            last[place] = seen
        told = {"score": self._column("score"), "_score": done, "illegal": illegal, "_illegal": done}
        return {"final_obs": last, "_final_obs": done, "final_info": told, "_final_info": done}


def _shares(everyone: list[Company], num_envs: int) -> list[_Group]:
    """Partners beside each other, each with as many environments as the next, give or take one."""
    if num_envs < len(everyone):
        raise GameError(f"num_envs={num_envs} is fewer than the {len(everyone)} partners; each needs one at least.")
    for one in everyone:
        if not all(map(is_policy, one.players)):
            raise GameError(
                f"{one.name} is a plain agent, which cannot run in a compiled program; "
                "take gymnasium.vector.SyncVectorEnv([lambda: make(...)] * n)."
            )
    ends = [num_envs * (number + 1) // len(everyone) for number in range(len(everyone))]
    return [_Group(one, slice(begin, end)) for one, begin, end in zip(everyone, [0, *ends], ends, strict=False)]


def _size(group: _Group) -> int:
    return group.places.stop - group.places.start
