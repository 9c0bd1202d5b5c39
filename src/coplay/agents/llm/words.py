"""What a language model is told, and how its answer is read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from coplay.game import Game
from coplay.games import family
from coplay.player import AgentError
from coplay.registry import attribute, worlds
from coplay.specs import unknown

Message = dict[str, str]

TASK = """You play a game with partners whom you have never met. All of you share one score; make it as high as you can.
Every turn you are shown what you can see, and the legal moves with their ids."""
LAST_LINE = "with a line ACTION: and the id of one legal move, for example ACTION: {example}"
SCAFFOLDS = {
    "act": f"Answer {LAST_LINE}. Write nothing else.",
    "reason": "Think before you move: what do the others know, why did they move as they did, what will your move tell "
    f"them, what can go wrong? Then end your answer {LAST_LINE}.",
    "notes": "Think before you move. From one turn to the next you remember nothing but your notes: write a line "
    f"NOTES: with what you want to read at your next turn, in at most 80 words. Then end your answer {LAST_LINE}.",
}
THOUGHT = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL | re.IGNORECASE)
ACTION = re.compile(r"\bACTION\b\W{0,6}(\d{1,6})\b", re.IGNORECASE)
NOTES = re.compile(r"^\W*NOTES\W*?:\W*(.*?)(?=^\W*ACTION\b|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL)
LONGEST_NOTES = 1200  # characters


class Read(NamedTuple):
    action: int | None  # None: there is no legal move in the answer
    problem: str
    notes: str


def system_words(game: Game, scaffold: str, guide: str) -> str:
    """What it is told before the first view; `guide` is the name of a text of the game's world, or a file."""
    if scaffold not in SCAFFOLDS:
        raise AgentError(f"scaffold={scaffold!r}: {unknown('scaffold', scaffold, SCAFFOLDS)}")
    parts = [TASK, _guide(game, "rules", needed=False), _guide(game, guide) if guide else "", SCAFFOLDS[scaffold]]
    return "\n\n".join(part.strip() for part in parts if part)


def _guide(game: Game, name: str, needed: bool = True) -> str:
    world = worlds().get(family(game))
    known = dict(world.guides) if world else {}
    if name in known:
        return attribute(known[name], AgentError)
    if not needed:
        return ""
    if Path(name).is_file():
        return Path(name).read_text(encoding="utf-8")
    raise AgentError(f"guide={name!r}: {unknown('guide', name, known, '; or give a text file')}")


def question(system: str, view: str, legal: list[int], notes: str | None) -> list[Message]:
    """The messages of a turn."""
    parts = [view.strip()]
    if "egal moves" not in view:
        parts.append(f"Ids of legal moves: {', '.join(map(str, legal))}")
    if notes:
        parts.append(f"Your notes from your last turn: {notes}")
    rules = system.replace("{example}", str(legal[0] if legal else 0))
    return [{"role": "system", "content": rules}, {"role": "user", "content": "\n\n".join(parts)}]


def again(answer: str, problem: str, legal: list[int]) -> list[Message]:
    """What is said after an answer that is no move."""
    more = (
        f"{problem} The ids of the legal moves are {', '.join(map(str, legal))}. Answer again, with a line ACTION: id"
    )
    return [{"role": "assistant", "content": answer[-2000:] or "(nothing)"}, {"role": "user", "content": more}]


def read(answer: str, legal: list[int]) -> Read:
    """The last move that an answer names."""
    said = THOUGHT.sub("", answer).strip()
    found = ACTION.findall(said) or ([said] if said.isdecimal() and len(said) < 7 else [])
    noted = NOTES.findall(said)
    notes = " ".join(noted[-1].split())[:LONGEST_NOTES] if noted else ""
    if not found:
        return Read(None, "There is no line ACTION: with an id in your answer.", notes)
    chosen = int(found[-1])
    if chosen not in legal:
        return Read(None, f"{chosen} is not a legal move.", notes)
    return Read(chosen, "", notes)
