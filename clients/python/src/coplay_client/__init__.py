"""Plays on a coplay challenge server."""

from coplay_client.batch import Batch, History
from coplay_client.environment import Environment
from coplay_client.errors import ClientError, ConnectionLost, IllegalAction, Refused, Stuck, Superseded
from coplay_client.predict import Decisions, Foreseen, predict
from coplay_client.requests import Keys, register, rotate_key
from coplay_client.serve import agent_server, serve_agent
from coplay_client.space import EvaluationSpace
from coplay_client.space_async import AsyncEvaluationSpace

__version__ = "0.1.0"
__all__ = [
    "AsyncEvaluationSpace",
    "Batch",
    "ClientError",
    "ConnectionLost",
    "Decisions",
    "Environment",
    "EvaluationSpace",
    "Foreseen",
    "History",
    "IllegalAction",
    "Keys",
    "Refused",
    "Stuck",
    "Superseded",
    "agent_server",
    "predict",
    "register",
    "rotate_key",
    "serve_agent",
]
