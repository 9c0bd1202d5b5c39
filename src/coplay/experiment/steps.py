"""What a participant goes through, one step after the other, written down when they join."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator

from coplay.experiment.order import Place, block_order, digest, first_seat, partner_order
from coplay.experiment.plan import Block, Page, Plan, told


@dataclasses.dataclass(frozen=True)
class Step:
    """A page or a game. Pages after games say which game or partner they follow."""

    kind: str  # page, game
    name: str  # of the page, or of the block
    block: str = ""
    game: int = -1  # of those that count, by order, from 0; of a practice game -1
    partner: str = ""  # as the host calls them
    position: int = -1  # of the partner in the order of the block, from 0
    practice: bool = False
    seat: int = 0
    agents: tuple[str, ...] = ()  # in order of the other seats
    seed: str = ""  # 16 hex digits: the deal


def steps_of(plan: Plan, place: Place, secret: str) -> tuple[Step, ...]:
    """All steps of one participant, after their consent. Deals are drawn from the secret of the study."""
    found = [Step("page", page.name) for page in plan.pages_in(place.condition, "before")]
    count = 0
    for block in block_order(plan, place):
        for step in _of_block(plan, block, place, secret):
            if step.kind == "game" and not step.practice:
                step = dataclasses.replace(step, game=count)
                count += 1
            elif step.kind == "page" and step.game == LATEST:
                step = dataclasses.replace(step, game=count - 1)
            found.append(step)
    found += [Step("page", page.name) for page in plan.pages_in(place.condition, "end")]
    return tuple(found)


LATEST = -2  # the game before; its number is known when all is in order


def _of_block(plan: Plan, block: Block, place: Place, secret: str) -> Iterator[Step]:
    players, begin, count = block.make().players, first_seat(plan, block, place), 0

    def deal(what: str, number: int) -> str:
        owner = "" if plan.deals == "shared" else place.number
        return digest(secret, what, owner, block.name, number)[:16]

    def pages(when: str) -> list[Page]:
        return plan.pages_in(place.condition, when, block.name)

    if block.practice is not None:
        team, partner = (block.practice.partner,) * (players - 1), block.practice.partner
        for number in range(block.practice.games):
            seat = (begin + number) % players if block.seat is None else begin
            deal_of = deal("practice", number)
            yield Step("game", block.name, block.name, -1, partner, -1, True, seat, team, deal_of)
        yield from (Step("page", page.name, block.name) for page in pages("after_practice"))
    for position, one in enumerate(partner_order(plan, block, place)):
        team = block.partners[one]
        after = {"block": block.name, "game": LATEST, "partner": told(team), "position": position}
        for _ in range(block.games):
            seat = (begin + count) % players if block.seat is None else begin
            yield Step("game", block.name, block.name, 0, told(team), position, False, seat, team, deal("deal", count))
            count += 1
            yield from (Step("page", page.name, **after) for page in pages("after_game"))
        yield from (Step("page", page.name, **after) for page in pages("after_partner"))


def as_text(steps: tuple[Step, ...]) -> str:
    """As they are kept."""
    return json.dumps([dataclasses.asdict(one) for one in steps])


def from_text(text: str) -> tuple[Step, ...]:
    return tuple(Step(**(one | {"agents": tuple(one["agents"])})) for one in json.loads(text))


def stage(steps: tuple[Step, ...], at: int) -> str:
    """Where somebody is who is at a step, in the same words for everybody in a condition."""
    if at >= len(steps):
        return "end"
    step = steps[at]
    kind = step.kind, step.name, step.practice
    same = [number for number, one in enumerate(steps) if (one.kind, one.name, one.practice) == kind]
    word = "practice" if step.practice else step.kind
    return f"{word} {step.name}" + (f" {same.index(at) + 1} of {len(same)}" if len(same) > 1 else "")
