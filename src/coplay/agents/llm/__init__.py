"""Language models as players: `llm:MODEL?url=http://127.0.0.1:8000/v1`, on any server that speaks OpenAI's protocol.

chat.py     one question to a server, and what to do when it fails
answers.py  answers that were given before, on disk
words.py    what a model is told, and how its answer is read
agent.py    the player
"""

from coplay.agents.llm.agent import LanguageModel, load_model

__all__ = ["LanguageModel", "load_model"]
