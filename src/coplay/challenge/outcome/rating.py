"""A rating that is fair between unequal numbers of games and may be read whenever somebody likes.

A round is one game with each partner; its mean counts every partner once, whoever was met most. The intervals hold for
all numbers of rounds at once: whoever stopped early, or looked again and again, gains nothing by that. Nor does whoever
leaves games unfinished that go badly: games count in the order in which the schedule begins them, up to the first that
was not ended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from coplay.challenge.schedule import Seating
from coplay.measure.sequential import anytime_mean
from coplay.measure.stats import Estimate


def rating_of(
    schedule: Iterable[Seating], scores: Mapping[int, float], voided: Collection[int], best: float | None
) -> Estimate | None:
    """The rating in one configuration: its part of the schedule, scores by deal, the deals that the host took out."""
    asked = [one for one in schedule if one.deal not in voided]
    return rating(((company(one.partners), scores.get(one.deal)) for one in asked), best)


def company(partners: Sequence[str], seats: Sequence[int] = (), sides: int = 1) -> str:
    """Whom one plays with at a table, as one name; of two sides also whom against. `seats`: one's own."""
    if sides == 1:
        return " + ".join(sorted(set(partners)))
    others = [seat for seat in range(len(partners) + len(seats)) if seat not in seats]
    found: dict[bool, list[str]] = {True: [], False: []}
    for partner, seat in zip(partners, others, strict=True):
        found[(seat - seats[0]) % 2 == 0].append(partner)
    return f"{company(found[True]) or 'alone'} against {company(found[False])}"


def rating(games: Iterable[tuple[str, float | None]], best: float | None) -> Estimate | None:
    """From (partner, score) in the order of the schedule, scores from 0 to `best`, None for a game that was not ended.
    There is none where the best score is not known, or where a partner was not met."""
    by_partner: dict[str, list[float]] = {}
    going = True
    for partner, score in games:
        met = by_partner.setdefault(partner, [])
        going = going and score is not None
        if going and score is not None:
            met.append(score)
    count = min(map(len, by_partner.values()), default=0)
    if best is None or not count:
        return None
    rounds = np.mean([scores[:count] for scores in by_partner.values()], axis=0)
    return anytime_mean(rounds, 0.0, best) if 0 <= rounds.min() <= rounds.max() <= best else None
