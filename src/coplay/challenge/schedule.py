"""Which games an attempt plays: drawn from a secret, and checkable afterwards.

deal k of a configuration -> seed, partners, seats: HMAC(secret, attempt, names), so that no deal comes twice, neither
in another attempt nor with another partner: whoever has met a deal knows it again by the first hand that it sees. With
`deals = "shared"` the attempt is left out, and the deals are the same for every entrant.
order of an attempt's games: HMAC(secret, attempt), so that the number of a game tells nobody its deal.

The hash of the secret is public when the challenge opens and the hash of the schedule when an attempt starts; when the
challenge closes the secret is published, and anyone can draw every schedule again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import json
from collections.abc import Collection, Sequence

from coplay.challenge.rules import Configuration, Rules
from coplay.sides import sides_of


@dataclasses.dataclass(frozen=True)
class Seating:
    """One game of a schedule."""

    number: int  # in the attempt; what messages call it
    configuration: str
    deal: int
    seed: str  # 16 hex digits: the key that `reset` is given
    key: str  # 16 hex digits: the key that the partners draw from
    seats: tuple[int, ...]  # of the entrant
    partners: tuple[str, ...]  # in order of the other seats


def new_secret() -> str:
    import secrets

    return secrets.token_hex(32)


def secret_hash(secret: str) -> str:
    """What is published when the challenge opens."""
    return hashlib.sha256(bytes.fromhex(secret)).hexdigest()


def draw(
    rules: Rules,
    secret: str,
    attempt: str,
    rehearsal: bool = False,
    games: int | None = None,
    only: Collection[str] | None = None,
) -> list[Seating]:
    """The whole schedule of an attempt, in the order its games are begun.

    A rehearsal has the same shape with public partners and deals of its own; `games` may shorten it. `only`: the
    configurations of the attempt's phase, by default all.
    """
    own = rehearsal or rules.deals == "own"
    drawn = [
        seating
        for configuration in rules.configurations
        if only is None or configuration.name in only
        for seating in _of_configuration(configuration, secret, attempt if own else "", rehearsal, games)
    ]
    order = sorted(drawn, key=lambda one: _digest(secret, "order", attempt, one.configuration, one.deal))
    by_configuration = sorted(order, key=lambda one: [c.name for c in rules.configurations].index(one.configuration))
    return [dataclasses.replace(one, number=number) for number, one in enumerate(by_configuration)]


def schedule_hash(schedule: Sequence[Seating]) -> str:
    """SHA-256 of the schedule as canonical JSON."""
    lines = [dataclasses.asdict(one) for one in schedule]
    return hashlib.sha256(json.dumps(lines, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _of_configuration(
    configuration: Configuration, secret: str, owner: str, rehearsal: bool, games: int | None
) -> list[Seating]:
    partners = configuration.rehearsal if rehearsal else configuration.partners
    seatings, name = configuration.seatings, configuration.name
    game = configuration.make()
    count = configuration.games if games is None else min(games, configuration.games)
    # Partner and seating go round together, so every pair of them comes up as often as any other (give or take one);
    # which deal gets which pair is shuffled. Of two sides every partner is met with every other one on the other side.
    others = partners if sides_of(game) == 2 else (None,)
    pairs = [(partner, other, seats) for seats in seatings for other in others for partner in partners]
    places = sorted(range(count), key=lambda deal: _digest(secret, "pair", owner, name, deal))
    drawn = []
    for place, deal in enumerate(places):
        partner, other, seats = pairs[place % len(pairs)]
        mates = [other is None or (seat - seats[0]) % 2 == 0 for seat in range(game.players) if seat not in seats]
        drawn.append(
            Seating(
                number=-1,
                configuration=name,
                deal=deal,
                seed=_digest(secret, "deal", owner, name, deal)[:16],
                key=_digest(secret, "act", owner, name, deal)[:16],
                seats=seats,
                partners=tuple(partner if mate else str(other) for mate in mates),
            )
        )
    return drawn


def _digest(secret: str, *names: str | int) -> str:
    text = "\0".join(str(name) for name in names)
    return hmac.new(bytes.fromhex(secret), text.encode(), hashlib.sha256).hexdigest()
