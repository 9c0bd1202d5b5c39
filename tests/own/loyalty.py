"""A measure as somebody writes it who has only read the page about it."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Found:
    loyalty: dict[str, float]


class Loyalty:
    """How much more does an agent score with its own copies than with others?"""

    def plan(self, game, agents):
        return [(a, *[b] * (game.players - 1)) for a in agents for b in agents]

    def summarise(self, game, agents, scores):
        own = {a: scores[(a,) * game.players].mean() for a in agents}
        others = {a: [one.mean() for team, one in scores.items() if team[0] == a and set(team) != {a}] for a in agents}
        return Found({a: float(own[a] - sum(others[a]) / len(others[a])) for a in agents})

    def sections(self, summary):
        return [("Loyalty", "".join(f"<p>{name}: {value:+.2f}</p>" for name, value in summary.loyalty.items()))]
