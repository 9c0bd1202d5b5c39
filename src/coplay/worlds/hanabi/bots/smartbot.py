"""SmartBot, by Arthur O'Dwyer (Quuxplusone/Hanabi): a hint points at a playable card, silence says "nothing to save".

Conventions
- A hint that makes no card certainly playable promises that the newest card it touches that might be playable is so.
- A rank hint to the next player that touches the card he would discard next warns him that the card is the last copy.
- Whoever could have warned and did not says that the next player's next discard is not a last copy.
- Discarding a card everybody knows to be playable gives it to the partner whose newest card is its twin.
- With all tokens out, a rank hint to the previous player on his oldest card only passes the turn.

Everything is inferred from public knowledge, so all SmartBots hold the same sets and each knows what the others will
conclude; only "what do I see in the other hands" is private and used for one's own plays and discards. With `risk` the
last cards of the deck are played on a guess: Bard et al. (2020) do so with two players only, which is the default.

With strangers the conventions can contradict the hints. A card whose set becomes empty falls back to what hints and
copies out of the game leave open (for my own cards also the copies I see); an action that turns out illegal falls back
as `choosing.legal_or_fallback` says.
"""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.worlds.hanabi.bots import identity_sets as ids
from coplay.worlds.hanabi.bots.choosing import (
    best_hint,
    best_slot,
    discard_action,
    first_that_applies,
    legal_or_fallback,
    play_action,
    rank_hint_action,
    touches,
)
from coplay.worlds.hanabi.bots.elimination import eliminate_publicly, refill, without
from coplay.worlds.hanabi.bots.hearing import Heard, after_use, at, hear, newest, one_hot
from coplay.worlds.hanabi.bots.identity_sets import is_single, maybe, share, surely
from coplay.worlds.hanabi.cards import word
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.hanabi.view import View

Array = jax.Array

# A guess is worth a life when the deck holds at most this many cards, by lives left.
GUESS_AT_DECK = (-1, 1, 1, 3)


class CommonKnowledge(NamedTuple):
    """What everybody knows before a move."""

    sets: Array  # uint32 [players, hand_size]: possible identities of each card; empty where there is none
    playable: Array  # uint32
    valuable: Array  # uint32: last copies that can still score
    dead: Array  # uint32
    tokens: Array  # int32
    deck_size: Array  # int32


class SmartBot(eqx.Module):
    """O'Dwyer's SmartBot; `risk`: guess near the end of the deck (None: with two players only, as in the paper)."""

    game: Hanabi = eqx.field(static=True)
    risk: bool = eqx.field(static=True)
    name: str = eqx.field(static=True)
    hears = "every"

    def __init__(self, game: Hanabi, risk: bool | None = None, name: str = "smartbot") -> None:
        ids.check_game(name, game, variants=True)
        self.game = game
        self.risk = game.players == 2 if risk is None else risk
        self.name = name

    def start(self) -> CommonKnowledge:
        shape = (self.game.players, self.game.hand_size)
        nothing, zero = jnp.uint32(0), jnp.int32(0)
        everything = jnp.full(shape, self.game.all_identities, jnp.uint32)
        return CommonKnowledge(everything, nothing, nothing, nothing, zero, zero)

    def act(self, memory: CommonKnowledge, view: View, key: Array) -> tuple[CommonKnowledge, Array]:
        words = ids.hand_words(view)
        gone = ids.gone_copies(view)
        table = _table(view, memory, words, gone)
        return table, _choose(view, table, words, gone, self.risk)


# Listening


def _table(view: View, before: CommonKnowledge, words: Array, gone: Array) -> CommonKnowledge:
    """The public table now: the latest move understood, then everything excluded that can be."""
    sets = _understand(view, before, words, hear(view))
    dead = ids.dead_cards(view, gone)
    return CommonKnowledge(
        sets=eliminate_publicly(view.game, sets, words, gone),
        playable=ids.playable_cards(view),
        valuable=ids.last_copies(view, gone) & ~dead,
        dead=dead,
        tokens=view.info,
        deck_size=view.deck_size,
    )


def _next_discards(table: CommonKnowledge) -> Array:
    """int32 [players]: the slot each player would discard next as far as everybody knows; -1 if he has something better
    to do or only last copies."""
    sets = table.sets
    busy = (surely(sets, table.playable) | surely(sets, table.dead)).any(1)
    spare = (sets != 0) & ~surely(sets, table.valuable)
    slot = jnp.argmax(jnp.where(spare, share(sets, table.dead), -1), axis=1).astype(jnp.int32)
    return jnp.where(busy | ~spare.any(1), -1, slot)


def _reads_as_warning(card: Array, valuable: Array, members: Array) -> Array:
    """Would a hint naming `members` that touches this next discard be a warning?"""
    return maybe(card, valuable) & ((card & members & valuable) != 0)


def _understand(view: View, before: CommonKnowledge, words: Array, heard: Heard) -> Array:
    """The sets after the latest move. The mover thought on the table before it, so that is what counts."""
    game = view.game
    players, hand_size = before.sets.shape
    sets = before.sets
    following = (heard.actor + 1) % players
    to_following = heard.hint & (heard.target == following)
    next_discard = at(_next_discards(before), following)
    discard_mask = one_hot(following, players)[:, None] & one_hot(next_discard, hand_size)
    discard_set = at(at(sets, following), next_discard)

    warning = (
        heard.rank_hint
        & ~heard.reclaim
        & to_following
        & at(heard.touched, next_discard)
        & _reads_as_warning(discard_set, before.valuable, heard.members)
    )
    could_warn = (before.deck_size > 0) & (before.tokens > 0)
    not_warned = (heard.uses_card | (heard.hint & ~to_following)) & could_warn
    sets = jnp.where(discard_mask & not_warned, sets & ~before.valuable, sets)
    sets = jnp.where(discard_mask & warning, sets & before.valuable, sets)

    sets = _after_hint(before, sets, heard, points=~warning & ~heard.reclaim)
    sets = _after_gift(view, before, sets, words, heard)
    return after_use(sets, heard, fresh=word(game.all_identities))


def _after_hint(before: CommonKnowledge, sets: Array, heard: Heard, points: Array) -> Array:
    """The hinted hand's sets after what was said and, if the hint `points`, what was meant."""
    receiver = (heard.hint & one_hot(heard.target, sets.shape[0]))[:, None]
    touched = receiver & heard.touched
    told = jnp.where(touched, sets & heard.members, sets & ~heard.members)
    open_before = maybe(sets, before.playable)
    identified = (receiver & open_before & surely(told, before.playable)).any()
    candidate = touched & open_before & maybe(told, before.playable)
    meant = _last_true(candidate) & points & ~identified
    return jnp.where(receiver, jnp.where(meant, told & before.playable, told), sets)


def _after_gift(view: View, before: CommonKnowledge, sets: Array, words: Array, heard: Heard) -> Array:
    """A discarded card that everybody knew to be playable is some other player's newest card: of the first seat that
    shows it, otherwise mine."""
    players = view.game.players
    given = at(at(sets, heard.actor), heard.slot)
    gift = heard.discard & is_single(given) & surely(given, before.playable)
    newest_cards = newest(words != 0)
    player = jnp.arange(players)
    shows = (newest_cards & (ids.visible_cards(words) == heard.card)).any(1) & (player != heard.actor)
    absolute = (view.seat + player) % players
    order = jnp.where(shows, absolute, players)
    mine = ~shows.any() & (heard.actor != 0)
    receiver = jnp.where(mine, player == 0, shows & (order == order.min()))
    return jnp.where(gift & receiver[:, None] & newest_cards, sets & heard.card, sets)


def _last_true(mask: Array) -> Array:
    """Only the last True along the last axis."""
    later = jnp.cumsum(mask[..., ::-1], axis=-1)[..., ::-1]
    return mask & (later == 1)


# Choosing


def _choose(view: View, table: CommonKnowledge, words: Array, gone: Array, risk: bool) -> Array:
    game = view.game
    shown = ids.visible_cards(words)
    mine = table.sets[0]
    seen = _seen_by_me(view, table, words, shown, gone)
    next_discards = _next_discards(table)
    hint_fitness = _hint_fitness(game, table, shown, next_discards[1])
    can_hint, can_discard = view.info > 0, view.info < game.info_tokens
    deck_empty = view.deck_size == 0

    next_discard = at(shown[1], next_discards[1])
    must_warn = can_hint & ((next_discard & table.valuable) != 0)
    point_next, pointing_next = best_hint(game, hint_fitness[:1])
    warn = jnp.where(point_next, pointing_next, rank_hint_action(game, 1, next_discard))

    gift, gift_slot = _gift(table, words, shown)

    plays = surely(seen, table.playable)
    rank = ids.known_rank(game, seen)
    urgency = jnp.where(rank >= 0, game.ranks - rank, game.ranks + 2)
    play_fitness = urgency + 100 * ~surely(mine, table.playable)
    play = play_action(game, best_slot(play_fitness, plays))

    point, pointing = best_hint(game, hint_fitness)

    chance = share(seen, table.playable)
    limit = jnp.asarray(GUESS_AT_DECK)[jnp.clip(view.lives, 0, len(GUESS_AT_DECK) - 1)]
    guess = (chance > 0).any() & (view.deck_size <= limit) & risk
    # Ties go to the newest card.
    guessed = play_action(game, game.hand_size - 1 - jnp.argmax(chance[::-1]))

    dead = surely(mine, table.dead) | surely(seen, table.dead)
    dead_slot = best_slot(-share(mine, table.dead) + int(ids.SHARE_STEPS), dead)
    least_loss = best_slot(ids.known_rank(game, mine) + 1, mine != 0)

    action = first_that_applies(
        [
            (deck_empty & plays.any(), play),
            (deck_empty & guess, guessed),
            (must_warn, warn),
            (can_discard & gift, discard_action(gift_slot)),
            (plays.any(), play),
            (can_hint & point, pointing),
            (guess, guessed),
            (~can_discard, rank_hint_action(game, game.players - 1, shown[-1, 0])),
            (dead.any(), discard_action(dead_slot)),
            (next_discards[0] >= 0, discard_action(next_discards[0])),
        ],
        otherwise=discard_action(least_loss),
    )
    return legal_or_fallback(view, action)


def _seen_by_me(view: View, table: CommonKnowledge, words: Array, shown: Array, gone: Array) -> Array:
    """uint32 [hand_size]: my cards' sets less what I see elsewhere."""
    game = view.game
    mine = table.sets[0]
    visible = gone + ids.count_copies(game, shown[1:].reshape(-1))
    known = ids.count_copies(game, jnp.where(is_single(mine), mine, word(0)))
    seen = without(game, mine, visible + known)
    return refill(seen, ids.told(game, words[0]) & ~ids.all_copies(game, visible))


def _gift(table: CommonKnowledge, words: Array, shown: Array) -> tuple[Array, Array]:
    """(is there one, slot): my oldest card that everybody knows to be playable and no last copy, and whose twin is the
    newest card of exactly one other player."""
    mine = table.sets[0]
    newest_shown = jnp.where(newest(words != 0), shown, word(0))[1:].max(1)
    twins = (newest_shown[:, None] == mine).sum(0)
    gift = is_single(mine) & surely(mine, table.playable & ~table.valuable) & (twins == 1)
    return gift.any(), jnp.argmax(gift)


def _hint_fitness(game: Hanabi, table: CommonKnowledge, shown: Array, next_discard: Array) -> Array:
    """int32 [others, hints]: identities each hint would exclude; 0 if it points at nothing or would be misread."""
    partners, shown = table.sets[1:], shown[1:]
    members = jnp.asarray(ids.hint_sets(game))[None, :, None]
    touched = touches(game, shown)
    sets = partners[:, None, :]
    told = jnp.where(touched, sets & members, sets & ~members)

    open_before = maybe(sets, table.playable)
    identifies = (open_before & surely(told, table.playable)).any(2)
    pointed_at = _last_true(touched & open_before & maybe(told, table.playable))
    points = (pointed_at & ((shown & table.playable) != 0)[:, None, :]).any(2)

    rank_hints = members[0, game.hint_colors :, 0]
    discard_set, discard_card = at(partners[0], next_discard), at(shown[0], next_discard)
    misread = ((rank_hints & discard_card) != 0) & _reads_as_warning(discard_set, table.valuable, rank_hints)
    misread = jnp.concatenate([jnp.zeros(game.hint_colors, bool), misread])
    next_player = (jnp.arange(game.players - 1) == 0)[:, None]

    acceptable = touched.any(2) & (identifies | points) & ~(next_player & misread)
    removed = (ids.size(sets) - ids.size(told)).sum(2)
    return jnp.where(acceptable, removed, 0)
