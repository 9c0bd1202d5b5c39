"""Games played through pyhanabi, card by card, are those of the reference: states, observations, bits, histories."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pytest

from coplay.adapters import hle, pyhanabi
from coplay.adapters.pyhanabi import CHANCE_PLAYER_ID, HanabiGame, HanabiMove, HanabiState
from tests.conftest import GOLDEN

FILES = sorted((GOLDEN / "hanabi").glob("*.npz"))
SMALL = {"colors": 2, "ranks": 5, "hand_size": 2, "max_information_tokens": 3, "max_life_tokens": 1}
SETTINGS = [
    *({"players": players} for players in range(2, 6)),
    {"players": 3, "random_start_player": True},
    {"players": 2, **SMALL},
    {"players": 2, **SMALL, "colors": 1},
]


def recorded_game(meta: dict[str, Any]) -> HanabiGame:
    same = ("players", "colors", "ranks", "hand_size", "observation_type", "random_start_player")
    tokens = {"max_information_tokens": meta["max_info"], "max_life_tokens": meta["max_life"]}
    return HanabiGame({**{key: meta[key] for key in same}, **tokens, "seed": 1})


def state_that_begins_with(game: HanabiGame, seat: int) -> HanabiState:
    """A new state in which this seat will begin; who begins is seen once the hands are dealt."""
    while True:
        state = game.new_initial_state()
        if dealt(state.copy()).cur_player() == seat:
            return state


def dealt(state: HanabiState) -> HanabiState:
    while state.cur_player() == CHANCE_PLAYER_ID:
        state.deal_random_card()
    return state


def identities(cards: list[Any], ranks: int) -> list[int]:
    return [card.color() * ranks + card.rank() for card in cards]


class Recording:
    """One game of a file of recorded games."""

    def __init__(self, data: dict[str, np.ndarray], number: int) -> None:
        self.meta = json.loads(str(data["meta"]))
        self.fields = {name: field[number] for name, field in data.items() if name not in ("meta", "card_counts")}
        self.turns = int(self.fields["num_turns"])

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    def bits(self, name: str) -> np.ndarray:
        size = {"legal": self.meta["num_actions"]}.get(name, self.meta["obs_bits"])
        return np.unpackbits(self[name], axis=-1)[..., :size]

    def deal(self, state: HanabiState) -> None:
        """Deals the recorded cards while any are due."""
        deck, size = self["deck"], self.meta["deck_size"]
        while state.cur_player() == CHANCE_PLAYER_ID:
            number = size - state.deck_size()
            state.apply_move(HanabiMove.get_deal_move(*deck[number].tolist()))
            item = state.move_history()[-1]
            assert (item.player(), item.deal_to_player()) == (CHANCE_PLAYER_ID, self["deal_player"][number])

    def check(self, state: HanabiState, turn: int, encoded: np.ndarray) -> None:
        """Compares all that a state shows with the record before this turn."""
        ranks = self.meta["ranks"]
        table = [state.information_tokens(), state.life_tokens(), state.score(), state.deck_size()]
        assert table == [self[name][turn] for name in ("info", "life", "score", "deck_size")]
        assert state.fireworks() == self["fireworks"][turn].tolist()
        assert [identities(hand, ranks) for hand in state.player_hands()] == [
            [card for card in hand if card >= 0] for hand in self["hands"][turn].tolist()
        ]
        pile = np.bincount(identities(state.discard_pile(), ranks), minlength=self.meta["colors"] * ranks)
        assert pile.tolist() == self["discards"][turn].tolist()
        np.testing.assert_array_equal(encoded, self.bits("obs")[turn])

    def check_event(self, item: Any, turn: int) -> None:
        """Compares what a move did."""
        card = item.color() * self.meta["ranks"] + item.rank() if item.color() >= 0 else -1
        assert [item.scored(), item.information_token(), card] == [
            self[name][turn] for name in ("ev_scored", "ev_info", "ev_card")
        ]
        touched = [item.card_info_revealed(), item.card_info_newly_revealed()]
        assert [sum(1 << slot for slot in slots) for slots in touched] == [
            self["ev_reveal"][turn],
            self["ev_newly"][turn],
        ]
        assert item.player() == self["actor"][turn]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_recorded_games_are_the_references_card_by_card(path):
    data = dict(np.load(path))
    game = recorded_game(json.loads(str(data["meta"])))
    encoder = pyhanabi.ObservationEncoder(game)

    def encoded(state: HanabiState) -> np.ndarray:
        return np.asarray([encoder.encode(state.observation(seat)) for seat in range(game.num_players())])

    for number in range(len(data["num_turns"])):
        record = Recording(data, number)
        state = state_that_begins_with(game, int(record["start_player"]))
        record.deal(state)
        for turn in range(record.turns):
            record.check(state, turn, encoded(state))
            assert state.cur_player() == record["actor"][turn]
            assert state.legal_moves_as_int() == np.flatnonzero(record.bits("legal")[turn]).tolist()
            assert not state.is_terminal()
            state.apply_move(game.get_move(int(record["action"][turn])))
            record.check_event(state.move_history()[-1], turn)
            if turn + 1 < record.turns:
                record.deal(state)
        assert state.end_of_game_status() == record["end_reason"]
        np.testing.assert_array_equal(encoded(state), record.bits("obs_term_nodeal"))
        record.deal(state)
        record.check(state, record.turns, encoded(state))


def tell_everything(state: HanabiState, encoder: pyhanabi.ObservationEncoder) -> None:
    """Prints what a state and its observations have to say."""
    print(state, state.information_tokens(), state.life_tokens(), state.fireworks(), state.deck_size())
    print(state.discard_pile(), state.player_hands(), state.move_history(), state.end_of_game_status())
    for player in range(state.num_players()):
        seen = state.observation(player)
        print(seen, seen.cur_player_offset(), seen.num_players(), seen.observed_hands(), seen.card_knowledge())
        print(seen.discard_pile(), seen.fireworks(), seen.deck_size(), *seen.last_moves())
        print(seen.information_tokens(), seen.life_tokens(), seen.legal_moves())
        bits = encoder.encode(seen)
        assert [len(bits)] == encoder.shape()
        assert set(bits) <= {0, 1}


@pytest.mark.parametrize("params", SETTINGS, ids=str)
def test_a_random_game_is_played_to_its_end_and_tells_everything(params):
    game = HanabiGame({**params, "seed": 5})
    encoder = pyhanabi.ObservationEncoder(game, enc_type=pyhanabi.ObservationEncoderType.CANONICAL)
    chance = np.random.RandomState(3)
    state, moves = game.new_initial_state(), 0
    with redirect_stdout(io.StringIO()) as told:
        while not state.is_terminal():
            tell_everything(state, encoder)
            if state.cur_player() == CHANCE_PLAYER_ID:
                assert state.legal_moves() == []
                state.deal_random_card()
                continue
            legal: Any = state.legal_moves()
            move = chance.choice(legal)
            assert state.move_is_legal(move)
            assert game.get_move(game.get_move_uid(move)) == move
            state.apply_move(move)
            moves += 1
        tell_everything(state, encoder)
    made = [item for item in state.move_history() if item.player() != CHANCE_PLAYER_ID]
    assert len(made) == moves
    assert state.score() == (sum(state.fireworks()) if state.life_tokens() else 0)
    assert state.end_of_game_status() != pyhanabi.HanabiEndOfGameType.NOT_FINISHED
    assert told.getvalue().count("Deck size: ") == (game.num_players() + 1) * (len(state.move_history()) + 1)


def chosen(state: HanabiState, cards: str) -> HanabiState:
    """Deals these cards in this order."""
    for card in cards.split():
        state.apply_move(HanabiMove.get_deal_move(pyhanabi.color_char_to_idx(card[0]), int(card[1]) - 1))
    return state


def test_state_observation_and_history_are_written_as_the_reference_writes_them():
    game = HanabiGame({"players": 2, **SMALL, "max_life_tokens": 2, "seed": 1})
    state = chosen(game.new_initial_state(), "R1 Y2 R2 R4")
    state.apply_move(HanabiMove.get_reveal_color_move(1, 0))
    state.apply_move(HanabiMove.get_play_move(1))
    chosen(state, "Y1")
    state.apply_move(HanabiMove.get_play_move(0))
    assert str(state) == (
        "Life tokens: 1\nInfo tokens: 2\nFireworks: R1 Y0 \nHands:\nY2 || XX|RY12345\n-----\n"
        "R2 || RX|R12345\nY1 || XX|RY12345\nDeck size: 15\nDiscards: R4"
    )
    chosen(state, "R1")
    assert str(state.observation(0)) == (
        "Life tokens: 1\nInfo tokens: 2\nFireworks: R1 Y0 \nHands:\nXX || XX|RY12345\nXX || XX|RY12345\n-----\n"
        "Cur player\nR2 || RX|R12345\nY1 || XX|RY12345\nDeck size: 14\nDiscards: R4"
    )
    assert [str(item) for item in state.move_history()[4:]] == [
        "<(Reveal player +1 color R) by player 0 reveal 0,1>",
        "<(Play 1) by player 1 R4>",
        "<(Deal Y1)>",
        "<(Play 0) by player 0 scored R1>",
        "<(Deal R1)>",
    ]
    assert [str(item) for item in state.observation(0).last_moves()] == [
        "<(Deal XX)>",
        "<(Play 0) by player 0 scored R1>",
    ]
    state.apply_move(HanabiMove.get_discard_move(0))
    assert str(state.move_history()[-1]) == "<(Discard 0) by player 1 info_token R2>"


def test_a_copy_is_played_on_by_itself_and_draws_its_own_cards():
    game = HanabiGame({"players": 2, "seed": 2})
    state = dealt(game.new_initial_state())
    before, text = state.observation(1), str(state)
    seen_before = str(before)
    futures = set()
    for _ in range(8):
        twin = state.copy()
        twin.apply_move(HanabiMove.get_play_move(0))
        twin.deal_random_card()
        futures.add(str(twin.player_hands()[0][-1]))
        assert [str(item) for item in twin.move_history()[:10]] == [str(item) for item in state.move_history()]
        left = sum(game.num_cards(color, rank) for color in range(5) for rank in range(5)) - 11
        assert (twin.deck_size(), state.deck_size()) == (left, left + 1)
    assert len(futures) > 1
    assert str(state) == text
    state.apply_move(HanabiMove.get_play_move(0))
    assert str(before) == seen_before


def test_a_copy_at_a_deal_draws_its_own_card_too():
    state = dealt(HanabiGame({"players": 2, "seed": 2}).new_initial_state())
    state.apply_move(HanabiMove.get_play_move(0))
    drawn = {str(dealt(state.copy()).player_hands()[0][-1]) for _ in range(8)}
    assert len(drawn) > 1
    assert state.cur_player() == CHANCE_PLAYER_ID


def test_a_seed_repeats_the_series_of_games_and_rl_env_plays_the_same():
    def series(game: HanabiGame) -> list[str]:
        return [str(dealt(game.new_initial_state())) for _ in range(3)]

    hands = series(HanabiGame({"seed": 4}))
    assert len(set(hands)) == 3
    assert series(HanabiGame({"seed": "4"})) == hands
    assert series(HanabiGame({"seed": 5})) != hands
    env = hle.HanabiEnv({"seed": 4})
    for text in hands:
        env.reset()
        assert str(env.state) == text


def test_the_state_of_rl_env_can_be_searched_without_moving_it():
    env = hle.HanabiEnv({"players": 2, "seed": 1})
    seen = env.reset()
    text = str(env.state)
    for move in env.state.legal_moves():
        twin = env.state.copy()
        twin.apply_move(move)
        assert str(twin) != text
    assert str(env.state) == text
    bits = env.observation_encoder.encode(env.state.observation(1))
    assert bits == seen["player_observations"][1]["vectorized"]


def test_settings_are_the_references():
    game = HanabiGame()
    assert game.parameter_string().startswith("players=2\ncolors=5\nranks=5\nhand_size=5\nmax_information_tokens=8\n")
    words = HanabiGame({"players": "4", "random_start_player": "true", "observation_type": "2", "seed": 9})
    assert words.parameter_string() == (
        "players=4\ncolors=5\nranks=5\nhand_size=4\nmax_information_tokens=8\nmax_life_tokens=3\nseed=9\n"
        "random_start_player=true\nobservation_type=2\n"
    )
    assert words.observation_type() == pyhanabi.AgentObservationType.SEER
    assert [game.num_cards(0, rank) for rank in range(6)] == [3, 2, 2, 2, 1, 0]
    assert [game.num_cards(color, 0) for color in (-1, 4, 5)] == [0, 3, 0]
    # The reference asks for the lowest rank first: a single rank has three copies.
    assert HanabiGame({"ranks": 1}).num_cards(0, 0) == 3
    with pytest.raises(ValueError, match="players='many': give a whole number"):
        HanabiGame({"players": "many"})


def test_there_is_nothing_to_load():
    assert pyhanabi.try_cdef(prefixes=["/nowhere"])
    assert pyhanabi.try_load(prefixes=["/nowhere"])
    assert pyhanabi.cdef_loaded()
    assert pyhanabi.lib_loaded()


@pytest.fixture
def state() -> HanabiState:
    return dealt(HanabiGame({"players": 2, **SMALL, "seed": 1}).new_initial_state())


def test_what_would_abort_the_reference_is_refused_and_changes_nothing(state):
    text = str(state)
    with pytest.raises(ValueError, match=r"illegal move \(Discard 0\); player 0 may choose from 2 \(Play 0\)"):
        state.apply_move(HanabiMove.get_discard_move(0))
    with pytest.raises(ValueError, match="no card is to be dealt; player 0 is to move"):
        state.deal_random_card()
    with pytest.raises(ValueError, match=r"illegal move \(Deal R1\): no card is to be dealt"):
        state.apply_move(HanabiMove.get_deal_move(0, 0))
    with pytest.raises(ValueError, match="player 2: this game has players 0 to 1"):
        state.observation(2)
    assert str(state) == text


def test_only_cards_that_are_left_can_be_dealt():
    state = HanabiGame({"players": 2, **SMALL, "seed": 1}).new_initial_state()
    with pytest.raises(ValueError, match=r"illegal move \(Play 0\); a card is to be dealt first"):
        state.apply_move(HanabiMove.get_play_move(0))
    five = HanabiMove.get_deal_move(0, 4)
    assert state.move_is_legal(five)
    state.apply_move(five)
    assert not state.move_is_legal(five)
    for move in (five, HanabiMove.get_deal_move(2, 0), HanabiMove(pyhanabi.HanabiMoveType.DEAL)):
        with pytest.raises(ValueError, match="no such card is left in the deck"):
            state.apply_move(move)
    assert state.player_hands() == [[pyhanabi.HanabiCard(0, 4)], []]


def test_a_game_that_is_over_takes_no_more_moves(state):
    lost = next(slot for slot, card in enumerate(state.player_hands()[0]) if card.rank())
    state.apply_move(HanabiMove.get_play_move(lost))
    assert state.is_terminal()
    assert state.cur_player() == CHANCE_PLAYER_ID
    dealt(state)
    with pytest.raises(ValueError, match=r"this game is over; game.new_initial_state\(\) begins another"):
        state.apply_move(state.legal_moves()[0])


def test_an_encoder_refuses_what_is_not_its_own(state):
    with pytest.raises(ValueError, match="observations of 658 bits, this one has 171"):
        pyhanabi.ObservationEncoder(HanabiGame()).encode(state.observation(0))
    with pytest.raises(ValueError, match="enc_type=1: the only encoding is"):
        pyhanabi.ObservationEncoder(HanabiGame(), enc_type=1)
