"""`coplay.play`: seats a team, plays games, returns what happened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.compiling import keep_compiled, quick_jit
from coplay.game import Game, GameError
from coplay.games import make
from coplay.rollouts.episode import Episodes, Forfeit, forfeited_score
from coplay.rollouts.lockstep import LockStep, endless, illegal_reason
from coplay.rollouts.progress import progress_bar
from coplay.rollouts.rollout import rollout
from coplay.rollouts.seeds import derive
from coplay.rollouts.team import Player, agent_name, is_policy, seat_team
from coplay.sides import sign_of
from coplay.views.host import host_views

# Games played at once: enough to keep every device busy, few enough that memory does not grow with the number of games.
CHUNK = 4096
FEWEST, STEP = 8, 256  # sizes of a batch: powers of two, then multiples


def play(
    game: Any,
    team: str | Player | Sequence[str | Player],
    games: int | None = None,
    seed: int = 0,
    *,
    decks: Any = None,
    deals: Sequence[int] | None = None,
    engine: Literal["scan", "lockstep"] = "scan",
    move_seconds: float | None = 60.0,
    progress: bool | None = None,
) -> Episodes:
    """Plays `games` games of a team, or one game per given deck; `game` is a game or its spec.

    The deals depend on `seed` and the number of the game alone, so every team meets the same deals; `deals` are the
    numbers of those to play, instead of the first ones. A team of policies runs as one compiled loop; with a plain
    agent in it the games step together on the host, with the same scores. `engine="lockstep"` takes that second way
    for policies too: each then compiles once for all teams it plays in, which is quicker when many teams play few
    games. A plain agent that thinks longer than `move_seconds` forfeits its game.
    """
    keep_compiled()
    game = make(game)
    if engine not in ("scan", "lockstep"):
        raise GameError(f"engine={engine!r}: choose scan or lockstep.")
    players = seat_team(game, team)
    numbers = _numbers(game, games, decks, deals)
    total = len(numbers)
    compiled = engine == "scan" and all(map(is_policy, players))
    run = _play_compiled if compiled else partial(_play_hosted, move_seconds)
    size = chunk_size(total)
    parts = []
    with progress_bar(f"{' + '.join(dict.fromkeys(map(agent_name, players)))}", total, progress) as advance:
        for first, count in _chunks(total, size):
            # The last chunk is filled up, so that nothing compiles twice.
            indices = jnp.asarray(numbers[np.minimum(np.arange(first, first + size), total - 1)])
            starts, keys = first_states(game, seed, indices, decks)
            parts.append((_first(count, jax.device_get(starts)), *run(game, players, starts, keys, first, count)))
            advance(count)
    starts, actions, lengths, scores, forfeits, facts = zip(*parts, strict=True)
    turns = max(int(part.max(initial=1)) for part in lengths)
    joined = np.concatenate([part[:, :turns] for part in actions])
    return Episodes(
        game=game,
        names=tuple(agent_name(player) for player in players),
        starts=jax.tree.map(lambda *leaves: np.concatenate(leaves), *starts),
        actions=joined if game.simultaneous else joined.max(-1),
        lengths=np.concatenate(lengths),
        scores=np.concatenate(scores),
        forfeits=tuple(forfeit for part in forfeits for forfeit in part),
        facts={name: np.concatenate([part[name] for part in facts]) for name in facts[0]},
    )


def chunk_size(games: int) -> int:
    """How many of so many games are played at once: one of a few sizes, so that other numbers compile nothing new."""
    even = -(-games // -(-games // CHUNK))
    if even <= STEP:
        return max(FEWEST, 1 << (even - 1).bit_length())
    return -(-even // STEP) * STEP


def first_states(game: Game, seed: int, indices: Any, decks: Any = None) -> tuple[Any, Any]:
    """Where games of these numbers begin, and the keys by which their players draw."""
    return _starts(game, seed, indices, decks), _fold(derive(seed, "act"), indices)


def _numbers(game: Game, games: int | None, decks: Any, deals: Sequence[int] | None) -> np.ndarray:
    """int [games]: which of the seed's games are played."""
    if deals is None:
        return np.arange(_count(game, games, decks))
    numbers = np.asarray(deals)
    if decks is not None or games not in (None, len(deals)):
        raise GameError("deals says which games to play; leave games and decks out.")
    if numbers.ndim != 1 or not numbers.size or numbers.dtype.kind not in "iu" or numbers.min() < 0:
        raise GameError(f"deals={deals!r}: give numbers of games, at least one, counted from 0.")
    return numbers


def _count(game: Game, games: int | None, decks: Any) -> int:
    if decks is not None:
        if not hasattr(game, "deal"):
            raise GameError(f"{game.name} has no decks; leave decks out and give games and a seed.")
        if games not in (None, len(decks)):
            raise GameError(f"games={games} but {len(decks)} decks given; leave games out: each deck is played once.")
        if len(decks) == 0:
            raise GameError("decks is empty; give at least one deck.")
        for deck in decks:
            game.check_deck(deck)  # pyright: ignore[reportAttributeAccessIssue]
        return len(decks)
    games = 1000 if games is None else games
    if not isinstance(games, int | np.integer) or isinstance(games, bool) or games < 1:
        raise GameError(f"games={games!r}: play at least 1 game.")
    return int(games)


def _chunks(total: int, size: int) -> Iterator[tuple[int, int]]:
    for first in range(0, total, size):
        yield first, min(size, total - first)


@quick_jit
def _fold(key: Any, indices: Any) -> Any:
    return jax.vmap(jax.random.fold_in, (None, 0))(key, indices)


@quick_jit
def _reset(game: Game, keys: Any) -> Any:
    return jax.vmap(game.reset)(keys)


@quick_jit
def _deal(game: Any, decks: Any) -> Any:
    """Given decks start with the seat the game names; one drawn at random would make the deal no longer given."""
    first = game.start_player if isinstance(game.start_player, int) else 0
    return jax.vmap(lambda deck: game.deal(deck, first))(decks)


def _starts(game: Game, seed: int, indices: Any, decks: Any) -> Any:
    if decks is None:
        return _reset(game, _fold(derive(seed, "deal"), indices))
    chosen = np.minimum(np.asarray(indices), len(decks) - 1)
    return _deal(game, jnp.asarray(np.asarray(decks)[chosen], jnp.int32))


def _play_compiled(game: Game, team: tuple[Any, ...], starts: Any, keys: Any, first: int, count: int) -> tuple:
    played = jax.device_get(rollout(game, team, starts, keys))
    if played.endless.any():
        raise endless(game)
    forfeits, scores = [], np.array(played.scores)
    for index in np.flatnonzero(played.illegal_turn[:count] >= 0):
        forfeit, scores[index] = _explain(game, team, starts, played, int(index), first)
        forfeits.append(forfeit)
    found = (played.actions, played.lengths, scores)
    return *(column[:count] for column in found), forfeits, _first(count, played.facts)


def _explain(
    game: Game, team: tuple[Any, ...], starts: Any, played: Any, index: int, first: int
) -> tuple[Forfeit, float]:
    """Replays a game up to its illegal action, for the view it was chosen in; and what the game counts."""
    state = jax.tree.map(lambda leaf: leaf[index], starts)
    turn, seat = int(played.illegal_turn[index]), int(played.illegal_seat[index])
    for t in range(turn):
        state = _one_step(game, state, jnp.asarray(played.actions[index, t], jnp.int32))
    batch = jax.tree.map(lambda leaf: leaf[None], state)
    view = host_views(game, batch, seat, np.asarray([0]))[0]
    reason = illegal_reason(int(played.illegal_action[index]), game.num_actions)
    forfeit = Forfeit(first + index, turn, seat, agent_name(team[seat]), f"{reason}\n{view.text()}")
    return forfeit, forfeited_score(float(game.score(state)), sign_of(game, seat))


@eqx.filter_jit
def _one_step(game: Game, state: Any, actions: Any) -> Any:
    return game.step(state, actions).state


def _play_hosted(
    move_seconds: float | None,
    game: Game,
    team: tuple[Player, ...],
    starts: Any,
    keys: Any,
    first: int,
    count: int,
) -> tuple:
    loop = LockStep(game, team, starts, keys, first, move_seconds, count)
    actions, lengths, scores, forfeits, facts = loop.run()
    return actions[:count], lengths[:count], scores[:count], forfeits, _first(count, facts)


def _first(count: int, tree: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf[:count], tree)
