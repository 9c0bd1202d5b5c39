"""An episode to look at: in the terminal, or as a page that opens from disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from coplay.data import DataError
from coplay.data.hanablive import to_link
from coplay.games.hanabi import Hanabi
from coplay.games.replay_page import Frame, replay_page
from coplay.play.episode import Episodes
from coplay.play.replay import states_of


def page(episodes: Episodes, index: int) -> str:
    """The episode as a self-contained HTML page."""
    states = states_of(episodes, index)
    # A Hanabi table says in words what happened; a kitchen does not.
    captions = [f"step {t}" if episodes.game.simultaneous else "" for t in range(len(states))]
    frames = [Frame(_svg(episodes, state), caption) for state, caption in zip(states, captions, strict=True)]
    title = f"{episodes.game.name}: {', '.join(episodes.names)}, game {index}, score {episodes.scores[index]:g}"
    pace = 0.15 if episodes.game.simultaneous else 1.0
    return replay_page(title, frames, link(episodes, index), pace)


def terminal_frames(episodes: Episodes, index: int) -> Iterator[Any]:
    """A rich renderable per state."""
    for state in states_of(episodes, index):
        if isinstance(episodes.game, Hanabi):
            from coplay.games.hanabi.terminal import state_terminal

            yield state_terminal(episodes.game, state, episodes.names)
        else:
            from coplay.games.overcooked.terminal import state_terminal as kitchen

            yield kitchen(episodes.game, state, episodes.names)  # pyright: ignore[reportArgumentType]


def link(episodes: Episodes, index: int) -> str | None:
    """Where hanab.live shows this game; None if that site cannot."""
    if not isinstance(episodes.game, Hanabi):
        return None
    actions = [int(action) for action in episodes.actions[index, : episodes.lengths[index]]]
    try:
        return to_link(episodes.game, episodes.decks[index], actions, int(episodes.starts.seat[index]))
    except DataError:
        return None


def unique(names: tuple[str, ...]) -> list[str]:
    """Names told apart: a team of copies becomes smartbot 1, smartbot 2."""
    if len(set(names)) == len(names):
        return list(names)
    return [f"{name} {seat + 1}" for seat, name in enumerate(names)]


def _svg(episodes: Episodes, state: Any) -> str:
    if isinstance(episodes.game, Hanabi):
        from coplay.games.hanabi.draw import state_svg

        return state_svg(episodes.game, state, unique(episodes.names))
    from coplay.games.overcooked.draw import kitchen_svg

    return kitchen_svg(episodes.game, state, unique(episodes.names))  # pyright: ignore[reportArgumentType]
