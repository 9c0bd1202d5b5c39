"""Whom an agent meets where nobody names partners.

| pool | partners |
|---|---|
| `default` | the sets that were made for this game (`coplay partners make`); where there is none, as below |
| `scripted` | the built-in agents that play the game as compiled policies; the slow ones are met by name |
| `trained` | the networks of `coplay pool list` for this game and number of players |

Without a set, `default` is all of `scripted` and of every family of `trained` the first that plays well enough. A
family is what differs by a number alone (`hanabi-2p-ippo-0`, `-1`, …). Well enough is a fifth of the highest score with
its own copies, or anything where no highest score is known: with a clone that loses every game nobody can score.
Best responses are left out of `trained`: each was made for one partner, so it is nobody's usual company.
"""

from __future__ import annotations

from collections.abc import Sequence

from coplay.agents.spec import agent as make_agent
from coplay.agents.spec import playing
from coplay.game import Game
from coplay.measure import MeasureError
from coplay.player import AgentError
from coplay.pool.pool import entries, entry, of_game
from coplay.pool.sets import PREFIX, expand, sets_of
from coplay.pool.sources import missing
from coplay.rollouts.team import is_policy

POOLS = ("default", "scripted", "trained")
MADE_FOR_ONE = "best_response"


def default_partners(game: Game, agent: str = "", pool: str = "default") -> list[str]:
    """Specs of the pool's partners, but for the agent itself."""
    check_pool(pool)
    names: list[str] = expand(f"{PREFIX}{name}" for name in sets_of(game)) if pool == "default" else []
    if names:
        return names
    if pool != "trained":
        names += [name for name in playing(game) if is_policy(make_agent(name, game))]
    if pool != "scripted":
        trained = of_game(game, {one.kind for one in entries().values()} - {MADE_FOR_ONE})
        names += trained if pool == "trained" else one_per_family(game, trained, agent)
    names = [name for name in names if name != agent]
    if not names:
        words = f"nobody in the pool {pool} plays {game.name}; name partners yourself: --partners a,b,c."
        raise AgentError(f"{words} {'' if pool == 'scripted' else missing()}".strip())
    return names


def one_per_family(game: Game, specs: Sequence[str], agent: str = "") -> list[str]:
    """Of every family of the pool the first that scores a fifth of the highest score, but for the agent itself.

    Of two sides there is no such score, and all will do.
    """
    least = 0.0 if game.max_score is None else game.max_score / 5
    found: dict[str, str] = {}
    for spec in specs:
        one = entry(spec.removeprefix("pool:"))
        if spec != agent and (one.self_play is None or one.self_play[0] > least):
            found.setdefault(one.family, spec)
    return list(found.values())


def check_pool(pool: str) -> None:
    """Refuses a pool that does not exist."""
    if pool not in POOLS:
        raise MeasureError(f"unknown pool {pool!r}; the pools are {', '.join(POOLS)}, or name --partners a,b,c.")


def check_partners(agent: str, partners: Sequence[str]) -> Sequence[str]:
    """Refuses a list in which somebody stands twice, or the agent itself, or nobody."""
    if not partners:
        raise MeasureError("partners is empty; name at least one, or leave it out for the default pool.")
    for place, partner in enumerate(partners):
        if partner == agent:
            raise MeasureError(
                f"{agent} is the agent itself; leave it out of the partners: self-play is always measured."
            )
        if partner in partners[:place]:
            raise MeasureError(f"partners names {partner} twice; name it once.")
    return partners


def listed(partners: str | None) -> list[str] | None:
    """`a, b,c` as typed on the command line; None where nobody was named."""
    return None if partners is None else [one.strip() for one in partners.split(",") if one.strip()]
