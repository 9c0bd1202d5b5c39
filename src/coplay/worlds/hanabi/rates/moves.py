"""Hanabi games replayed in one compiled call: what each move was, and what was known when it was made."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.compiling import quick_jit
from coplay.measure import MeasureError
from coplay.rollouts.episode import Episodes
from coplay.worlds.hanabi import Hanabi, cards
from coplay.worlds.hanabi.cards import pick, pick_hand, word
from coplay.worlds.hanabi.rules import State, decode, hint_members

Array = jax.Array
CHUNK = 1024  # games at once; batches are filled up to one size, so that little compiles
DISCARD, PLAY, COLOR, RANK = range(4)
KINDS = ("discard", "play", "colour hint", "rank hint")


class Moves(NamedTuple):
    """One entry per game and turn, [games, turns]; entries beyond the end of a game are not `made`."""

    made: np.ndarray  # bool
    seat: np.ndarray  # int8
    kind: np.ndarray  # int8: DISCARD, PLAY, COLOR or RANK
    slot: np.ndarray  # int8: of the card played or discarded, oldest 0; -1 for a hint
    value: np.ndarray  # int8: hinted colour or rank; -1 for other moves
    target: np.ndarray  # int8: of a hint, counted from the actor; 0 for other moves
    tokens: np.ndarray  # int8: hint tokens before the move
    held: np.ndarray  # int8: cards in the actor's hand
    color_known: np.ndarray  # bool: of the card used, by its hints alone, negative ones included
    rank_known: np.ndarray  # bool
    told: np.ndarray  # bool: some hint touched the card used
    scored: np.ndarray  # bool
    misplayed: np.ndarray  # bool
    touched: np.ndarray  # int8: cards a hint touches
    fresh: np.ndarray  # bool: among them one that no hint touched before
    heard: np.ndarray  # bool: the actor was given a hint since its last turn
    follows: np.ndarray  # bool: the card used was touched by such a hint
    follows_newest: np.ndarray  # bool: and it is the newest that was

    def of(self, game: Hanabi) -> np.ndarray:
        """int16 [games, turns]: the move as a row of the action table: discards, plays by slot, hints by value."""
        size = game.hand_size
        start = np.array([0, size, 2 * size, 2 * size + game.hint_colors])[self.kind]
        return (start + np.maximum(self.slot, 0) + np.maximum(self.value, 0)).astype(np.int16)


def moves_of(episodes: Episodes) -> Moves:
    """Every move of Hanabi games."""
    game = episodes.game
    if not isinstance(game, Hanabi):
        raise MeasureError(f"{game.name} has no hints, plays and discards; this measure reads games of Hanabi.")
    count, turns = episodes.actions.shape[:2]
    actions = np.full((count, game.max_steps), -1, np.int32)
    actions[:, :turns] = episodes.actions
    size = min(CHUNK, 1 << (count - 1).bit_length())
    parts = []
    for first in range(0, count, size):
        rows = np.minimum(np.arange(first, first + size), count - 1)
        starts = jax.tree.map(lambda leaf, rows=rows: jnp.asarray(np.asarray(leaf)[rows]), episodes.starts)
        lengths = jnp.asarray(np.asarray(episodes.lengths)[rows], jnp.int32)
        parts.append(jax.device_get(_replay(game, starts, jnp.asarray(actions[rows]), lengths)))
    found = Moves(*(np.concatenate(leaves)[:count] for leaves in zip(*parts, strict=True)))
    last = int(np.asarray(episodes.lengths).max(initial=1))
    return Moves(*(leaf[:, :last] for leaf in found))


@quick_jit
def _replay(game: Hanabi, starts: Any, actions: Array, lengths: Array) -> Moves:
    def one(start: State, moves: Array, length: Array) -> Moves:
        def turn(carry: tuple[State, Array], now: tuple[Array, Array]) -> tuple[tuple[State, Array], Moves]:
            state, heard = carry
            number, action = now
            made = number < length
            action = jnp.where(made, action, -1)
            after = game.step(state, jnp.broadcast_to(action, (game.players,)))
            seen, heard = _look(game, state, heard, action, made, after.events)
            return (after.state, heard), seen

        nobody = jnp.zeros(game.players, jnp.uint32)
        return jax.lax.scan(turn, (start, nobody), (jnp.arange(game.max_steps), moves))[1]

    return jax.vmap(one)(starts, actions, lengths)


def _look(game: Hanabi, state: State, heard: Array, action: Array, made: Array, events: Any) -> tuple[Moves, Array]:
    """The move, and which slots of every hand were touched since its holder's last turn, uint32 [players]."""
    move = decode(game, action)
    hint = move.color_hint | move.rank_hint
    uses = move.play | move.discard
    hand = pick_hand(state.hands, state.seat)
    card = pick(hand, move.slot)
    target = (state.seat + move.offset) % game.players
    receiver = pick_hand(state.hands, target)
    members = hint_members(game, move)
    matches = [(cards.identity_set(other) & members) != 0 for other in receiver]
    mask = cards.union([match.astype(jnp.uint32) << word(slot) for slot, match in enumerate(matches)])
    mine = heard[state.seat]
    bit = jnp.where(uses, word(1) << move.slot.astype(jnp.uint32), word(0))
    seats = jnp.arange(game.players)
    after = jnp.where(made & (seats == state.seat), word(0), heard)  # it had its turn
    after = jnp.where(made & hint & (seats == target), after | mask, after)
    kind = move.play * PLAY + move.color_hint * COLOR + move.rank_hint * RANK
    seen: dict[str, Any] = {
        "made": made,
        "seat": state.seat.astype(jnp.int8),
        "kind": kind.astype(jnp.int8),
        "slot": jnp.where(uses, move.slot, -1).astype(jnp.int8),
        "value": jnp.where(hint, move.value, -1).astype(jnp.int8),
        "target": jnp.where(hint, move.offset, 0).astype(jnp.int8),
        "tokens": state.info.astype(jnp.int8),
        "held": _count([other != 0 for other in hand]),
        "color_known": uses & (_projected(game, card, "color") == 1),
        "rank_known": uses & (_projected(game, card, "rank") == 1),
        "told": uses & _told(card),
        "scored": events.scored,
        "misplayed": events.misplayed,
        "touched": jnp.where(hint, _count(matches), 0).astype(jnp.int8),
        "fresh": hint & _any([match & ~_told(other) for match, other in zip(matches, receiver, strict=True)]),
        "heard": mine != 0,
        "follows": (mine & bit) != 0,
        "follows_newest": ((mine & bit) != 0) & (mine < (bit << word(1))),  # no touched slot lies above it
    }
    return Moves(**seen), after


def _told(card: Array) -> Array:
    return (card & (cards.COLOR_TOLD | cards.RANK_TOLD)) != 0


def _count(flags: list[Array]) -> Array:
    return jnp.stack(flags).sum(0).astype(jnp.int8)


def _any(flags: list[Array]) -> Array:
    return jnp.stack(flags).any(0)


def _projected(game: Hanabi, card: Array, what: str) -> Array:
    """How many colours (or ranks) the hints on a card leave open."""
    possible = cards.possible(game, card)
    if what == "color":
        groups = [word(((1 << game.ranks) - 1) << (color * game.ranks)) for color in range(game.colors)]
    else:
        groups = [word(members) for members in game.rank_sets]
    return jnp.stack([(possible & group) != 0 for group in groups]).sum(0)
