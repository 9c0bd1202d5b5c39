"""What visitors can play here, and with whom: games that worlds offer, and games of the host's open challenges.

Nobody names a game or a partner freely: both are chosen from lists, so no visitor has a file of this machine imported.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.agents.spec import describe_all, playing
from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import Configuration, game_of, read_rules
from coplay.faces import Offer, People, faces_of
from coplay.game import GameError
from coplay.games import default_game, family_of, game_names, make
from coplay.pool.pool import of_game
from coplay.serve.store.models import Challenge

log = logging.getLogger("coplay.serve")


class Choice(NamedTuple):
    """An agent in a list."""

    spec: str
    about: str


class Seating(NamedTuple):
    """A game that can be chosen."""

    offer: Offer  # its `game` is a spec
    fixed: Mapping[str, Any]  # settings that the host has chosen
    partners: tuple[str, ...]  # agents of the host's own, beside those that everybody has


@cache
def people_of_worlds() -> dict[str, People]:
    """Who has a table of its own in the browser, by family."""
    found: dict[str, People] = {}
    for name in game_names():
        family = family_of(name)
        if family not in found:
            try:
                people = faces_of(make(name)).people
            except GameError as error:  # a package that is installed beside us
                log.warning("a game cannot be made", extra={"reason": str(error)})
                continue
            if people is not None:
                found[family] = people
    return found


def seatings(transaction: Session) -> dict[str, Seating]:
    """What the form lists, by what the address calls it; the usual game first."""
    worlds = sorted(people_of_worlds().items(), key=lambda world: world[0] != family_of(default_game()))
    offered = [offer for _, people in worlds for offer in people.offers]
    found = {offer.game: Seating(offer, {}, ()) for offer in offered}
    for challenge in transaction.scalars(select(Challenge).where(Challenge.status == "open")):
        for one in read_rules(challenge.rules).configurations:
            if faces_of(one.make()).people is None:
                found[f"{challenge.id}/{one.name}"] = _hosted(challenge, one)
    return found


def _hosted(challenge: Challenge, one: Configuration) -> Seating:
    """A game of a challenge; its partners here are those that everybody may rehearse with."""
    title = f"{challenge.title}: {one.name}"
    return Seating(Offer(one.game, title, (), one.rehearsal[0]), one.settings, one.rehearsal)


def chosen_settings(seating: Seating, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a table, from what a form sent; what it does not say is as usual."""
    found = dict(seating.fixed)
    for setting in seating.offer.settings:
        text = str(given.get(setting.name, setting.values[0]))
        values = {str(value): value for value in setting.values}
        if text not in values:
            raise ChallengeError(f"{setting.name} = {text[:40]!r}: choose one of {', '.join(values)}.", 422)
        if values[text] is not None:
            found[setting.name] = values[text]
    return found


@cache
def choices(game: str, settings: str, own: tuple[str, ...] = ()) -> tuple[Choice, ...]:
    """The agents for a game; `settings` is JSON. The host's own come first, the pool's trained ones last."""
    made = game_of(game, settings)
    about = dict(describe_all(made))
    scripted = [Choice(spec, about.get(spec, "")) for spec in dict.fromkeys((*own, *playing(made)))]
    return (*scripted, *(Choice(spec, "Trained; comes with the package.") for spec in of_game(made)))


def as_json(settings: Mapping[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True)
