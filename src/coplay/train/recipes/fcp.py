"""Fictitious co-play (Strouse et al. 2021): PPO against a population of self-play agents and their earlier selves.

Of every member of the population the untrained, the half-trained and the trained agent take part, an equal share of the
games each.
"""

from __future__ import annotations

from coplay.train.ego import EgoSettings, ego_defaults, ego_plan, own_population
from coplay.train.recipe import Context, Plan

Settings = EgoSettings
defaults = ego_defaults


def plan(context: Context, settings: EgoSettings) -> Plan:
    return ego_plan(context, settings, own_population(context, settings, settings.size))
