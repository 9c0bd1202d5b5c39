"""The H-Group player against an independent H-Group program (WillFlame14/hanabi-bot, level 5).

usage: python benchmarks/hgroup_agreement.py DIR [--games 100] [--forced 20]

DIR holds the recorded games `HGroup-L5_{2,3,4,5}p.npz`. Prints, per number of players:

- reading: how many of its clues our reader labels as it does. Its words map onto ours as in `WORDS`; it says "save" as
  soon as one reading of the focus is a save, "play" for play clues, prompts, finesses and tempo clues alike;
- moves: how often our player picks the same move from the same history (teacher-forced along its games);
- self-play of our player on its deals, and games per second of processor time.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

import numpy as np

import coplay
from coplay.worlds.hanabi.bots.hgroup import HGroup
from coplay.worlds.hanabi.bots.hgroup.agent import action_id
from coplay.worlds.hanabi.bots.hgroup.analyse import MoveReading, advance, open_table, read_game
from coplay.worlds.hanabi.bots.hgroup.deciding.choosing import choose
from coplay.worlds.hanabi.bots.hgroup.labels import PLAYS, SAVES, ClueLabel

WORDS = {
    **dict.fromkeys(PLAYS, "play"),
    **dict.fromkeys(SAVES, "save"),
    ClueLabel.TEMPO: "play",
    ClueLabel.FIVE_STALL: "5 stall",
    ClueLabel.FILL_IN: "fill-in",
    ClueLabel.HARD_BURN: "hard burn",
    ClueLabel.LOCKED_SAVE: "locked save",
    ClueLabel.EIGHT_CLUE_SAVE: "8cs",
    ClueLabel.FIX: "fix",
    ClueLabel.TRASH_CHOP_MOVE: "trash cm",
    ClueLabel.FIVE_CHOP_MOVE: "5cm",
    ClueLabel.UNEXPLAINED: "none (clue)",
}


def translate(reading: MoveReading) -> str:
    """Our label in the program's words."""
    assert isinstance(reading.label, ClueLabel)
    return "save" if reading.promised_save else WORDS[reading.label]


def action_ids(rows: np.ndarray, players: int) -> np.ndarray:
    """Recorded columns (actor, type, slot, target, value, …) as action ids, -1 after the end."""
    size = 5 if players < 4 else 4
    actor, kind, slot, target, value = (rows[..., column].astype(int) for column in range(5))
    hint = 2 * size + 5 * ((target - actor) % players - 1) + value
    ids = np.select(
        [kind == 0, kind == 1, kind == 2, kind == 3], [size + slot, slot, hint, hint + 5 * (players - 1)], -1
    )
    return np.where(actor >= 0, ids, -1)


def reading_agreement(decks: list[list[int]], actions: list[list[int]], told: np.ndarray, players: int) -> None:
    """Prints the share of clues read alike, in all and by the program's label."""
    pairs: Counter[tuple[str, str]] = Counter()
    for deck, moves, labels in zip(decks, actions, told, strict=True):
        for reading, label in zip(read_game(deck, moves, players), labels, strict=False):
            if reading.kind == "clue":
                pairs[str(label), translate(reading)] += 1
    total = Counter[str]()
    for (theirs, _), count in pairs.items():
        total[theirs] += count
    same = sum(count for (theirs, ours), count in pairs.items() if theirs == ours)
    print(f"  reading: {same / total.total():.1%} of {total.total()} clues")
    for theirs, count in total.most_common():
        others = {ours: n for (their, ours), n in pairs.items() if their == theirs and ours != theirs}
        print(f"    {theirs:12} {pairs[theirs, theirs]:5} of {count:5}   read otherwise: {others or '-'}")


def move_agreement(decks: list[list[int]], actions: list[list[int]], players: int) -> None:
    """Prints how often our player picks the recorded move, and a move of the same kind."""
    same: Counter[str] = Counter()
    total: Counter[str] = Counter()
    kinds = 0
    for deck, moves in zip(decks, actions, strict=True):
        tables = [open_table(deck, players, seat) for seat in range(players)]
        for action in moves:
            if action < 0:
                break
            mine = tables[tables[0].actor]
            size = mine.hand_size
            kind = ("discard", "play", "clue")[min(action // size, 2)]
            choice = action_id(mine, choose(mine))
            total[kind] += 1
            same[kind] += choice == action
            kinds += min(choice // size, 2) == min(action // size, 2)
            for table in tables:
                advance(table, deck, action)
    parts = ", ".join(f"{kind} {same[kind] / total[kind]:.1%}" for kind in ("play", "discard", "clue"))
    print(f"  moves: {same.total() / total.total():.1%} of {total.total()} the same ({parts}); ", end="")
    print(f"same kind {kinds / total.total():.1%}")


def self_play(decks: np.ndarray, players: int, recorded: float) -> None:
    """Prints the mean score of our player on these deals, strikes counting as 0 points."""
    game = coplay.make("hanabi", players=players)
    coplay.play(game, [HGroup(game)] * players, decks=decks[:1])  # compiles
    begun = time.process_time()
    result = coplay.play(game, [HGroup(game)] * players, decks=decks)
    seconds = time.process_time() - begun
    scores, games = np.asarray(result.scores), len(decks)
    error = scores.std(ddof=1) / np.sqrt(games)
    print(
        f"  self-play: {scores.mean():.2f} ± {error:.2f} over {games} games (its own {recorded:.2f}), "
        f"{(scores == 25).mean():.0%} perfect, {(scores == 0).mean():.1%} struck out, {len(result.forfeits)} forfeits; "
        f"{games / seconds:.1f} games/s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=100, help="self-play games per number of players")
    parser.add_argument("--forced", type=int, default=20, help="recorded games for the comparison of moves")
    parser.add_argument("--players", type=int, nargs="*", default=[2, 3, 4, 5])
    options = parser.parse_args()
    for players in options.players:
        data = dict(np.load(options.folder / f"HGroup-L5_{players}p.npz"))
        decks = (data["deck"].astype(int) @ np.array([5, 1])).tolist()
        actions = action_ids(data["actions"], players).tolist()
        print(f"{players} players")
        reading_agreement(decks, actions, data["interps"], players)
        move_agreement(decks[: options.forced], actions[: options.forced], players)
        if options.games:
            self_play(data["deck"][: options.games], players, float(data["score_paper"].mean()))


if __name__ == "__main__":
    main()
