"""What the shipped agents are put through for docs/results.md: who meets whom, and one agent's part of a table.

Such a part is played, or read if it was kept. It depends on the arguments alone, so that `jobs` can spread the
parts over processes beforehand.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coplay import __version__
from coplay.agents.contents import file_hashes
from coplay.data.formats import read
from coplay.game import Game
from coplay.games import make
from coplay.measure.adhoc import AdHocFolder, Trial, adhoc, team_alone
from coplay.measure.ah2ac2 import ProxyScores, ah2ac2, default_proxies
from coplay.measure.evaluated.proximity import Proximity, proximity_of
from coplay.measure.predict import predict
from coplay.measure.robustness import Robustness, robustness
from coplay.measure.robustness.unit_test import PAPER
from coplay.measure.study.partners import default_partners
from coplay.measure.study.result import to_json
from coplay.measure.study.runner import finished
from coplay.pool.ceilings import Ceiling, ceilings
from coplay.pool.pool import entries
from coplay.pool.reference import ALL, Met, Reference, reference
from coplay.rollouts.episode import Episodes
from coplay.rollouts.play import play
from coplay.worlds.hanabi.recordings import to_episodes
from coplay.worlds.hanabi.recordings.challenge import COMMUNITIES, challenge_games
from coplay.worlds.overcooked.suite import layouts, paper_layouts
from studies.results.work import Work, kind_of

CHANCE = "random"
THEORY_OF_MIND, FITTED = "theory-of-mind", "theory-of-mind?params=fitted"
HANABI_TESTS = (2, 3)  # players
WORTH_JOINING = 5.0  # points: a team that scores less by itself has nothing to fit into


def hanabi(work: Work) -> list[Game]:
    """Hanabi with every number of players asked for."""
    return [make("hanabi", players=count) for count in work.players]


def strangers(work: Work, game: Game) -> list[tuple[str, str]]:
    """(agent, hold-out team): every team of the default pool but its own."""
    teams = default_partners(game)
    return [(agent, team) for agent in work.shipped(game) for team in teams if team != agent]


def alone(work: Work, game: Game, team: str) -> float:
    """What a hold-out team scores by itself, on the deals of the trials."""
    about = [game.version, game.players, team, file_hashes([team]), work.size.trials]
    return work.remembered("alone", about, lambda: float(team_alone(game, team, work.size.trials, 0).mean()))


def trials(work: Work, game: Game, agent: str, team: str) -> list[Trial]:
    """The ad-hoc trials with one team; none with a team that is not worth joining."""
    size = work.size
    if alone(work, game, team) < WORTH_JOINING:
        return []
    place = work.folder("adhoc", game, agent, [team], trials=size.trials, sets=size.sets)
    folder = AdHocFolder(adhoc(game, agent, [team], size.trials, size.sets, out=place).folder)
    return finished(folder, folder.run().jobs)[team, 10]


def candidates(work: Work, game: Game) -> dict[str, list[str]]:
    """agent -> its proxies; a proxy meets the others, and the only one meets nobody."""
    proxies = default_proxies(game)
    found = {agent: [proxy for proxy in proxies if proxy != agent] for agent in work.shipped(game)}
    return {agent: others for agent, others in found.items() if others}


def with_proxies(work: Work, game: Game, agent: str, proxies: list[str]) -> ProxyScores:
    """Mean, median and share of zeros over all configurations."""
    place = work.folder("ah2ac2", game, agent, proxies, games=work.size.games)
    return ah2ac2(game, agent, proxies, work.size.games, out=place).overall


@dataclasses.dataclass(frozen=True)
class Recorded:
    """Games to predict: a community's validation games, or a file of people's."""

    community: str = ""
    players: int = 0
    file: Path | None = None

    @property
    def label(self) -> str:
        if self.file is not None:
            return f"Games of people, `{self.file.name}`"
        return f"Validation games of `{self.community}` (programs), {self.players} players"

    def games(self, most: int) -> Episodes:
        """The first ones."""
        if self.file is not None:
            return read(self.file)[:most]
        return to_episodes(challenge_games(self.community, self.players, "val")[:most])


def recordings(work: Work, people: Sequence[Path] = ()) -> list[Recorded]:
    """The games that are predicted."""
    programs = [Recorded(name, count) for count in work.players for name in COMMUNITIES]
    return programs + [Recorded(file=Path(file)) for file in people]


def predictors(work: Work, game: Game) -> list[str]:
    """All but the one who expects anything: the last line of a table is what that is worth."""
    return [agent for agent in work.shipped(game) if agent != CHANCE]


def foresight(work: Work, recorded: Recorded, agent: str) -> dict[str, Any]:
    """How surely the agent foresees the recorded moves."""
    games = recorded.games(work.size.recorded)
    contents = hashlib.sha256(games.decks.tobytes() + games.actions.tobytes()).hexdigest()
    about = [__version__, contents, games.game.version, agent, file_hashes([agent])]
    return work.remembered("prediction", about, lambda: _prediction(games, agent))


def _prediction(games: Episodes, agent: str) -> dict[str, Any]:
    found = predict(games, agent, None if kind_of(agent) else "fit")
    result = found.result
    return {
        "cross_entropy": to_json(result.cross_entropy),
        "paper": result.paper_cross_entropy.value,
        "accuracy": 0.0 if result.accuracy is None else result.accuracy.value,
        "smoothing": found.smoothing,
        "uniform": result.uniform,
        "paper_uniform": result.paper_uniform,
        "uniform_accuracy": result.uniform_accuracy,
    }


def proximity_games(work: Work) -> list[Game]:
    """Hanabi, and the kitchens that somebody was trained in."""
    kitchens = sorted({one.game for one in entries().values() if one.game.startswith("overcooked")})
    return [*hanabi(work), *map(make, kitchens)]


def met_by_all(game: Game) -> list[str]:
    """Whom everybody meets: the default pool, and whoever is known to get anywhere with somebody."""
    return list(dict.fromkeys([*default_partners(game), *ceilings(game, {})]))


def meetings(work: Work, game: Game) -> list[tuple[str, str]]:
    """(agent, partner); an agent meets its own copies too."""
    return [(agent, partner) for agent in work.shipped(game) for partner in met_by_all(game)]


def returns(work: Work, game: Game, agent: str, partner: str) -> list[float]:
    """The agent's scores with copies of a partner in the other seats, seat by seat, every seat on the same deals."""
    games = work.size.episodes if hasattr(game, "layout") else work.size.each
    about = [game.name, game.version, game.players, getattr(game, "layout", ""), agent, partner]
    return work.remembered(
        "proximity", [*about, file_hashes([agent, partner]), games], lambda: _returns(game, agent, partner, games)
    )


def _returns(game: Game, agent: str, partner: str, games: int) -> list[float]:
    found = []
    for seat in range(game.players if agent != partner else 1):
        team = [agent if place == seat else partner for place in range(game.players)]
        found.append(play(game, team, games, engine="lockstep", progress=False).scores)
    return [round(float(score), 3) for score in np.concatenate(found)]


def met(work: Work, game: Game) -> Reference:
    """What everybody scores with everybody; of agents that were not asked for, what the package's table says."""
    known = {} if work.agents is None else dict(reference(game))
    for agent, partner in meetings(work, game):
        scores = np.array(returns(work, game, agent, partner))
        # A deal's seats are alike, so deals are what is drawn.
        deals = scores.reshape(-1, work.size.episodes if hasattr(game, "layout") else work.size.each).mean(0)
        error = float(deals.std(ddof=1) / np.sqrt(len(deals))) if len(deals) > 1 else 0.0
        known[agent, partner] = Met(ALL, len(scores), float(scores.mean()), error)
    return known


def proximity_with(work: Work, game: Game, agent: str, known: Mapping[str, Ceiling]) -> Proximity:
    """Best-response proximity with every partner whose ceiling is known, but for the agent itself."""
    partners = [partner for partner in met_by_all(game) if partner in known and partner != agent]
    return proximity_of({partner: returns(work, game, agent, partner) for partner in partners}, known)


def test_places(work: Work) -> list[list[Game]]:
    """Where there are unit tests: Hanabi, the paper's four kitchens taken together, and the others one by one."""
    places: list[list[Game]] = [[game] for game in hanabi(work) if game.players in HANABI_TESTS]
    places.append([make("overcooked", layout=layout) for layout in paper_layouts()])
    others = [layout for layout in layouts() if layout not in paper_layouts()]
    return places + [[make("overcooked", layout=layout)] for layout in others]


def tested(work: Work, games: Sequence[Game]) -> list[str]:
    """The shipped agents, and in kitchens the Theory-of-Mind agent that was fitted to people, which a paper reports."""
    found = work.shipped(games[0])
    if THEORY_OF_MIND in found:
        found.insert(found.index(THEORY_OF_MIND) + 1, FITTED)
    return found


def passed_tests(work: Work, games: Sequence[Game], agent: str) -> dict[str, dict[str, float]]:
    """category -> the share of passed tests."""
    rollouts = work.size.rollouts
    places = [[game.name, game.version, game.players, getattr(game, "layout", "")] for game in games]
    about = [__version__, places, agent, file_hashes([agent]), rollouts]
    return work.remembered("robustness", about, lambda: _passed(robustness(games, agent, rollouts)))


def _passed(result: Robustness) -> dict[str, Any]:
    known = {outcome.test.category for outcome in result.outcomes}
    return {name: to_json(result.category(name)) for name in PAPER if name in known}
