"""Who sits in the other seats.

The games of a batch are cut into blocks; in each block fixed policies sit at fixed distances from the learner's seat,
so every policy runs on contiguous games and no weights are ever gathered per game. The learner's seat goes round with
the number of the game. A coin per game and seat, tossed when a game begins, may give a partner's seat to the learner
instead: that is how self-play is annealed away.

A fellow is a partner that learns too: another learner of the same run, or the learner itself, as it is at the moment.

In a game of two sides blocks say who the mates are. The other side may have fixed teams of its own, which cut the games
anew, whatever the blocks are.

Partners may also be drawn for every game anew (`Block.drawn`): then each of them is asked in all games of its block, in
a seat that is another one in every game, and strangers meet in every combination.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game
from coplay.nets.network import Network
from coplay.nets.policy import NetPolicy, masked
from coplay.player import unnamed

Array = jax.Array


@dataclasses.dataclass(frozen=True)
class Fellow:
    """A partner that learns too: it plays as it is at the moment."""

    learners: tuple[int, ...]  # whose present weights; with copies, one each
    slips: float = 0.0  # share of its moves that are any legal move instead


@dataclasses.dataclass(frozen=True)
class Cast:
    """A learner's own earlier selves, which it keeps (`Learner.cast`), and itself: a stack for every learner."""

    size: int  # of earlier selves
    own: int = 0  # so many shares of the games are its own self-play


@dataclasses.dataclass(frozen=True)
class Ramp:
    """0 until `begin` turns, then rising to 1 at `end`."""

    begin: float
    end: float

    def __call__(self, turns: Array) -> Array:
        return jnp.clip((turns - self.begin) / (self.end - self.begin), 0, 1)


class Block(eqx.Module):
    """`games` games with the same partners."""

    # By distance from the learner's seat, 1 to players - 1: Policy, Fellow, Cast; None: the learner sits there too.
    others: tuple[Any, ...]
    games: int = eqx.field(static=True)
    copies: int = eqx.field(static=True, default=0)  # > 0: policies are stacks of so many, each with an equal share
    # Looks over the learner's shoulder: what it would do in the learner's place is recorded, not played.
    adviser: Any = None
    # By distance: may a partner sit there? Who does is drawn for every game anew, from all of `others`, which are at
    # least as many as such seats. (): partners sit where `others` says.
    drawn: tuple[bool, ...] = eqx.field(static=True, default=())

    @property
    def taken(self) -> tuple[bool, ...]:
        """By distance: does a partner sit there?"""
        return self.drawn or tuple(policy is not None for policy in self.others)

    @property
    def cells(self) -> int:
        """Into so many equal parts it is cut by its policies."""
        return self.copies or 1


class Opponents(eqx.Module):
    """A team of the other side; without players the learner, or its blocks, play that side too."""

    players: tuple[Any, ...] = ()  # policies, each once
    places: tuple[tuple[int, ...], ...] = eqx.field(static=True, default=())  # where each sits: 1, 3, 5, … seats on

    @classmethod
    def of(cls, team: Sequence[Any]) -> Opponents:
        """A policy per seat; the same object may have several."""
        players = list({id(one): one for one in team}.values())
        seats = [tuple(1 + 2 * number for number, one in enumerate(team) if one is player) for player in players]
        return cls(tuple(players), tuple(seats))


class Partners(eqx.Module):
    """The blocks of one batch, in order."""

    blocks: tuple[Block, ...] = ()
    joining: Callable[[Array], Array] | None = eqx.field(static=True, default=None)  # turns of all learners -> P(sits)
    weights: Array | None = None  # float32 [cells]: what decisions among these partners weigh; None: all the same
    # Partners with whom a learner scores less weigh more: in proportion to their rank to this power; 0: all the same.
    priority: float = eqx.field(static=True, default=0.0)
    ranked: int = eqx.field(static=True, default=0)  # so many of each learner's cells, the first; 0: all
    graph: bool = eqx.field(static=True, default=False)  # weigh those by `graph.by_graph` instead of by their rank
    opponents: tuple[Opponents, ...] = ()  # the teams of the other side, each in an equal share of the games

    @property
    def alone(self) -> bool:
        """Has the learner one seat at each table?"""
        mates = [block.taken[1::2] if self.opposed else block.taken for block in self.blocks]
        return bool(mates) and all(all(row) for row in mates) and self.joining is None

    @property
    def opposed(self) -> bool:
        """Does somebody fixed play the other side in all games?"""
        return bool(self.opponents) and all(team.players for team in self.opponents)

    @property
    def cells(self) -> tuple[int, int] | None:
        """The equal parts into which the games are cut by who sits there, and the games of each; None if unequal."""
        each = {block.games // block.cells for block in self.blocks}
        return (sum(block.cells for block in self.blocks), each.pop()) if len(each) == 1 else None


def shared_by(
    policies: Sequence[Any],
    players: int,
    games: int,
    learners: int,
    advise: bool = False,
    mixed: Sequence[int] | None = None,
) -> tuple[Block, ...]:
    """Blocks in which every learner meets every policy in an equal share of its `games`, in all other seats.

    Policies that differ only in their numbers are stacked: however many they are, they are compiled once. With `advise`
    they look over the learner's shoulder too. With `mixed` they do not come as copies: by distance it says how many
    places further down the list the policy is that sits there.
    """
    share = games // len(policies)
    stack = stacked(policies)
    if stack is not None:
        tiled = jax.tree.map(lambda leaf: jnp.concatenate([leaf] * learners), stack)
        copies = len(policies) * learners
        adviser = tiled if advise else None
        if mixed is None:
            return (Block((tiled,) * (players - 1), games * learners, copies, adviser),)
        rolled = [
            jax.tree.map(lambda leaf, by=by: jnp.concatenate([jnp.roll(leaf, -by, 0)] * learners), stack)
            for by in mixed
        ]
        return (Block(tuple(rolled), games * learners, copies, adviser),)
    if mixed is None:
        return tuple(_block(group, share, players, advise) for group in alike(policies)) * learners
    count = len(policies)
    rows = [tuple(policies[(number + by) % count] for by in mixed) for number in range(count)]
    return tuple(Block(row, share, 0, row[0] if advise else None) for row in rows) * learners


def mixed_teams(policies: int, players: int, sides: int, seed: int) -> list[int]:
    """For `shared_by`: shifts by distance from the learner, so that no two mates are the same if there are enough.

    The first mate is the policy whose share of the games it is; on the other side the same shifts come in turn.
    """
    mates = players // sides - 1
    shifts = np.random.default_rng(seed).permutation(np.arange(1, policies)).tolist()
    ours = [0] + [shifts[number % len(shifts)] if shifts else 0 for number in range(mates - 1)]
    theirs = [shifts[(mates - 1 + number) % len(shifts)] if shifts else 0 for number in range(mates + 1)]
    return ours if sides == 1 else [by for pair in zip(theirs, [*ours, 0], strict=True) for by in pair][: players - 1]


def _block(group: Sequence[Any], share: int, players: int, advise: bool) -> Block:
    """One block of policies that are alike, each in so many games."""
    stack = stacked(group)
    policy, copies = (group[0], 0) if stack is None else (stack, len(group))
    return Block((policy,) * (players - 1), share * len(group), copies, policy if advise else None)


def alike(policies: Sequence[Any]) -> list[list[Any]]:
    """Groups of policies that differ only in their numbers, in the order of their first ones."""
    groups: list[list[Any]] = []
    for policy in policies:
        for group in groups:
            if are_alike(group[0], policy):
                group.append(policy)
                break
        else:
            groups.append([policy])
    return groups


def one_each(policies: Sequence[Any], players: int, games: int, advise: bool = False) -> tuple[Block, ...]:
    """Blocks in which every learner meets a policy of its own, in all other seats."""
    stack = stacked(policies)
    if stack is not None:
        count = len(policies)
        return (Block((stack,) * (players - 1), games * count, count, stack if advise else None),)
    return tuple(Block((policy,) * (players - 1), games, 0, policy if advise else None) for policy in policies)


def are_alike(one: Any, other: Any) -> bool:
    """Do these differ in nothing but their numbers?"""
    return _one_program([_parts(one), _parts(other)])


def stacked(policies: Sequence[Any]) -> Any:
    """Several policies as one with an axis more; None if they differ in more than their numbers, or there is one."""
    parts = [_parts(policy) for policy in policies]
    if len(parts) == 1 or not _one_program(parts):
        return None
    return eqx.combine(_stack([arrays for arrays, _ in parts]), parts[0][1])


@jax.jit  # one program for all leaves
def _stack(parts: Sequence[Any]) -> Any:
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *parts)


def _parts(policy: Any) -> tuple[Any, Any]:
    """(its numbers, everything else)"""
    return eqx.partition(unnamed(policy), _is_number)


def _one_program(parts: Sequence[tuple[Any, Any]]) -> bool:
    if any(not jax.tree.leaves(arrays) for arrays, _ in parts):
        return False
    shapes = {tuple((leaf.shape, leaf.dtype) for leaf in jax.tree.leaves(arrays)) for arrays, _ in parts}
    return len(shapes) == 1 and all(bool(eqx.tree_equal(fixed, parts[0][1])) for _, fixed in parts[1:])


def _is_number(leaf: Any) -> bool:
    """An array, or a number of NumPy: what a policy may have another of and still be the same program."""
    return isinstance(leaf, jax.Array | np.ndarray | np.generic)


def with_fellows(partners: Partners, game: Game, networks: Network, cast: Network | None, dtype: Any) -> Partners:
    """Fellows as they are now; `networks` are stacked [learners, ...], `cast` [learners, size, ...]."""

    def seated(policy: Any, block: Block) -> Any:
        if isinstance(policy, Cast):
            now = jax.tree.map(lambda new, old: _with_own(new, old, policy.own), networks, cast)
        elif isinstance(policy, Fellow):
            whose = jnp.asarray(policy.learners) if block.copies else policy.learners[0]
            now = jax.tree.map(lambda leaf: leaf[whose], networks)
        else:
            return policy
        fellow = NetPolicy(jax.lax.stop_gradient(now), game, name="fellow", greedy=False, dtype=dtype)
        return Slipping(fellow, policy.slips) if isinstance(policy, Fellow) and policy.slips else fellow

    blocks = [dataclasses.replace(b, others=tuple(seated(policy, b) for policy in b.others)) for b in partners.blocks]
    return dataclasses.replace(partners, blocks=tuple(blocks))


def _with_own(now: Array, cast: Array, own: int) -> Array:
    """[learners, ...] and [learners, size, ...] -> [learners x (size + own), ...]"""
    self_play = jnp.broadcast_to(now[:, None], (now.shape[0], own, *now.shape[1:]))
    both = jnp.concatenate([cast, self_play], axis=1)
    return both.reshape(both.shape[0] * both.shape[1], *both.shape[2:])


def by_rank(partners: Partners, returns: Array, learners: int) -> Partners:
    """With what decisions weigh after these returns [cells]: in every learner's cells the lowest has the highest rank.

    Weights among a learner's ranked partners are 1 on average.
    """
    if not partners.priority:
        return partners
    own = returns.reshape(learners, -1)
    ranked = partners.ranked or own.shape[1]
    order = jnp.argsort(jnp.argsort(-own[:, :ranked], axis=1), axis=1)  # 0: the highest return
    share = (order + 1.0) ** partners.priority
    weights = jnp.ones(own.shape).at[:, :ranked].set(ranked * share / share.sum(1, keepdims=True))
    return dataclasses.replace(partners, weights=weights.reshape(-1))


class Slipping(eqx.Module):
    """A network that makes any legal move now and then."""

    player: NetPolicy
    rate: float = eqx.field(static=True)

    @property
    def name(self) -> str:
        return self.player.name

    @property
    def hears(self) -> str:
        return self.player.hears

    def start(self) -> Any:
        return self.player.start()

    def act(self, memory: Any, view: Any, key: Array) -> tuple[Any, Array]:
        coin, stray, draw = jax.random.split(key, 3)
        memory, action = self.player.act(memory, view, draw)
        legal = self.player.game.legal(view)
        other = jax.random.categorical(stray, masked(jnp.zeros(legal.shape), legal))
        return memory, jnp.where(jax.random.bernoulli(coin, self.rate), other, action)
