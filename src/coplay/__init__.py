"""coplay: how well does an agent play with partners it has never met?

    import coplay

    game = coplay.make("hanabi?players=2")
    coplay.play(game, ["piers", "iggi"], games=100)
    coplay.evaluate(game, MyAgent(), partners=["piers", "iggi"])

Training is `coplay.train.train`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coplay.lazy import lazy

__version__ = "0.1.0"

if TYPE_CHECKING:
    from coplay.agents.spec import agent
    from coplay.data import DataError
    from coplay.data.formats import read as read_games
    from coplay.data.recording import record
    from coplay.game import Game, GameError, Step
    from coplay.games import make, spec_of
    from coplay.measure import MeasureError
    from coplay.measure.adhoc import adhoc
    from coplay.measure.ah2ac2 import ah2ac2
    from coplay.measure.behaviour.pool import behaviour
    from coplay.measure.crossplay import crossplay
    from coplay.measure.evaluation import evaluate
    from coplay.measure.predict import predict
    from coplay.measure.robustness import robustness
    from coplay.measure.selfplay import selfplay
    from coplay.measure.tournament import tournament
    from coplay.player import Agent, AgentError, Policy
    from coplay.rollouts.episode import Episodes
    from coplay.rollouts.play import play
    from coplay.showing import show
    from coplay.testing import check_game

_PLACES = {
    "Agent": "coplay.player",
    "AgentError": "coplay.player",
    "DataError": "coplay.data",
    "Episodes": "coplay.rollouts.episode",
    "Game": "coplay.game",
    "GameError": "coplay.game",
    "MeasureError": "coplay.measure",
    "Policy": "coplay.player",
    "Step": "coplay.game",
    "adhoc": "coplay.measure.adhoc",
    "ah2ac2": "coplay.measure.ah2ac2",
    "agent": "coplay.agents.spec",
    "behaviour": "coplay.measure.behaviour.pool",
    "check_game": "coplay.testing",
    "crossplay": "coplay.measure.crossplay",
    "evaluate": "coplay.measure.evaluation",
    "make": "coplay.games",
    "play": "coplay.rollouts.play",
    "predict": "coplay.measure.predict",
    "read_games": "coplay.data.formats:read",
    "record": "coplay.data.recording",
    "robustness": "coplay.measure.robustness",
    "selfplay": "coplay.measure.selfplay",
    "show": "coplay.showing",
    "spec_of": "coplay.games",
    "tournament": "coplay.measure.tournament",
}
__all__ = [
    "Agent",
    "AgentError",
    "DataError",
    "Episodes",
    "Game",
    "GameError",
    "MeasureError",
    "Policy",
    "Step",
    "__version__",
    "adhoc",
    "agent",
    "ah2ac2",
    "behaviour",
    "check_game",
    "crossplay",
    "evaluate",
    "make",
    "play",
    "predict",
    "read_games",
    "record",
    "robustness",
    "selfplay",
    "show",
    "spec_of",
    "tournament",
]
__getattr__, __dir__ = lazy(__name__, _PLACES)
