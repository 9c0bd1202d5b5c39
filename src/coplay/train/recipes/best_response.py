"""PPO against any partner: `partner=smartbot`, several separated by commas, or agents from files.

With several partners one learner meets them all, an equal share of the games each; those that differ only in their
numbers are one program, so there may be hundreds (`partner="theory-of-mind?params=random-{0..199}"`). With `end` they
come little by little, as clones do in `br_bc`. With `each=true` every partner gets
a learner of its own, trained side by side (then `--seeds` is the number of partners). In games of more than two the
partner takes all other seats, or with `mixed` several partners share them. In games of two sides that is the learner's
side if `against` says who plays the other one. With `drawn` the partners are dealt out to the seats of both sides anew
for every game: a pick-up match among strangers. Partners must be policies: a plain agent cannot play inside a compiled
rollout.

`start=run:FILE` starts from a trained player instead of a new network, `start=partner` from the partner itself (a
trained one): then the response is as good as the partner's own copies before it has learned anything. Files of the pool
have no critic; a new one is learned on the way, with the preset `from-partner` before anything else. A scripted partner
cannot be started from, but it can be imitated: with `imitate` it says what it would do in the learner's place.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from coplay.train.learner.dealing import drawn_from
from coplay.train.learner.partners import Partners, one_each, shared_by
from coplay.train.learner.terms import Imitation
from coplay.train.recipe import (
    Context,
    LearnerSettings,
    Plan,
    coming,
    games_per_partner,
    learner_plan,
    partner_named,
    require_ramp,
    teams_of,
    trained_networks,
)
from coplay.train.settings import TrainError, listed, require_from_zero


@dataclasses.dataclass(frozen=True)
class Settings(LearnerSettings):
    partner: str = ""
    each: bool = False
    begin: float = 0.0  # share of the run after which partners begin to come; until then it is self-play
    end: float = 0.0  # share of the run after which they always come; 0: from the first
    mixed: bool = False  # several partners at a table with more than two seats: different ones in the other seats
    drawn: bool = False  # partners are dealt out to the other seats, of both sides, anew for every game
    imitate: float = 0.0  # turns over which the partner says what it would do in the learner's place; 0: never

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.partner:
            raise TrainError("best_response needs a partner: --set partner=smartbot, or several with commas.")
        require_from_zero(self, "imitate")
        require_ramp(self)

    @property
    def partners(self) -> list[str]:
        return listed(self.partner)


def plan(context: Context, settings: Settings) -> Plan:
    policies = [partner_named(context.game, spec) for spec in settings.partners]
    if settings.each and context.seeds != len(policies):
        raise TrainError(f"each=true trains one learner per partner: use --seeds {len(policies)}.")
    if settings.each and settings.mixed:
        raise TrainError("each=true gives every learner copies of one partner; mixed=true mixes several. Choose one.")
    if settings.drawn and (settings.each or settings.imitate):
        raise TrainError("drawn=true: no game has one partner, for `each` or `imitate` to mean; leave these out.")
    if settings.each:
        blocks = one_each(policies, context.game.players, settings.games, advise=settings.imitate > 0)
    elif settings.drawn:
        blocks = drawn_from(policies, context.game.players, settings.games, context.seeds)
    else:
        games_per_partner(settings, len(policies))  # or there is no equal share
        mixed = teams_of(context, len(policies)) if settings.mixed else None
        blocks = shared_by(policies, context.game.players, settings.games, context.seeds, settings.imitate > 0, mixed)
    networks = None
    if settings.start:
        networks = trained_networks(context, settings.partner if settings.start == "partner" else settings.start)
        context = context.reading(networks)
    terms = (Imitation(settings.imitate),) if settings.imitate else ()
    return learner_plan(context, settings, Partners(blocks, joining=coming(context, settings)), networks, terms)


# From the partner itself: small steps, and first a critic that knows what the partner is worth.
FROM_PARTNER = {"start": "partner", "learning_rate": 1e-4, "critic_first": 5e6}
PRESETS: dict[str, dict[str, Any]] = {"from-partner": FROM_PARTNER}
