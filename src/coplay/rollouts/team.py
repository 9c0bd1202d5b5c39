"""A team: one agent per seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from coplay.agents.spec import agent
from coplay.game import Game
from coplay.player import Agent, AgentError, Policy

Player = Policy | Agent


def seat_team(game: Game, team: str | Player | Sequence[str | Player]) -> tuple[Player, ...]:
    """The team's agents, ready to play; a single agent or spec takes every seat."""
    if isinstance(team, Sequence) and not isinstance(team, str):
        members: list[str | Player] = list(team)
    else:
        members = [team] * game.players
    if len(members) != game.players:
        names = ", ".join(member if isinstance(member, str) else agent_name(member) for member in members)
        raise AgentError(
            f"{game.name} seats {game.players} players but the team has {len(members)} ({names}); "
            f"give {game.players} agents, or make the game with players={len(members)}."
        )
    made: dict[str, Player] = {}
    for member in members:
        if isinstance(member, str) and member not in made:
            made[member] = agent(member, game)
    return tuple(made[member] if isinstance(member, str) else agent(member, game) for member in members)


def is_policy(player: Player) -> TypeGuard[Policy]:
    """Can it run inside a compiled scan?"""
    return hasattr(player, "start")


def agent_name(player: Player) -> str:
    return getattr(player, "name", type(player).__name__)
