"""The information strategy, version of 2023 (WuTheFWasThat/hanabi.rs), for two to five players.

All players keep the same public tables: for every card of every hand the identities it may be (tables.py). Every hand
is also a number that all but its owner can compute (questions.py). A hint stands for the sum of the numbers of all
players but the hinter (hints.py), modulo as many as there are distinguishable hints; everyone subtracts the numbers he
sees, keeps his own, and so learns about his whole hand from every hint, whoever gets it. Discards speak the same way: a
player with several publicly useless cards says a sum by which of them he discards, and a discard while hint tokens are
left says that nobody needs a hint: whoever has no publicly known playable card has no playable card.

With strangers these readings can contradict the cards. A table that becomes empty starts again from what the hints on
that card and the revealed cards allow; the same holds for what a player concludes in private from the hands he sees. A
discard that is not one of the useless cards says no number. If no hint has the number to be told, the first legal hint
is given.
"""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.player import Hears
from coplay.worlds.hanabi.bots.identity_sets import (
    count_copies,
    gone_copies,
    hand_words,
    hint_sets,
    surely,
    told,
    visible_cards,
)
from coplay.worlds.hanabi.bots.information import hints, questions
from coplay.worlds.hanabi.bots.information.tables import (
    Board,
    Left,
    board_before_discard,
    board_now,
    copies_left,
    share,
    useless,
    weigh,
)
from coplay.worlds.hanabi.bots.standard_game import require_standard_game
from coplay.worlds.hanabi.cards import POSSIBLE, word
from coplay.worlds.hanabi.rules import Move, decode
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.hanabi.view import View

Array = jax.Array

# Products of the original's 32-bit arithmetic as constants: a compiler may fuse a product into the sum that follows and
# round once instead of twice, which breaks ties differently. PLAY_TERM[weight, rank, holders], SHARE_OF[part, whole].
_f32 = np.float32
_worth = (_f32(10) - np.arange(1, 6, dtype=_f32))[:, None] / np.maximum(np.arange(6, dtype=_f32), 1)
PLAY_TERM = np.arange(4, dtype=_f32)[:, None, None] * _worth
SHARE_OF = np.arange(51, dtype=_f32)[:, None] / np.maximum(np.arange(51, dtype=_f32), 1)


class Own(NamedTuple):
    """What a player knows about his own hand [h] when he counts what he sees in the others'."""

    tables: Array
    left: Left  # copies neither played, discarded, nor seen in another hand


class InformationBot(eqx.Module):
    """J. Wu's information strategy."""

    game: Hanabi = eqx.field(static=True)
    name: str = eqx.field(static=True, default="information")

    def __check_init__(self) -> None:
        require_standard_game("information", self.game, 2, 5)

    @property
    def rounds(self) -> int:
        """Questions that use up the largest modulus: every answer at least halves the room."""
        largest = max(4 * (self.game.players - 1), self.game.hand_size)
        return int(np.ceil(np.log2(largest)))

    @property
    def hears(self) -> Hears:
        return "every"

    def start(self) -> Array:
        """The public tables, uint32 [players, hand_size], the viewer's hand first."""
        return jnp.full((self.game.players, self.game.hand_size), POSSIBLE, jnp.uint32)

    def act(self, memory: Array, view: View, key: Array) -> tuple[Array, Array]:
        tables = self._hear(memory, view)
        return tables, self._choose(tables, view)

    # Hearing

    def _hear(self, tables: Array, view: View) -> Array:
        """The public tables after the latest move."""
        move = decode(self.game, view.last.action)
        board = board_before_discard(view, move.discard)
        number, modulus = self._number_told(tables, view, board, move)
        silent = move.discard & (view.info > 1)
        tables = jnp.where(silent, nobody_needs_a_hint(board, tables, view.last.actor), tables)
        tables = self._tell(tables, view, board, number, modulus)
        uses_card = move.play | move.discard
        tables = jnp.where(uses_card, self._draw(tables, view.last.actor, move.slot), tables)
        return _believable(tables, told(self.game, hand_words(view)), board_now(view).left)

    def _number_told(self, tables: Array, view: View, board: Board, move: Move) -> tuple[Array, Array]:
        """The sum of numbers the latest move stood for, and its modulus; 0 and 1 if it told none."""
        actor = view.last.actor
        players = np.arange(self.game.players)
        after_actor = (players - actor) % self.game.players
        offered = hints.numbers_offered(self.game, tables)
        target = (actor + move.offset) % self.game.players
        reference = hints.reference_slot(self.game, board, tables)[target]
        touches = ((view.last.touched >> reference.astype(jnp.uint32)) & word(1)) != 0
        skipped = jnp.where((after_actor > 0) & (after_actor < move.offset), offered, 0).sum()
        by_hint = skipped + hints.hint_number(offered[target], move.rank_hint, touches)
        all_hints = jnp.where(after_actor > 0, offered, 0).sum()

        spare = useless(board, tables[actor])
        slots = np.arange(self.game.hand_size)
        by_discard = (spare & (slots < move.slot)).sum()
        all_discards = spare.sum()
        discard = move.discard & (spare & (slots == move.slot)).any()

        hint = move.color_hint | move.rank_hint
        number = jnp.where(hint, by_hint, jnp.where(discard, by_discard, 0))
        return number, jnp.where(hint, all_hints, jnp.where(discard, all_discards, 1))

    def _tell(self, tables: Array, view: View, board: Board, total: Array, modulus: Array) -> Array:
        """The tables when the sum of all numbers but the actor's is known."""
        actor = view.last.actor
        numbers, others = self._numbers(tables, view, board, modulus)
        seen = jnp.where(np.arange(1, self.game.players) == actor, 0, numbers).sum()
        own = questions.read_number(board, tables[0], (total - seen) % modulus, modulus, self.rounds)
        is_actor = np.arange(self.game.players)[:, None] == actor
        return jnp.where(is_actor, tables, jnp.concatenate([own[None], others]))

    def _numbers(self, tables: Array, view: View, board: Board, modulus: Array) -> tuple[Array, Array]:
        """The numbers [players - 1] of the other hands, and their tables when these are known."""
        cards = visible_cards(hand_words(view))

        def one(hand: Array, cards: Array) -> tuple[Array, Array]:
            return questions.number_of(board, hand, cards, modulus, self.rounds)

        return jax.vmap(one)(tables[1:], cards[1:])

    def _draw(self, tables: Array, actor: Array, slot: Array) -> Array:
        """The actor's card leaves its slot, the younger ones move up, and a new one may be anything."""
        fresh = jnp.full((self.game.players, 1), POSSIBLE, jnp.uint32)
        moved = jnp.concatenate([tables[:, 1:], fresh], axis=1)
        is_actor = np.arange(self.game.players)[:, None] == actor
        return jnp.where(is_actor & (np.arange(self.game.hand_size) >= slot), moved, tables)

    # Choosing

    def _choose(self, tables: Array, view: View) -> Array:
        size = self.game.hand_size
        board = board_now(view)
        own = self._own(tables, view)
        play_slot, play = _sure_play(view, board, own)
        risk_slot, risk = _likely_play(board, own)
        early = view.discards.sum() <= self.game.num_cards - 25 - self.game.players * size
        risk &= early & (view.lives > 1)
        hint = self._wants_to_hint(tables, view, board, own, early)

        offered = hints.numbers_offered(self.game, tables)[1:]
        spare = useless(board, tables[0])
        speaking = spare.sum() > 1
        modulus = jnp.where(hint, offered.sum(), jnp.where(speaking, spare.sum(), 1))
        silent = ~hint & (view.info > 0)
        heard = jnp.where(silent, nobody_needs_a_hint(board, tables, jnp.int32(0)), tables)
        numbers, _ = self._numbers(heard, view, board, modulus)
        total = numbers.sum() % modulus

        said = jnp.argmax(spare & (jnp.cumsum(spare) == total + 1))
        discard = jnp.where(speaking, said, _quiet_discard(view, board, own))
        play_any = jnp.where(play, play_slot, risk_slot) + size
        card = jnp.where(play | risk, play_any, discard)
        action = jnp.where(hint & ~play & ~risk, self._hint(tables, view, board, offered, total), card)
        return self._legal(action.astype(jnp.int32), view)

    def _own(self, tables: Array, view: View) -> Own:
        words = hand_words(view)
        seen = count_copies(self.game, visible_cards(words[1:]).reshape(-1))
        left = copies_left(self.game, gone_copies(view) + seen)
        return Own(_believable(tables[0], told(self.game, words[0]), left), left)

    def _wants_to_hint(self, tables: Array, view: View, board: Board, own: Own, early: Array) -> Array:
        can_play = ((visible_cards(hand_words(view)[1:]) & board.playable) != 0).any(1)
        knows = surely(tables[1:], board.playable).any(1)
        needed = (view.info == self.game.info_tokens) | ((view.info > 0) & (can_play & ~knows).any())
        free_discard = early & useless(board, own.tables).any()
        return needed | (~free_discard & (((view.info > 0) & can_play.any()) | (view.info > 4)))

    def _hint(self, tables: Array, view: View, board: Board, offered: Array, total: Array) -> Array:
        """The action that says `total`, or -1."""
        ends = jnp.cumsum(offered)
        receiver = jnp.argmax(total < ends)
        number = total - (ends[receiver] - offered[receiver])
        reference = hints.reference_slot(self.game, board, tables[1:])[receiver]
        cards = visible_cards(hand_words(view)[1:])[receiver]
        hand = tables[1:][receiver]
        index, found = hints.best_hint(self.game, board, hand, cards, reference, offered[receiver], number)
        others = self.game.players - 1
        action = 2 * self.game.hand_size + receiver * 5 + jnp.where(index >= 5, others * 5 + index - 5, index)
        return jnp.where(found, action, -1)

    def _legal(self, action: Array, view: View) -> Array:
        """The action itself if it is legal, else the first legal hint, else the first legal action."""
        legal = self.game.legal(view)
        is_hint = np.arange(self.game.num_actions) >= 2 * self.game.hand_size
        instead = jnp.argmax(jnp.where(is_hint, 2, 1) * legal)
        return jnp.where((action >= 0) & legal[action], action, instead).astype(jnp.int32)


def nobody_needs_a_hint(board: Board, tables: Array, actor: Array) -> Array:
    """The tables when everyone but the actor holds no playable card or publicly knows one."""
    knows = surely(tables, board.playable).any(1) | (np.arange(len(tables)) == actor)
    return jnp.where(knows[:, None], tables, tables & ~board.playable)


def _believable(tables: Array, hinted: Array, left: Left) -> Array:
    """The tables without the identities that hints and counting exclude; where nothing is left, without only those."""
    possible = hinted & left.one
    return jnp.where((tables & possible) != 0, tables & possible, possible)


def _sure_play(view: View, board: Board, own: Own) -> tuple[Array, Array]:
    """The best slot that surely scores, and whether there is one.

    Low ranks are better, and cards that few others hold, as long as somebody can draw a replacement.
    """
    colors = np.array(questions.COLORS_BY_LETTER)
    ranks = jnp.minimum(view.fireworks, 4)[colors]
    cards = word(1) << (colors * 5 + ranks).astype(jnp.uint32)
    hands = visible_cards(hand_words(view)[1:])
    holders = 1 + jnp.where(view.deck_size > 0, (hands[:, :, None] == cards).any(1).sum(0), 0)
    terms = jnp.asarray(PLAY_TERM)[weigh(own.left, own.tables[:, None] & cards), ranks, holders]
    total = terms[:, 0]
    for color in range(1, 5):  # in this order, for the rounding of the original
        total = total + terms[:, color]
    sure = surely(own.tables, board.playable)
    score = total / jnp.maximum(weigh(own.left, own.tables), 1).astype(jnp.float32)
    return jnp.argmax(jnp.where(sure, score, -1)), sure.any()


def _likely_play(board: Board, own: Own) -> tuple[Array, Array]:
    """The slot most likely to score among those that are playable or dead, and whether that is above 3/4."""
    harmless = surely(own.tables, board.playable | board.dead)
    chance = jnp.where(harmless, share(own.left, own.tables, board.playable), -1)
    return jnp.argmax(chance), chance.max() > 0.75


def _quiet_discard(view: View, board: Board, own: Own) -> Array:
    """The slot to discard when it says nothing: a useless one, else the one least likely to be missed."""
    spare = useless(board, own.tables)
    visible = jax.lax.reduce(visible_cards(hand_words(view)[1:]), word(0), jax.lax.bitwise_or, (0, 1))
    last = board.left.one & ~board.left.two & ~board.dead
    whole = weigh(own.left, own.tables)
    by_rank = weigh(own.left, own.tables[:, None] & hint_sets(view.game)[5:])
    ranks = (by_rank * np.arange(1, 6)).sum(1)
    mean_rank = ranks.astype(jnp.float32) / jnp.maximum(whole, 1).astype(jnp.float32)
    by_sight = jnp.asarray(_f32(20) * SHARE_OF)[weigh(own.left, own.tables & visible), whole]
    by_copies = jnp.asarray(_f32(10) * SHARE_OF)[weigh(own.left, own.tables & ~last), whole]
    value = jnp.where(own.tables != 0, by_sight + by_copies + mean_rank, -1)
    return jnp.where(spare.any(), jnp.argmax(spare), jnp.argmax(value))
