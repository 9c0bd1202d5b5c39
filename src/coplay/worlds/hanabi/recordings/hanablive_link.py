"""hanab.live's compact string for a whole game, the part of a link after `/shared-replay-json/`.

Three parts with commas between. The deck: number of players, lowest and highest rank, then a character per card, suit *
ranks + rank. The actions: lowest and highest type, then two characters each: (value + 1) * types + type, where no value
counts as -1, and the target. The variant's number. Characters are base-62 digits, types and ranks count from their
lowest; a hyphen after every 20 characters lets the text wrap and means nothing. Read off the site's own code.
"""

from __future__ import annotations

import re
from typing import Any

from coplay.data import DataError
from coplay.worlds.hanabi.variants import VARIANTS

SITE = "https://hanab.live/shared-replay-json/"
NAMES = ("Alice", "Bob", "Cathy", "Donald", "Emily")  # whom the site seats, since a link names nobody
NUMBERS = {"No Variant": 0, "4 Suits": 15, "3 Suits": 18} | {one.title: one.number for one in VARIANTS.values()}
BASE62 = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def compact(source: dict[str, Any]) -> str:
    """The compact string of a JSON game; names, notes and options other than the variant are lost."""
    ranks = [card["rank"] for card in source["deck"]]
    low, span = min(ranks), max(ranks) - min(ranks) + 1
    deck = "".join(BASE62[card["suitIndex"] * span + card["rank"] - low] for card in source["deck"])
    types = [action["type"] for action in source["actions"]] or [0]
    first, width = min(types), max(types) - min(types) + 1
    moves = "".join(
        BASE62[(action.get("value", -1) + 1) * width + action["type"] - first] + BASE62[action["target"]]
        for action in source["actions"]
    )
    variant = NUMBERS[source["options"]["variant"]]
    text = f"{len(source['players'])}{low}{max(ranks)}{deck},{first}{max(types)}{moves},{variant}"
    return "-".join(text[i : i + 20] for i in range(0, len(text), 20))


def expand(link: str) -> dict[str, Any]:
    """The JSON game that a compact string, or a link with it, stands for."""
    text = re.sub(r"^.*replay-json/|#.*$|-|\s", "", str(link))
    match = re.fullmatch(r"(\d)(\d)(\d)([a-zA-Z0-9]+),(\d)(\d)((?:[a-zA-Z0-9]{2})*),(\d+)", text, re.ASCII)
    if match is None or match[2] > match[3] or match[5] > match[6]:
        raise DataError(
            f"{_shorten(link)!r} is not a hanab.live replay: it should look like {SITE}215abc...,03...,0. "
            "Copy the whole address, or the part after the last slash."
        )
    players, low, high, deck, first, last, moves, variant = match.groups()
    span, width = int(high) - int(low) + 1, int(last) - int(first) + 1
    names = {number: name for name, number in NUMBERS.items()}
    if int(variant) not in names:
        known = ", ".join(f"{number} ({name})" for number, name in names.items())
        raise DataError(f"{_shorten(link)!r}: variant {variant} cannot be played here; the variants are {known}.")
    cards = [divmod(BASE62.index(digit), span) for digit in deck]
    actions = []
    for head, target in zip(moves[::2], moves[1::2], strict=True):
        value, kind = divmod(BASE62.index(head), width)
        action = {"type": kind + int(first), "target": BASE62.index(target)}
        actions.append(action | ({"value": value - 1} if value else {}))
    return {
        "players": [f"Player {seat}" if seat >= len(NAMES) else NAMES[seat] for seat in range(int(players))],
        "deck": [{"suitIndex": color, "rank": rank + int(low)} for color, rank in cards],
        "actions": actions,
        "options": {"variant": names[int(variant)]},
    }


def _shorten(text: object) -> str:
    text = str(text)
    return text if len(text) <= 60 else text[:57] + "..."
