"""Games travel to hanab.live and back unchanged, and broken ones are named."""

from __future__ import annotations

import copy
import json
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coplay.data import DataError
from coplay.worlds.hanabi import Hanabi
from coplay.worlds.hanabi.recordings import hanablive
from coplay.worlds.hanabi.recordings.hanablive import from_json, from_link, replay, to_json, to_link
from coplay.worlds.hanabi.recordings.hanablive_link import compact, expand

# Two four-player games from the site, both perfect; in the first, turn 30 was the hint blue to Alice.
PERFECT = (
    "https://hanab.live/shared-replay-json/415pagnsvvmkcjbqfqph-drurfleyguthflinwxdi-awmkscaoxpbuk,03ocka-"
    "eiepkcgdoaeoebtdeles-sbeeejxafaewwaereteh-exeneckaeqfme5saekfv-e1ffxaf0edegfuf4fBeC-1af7eIwaf3wae8fzwafA-ey,0",
    "https://hanab.live/shared-replay-json/415ifirpxqufunsxcwgc-tbokayavlbjdgwqvekus-pdfanhhmkrpml,03tdeh-"
    "sbxckceeeisbkdegfjep-edgcelevwbereseyocwa-eueofaefobfmew1a1den-fbeze2xae7fqfxf3f4f5-f0lceGodeIeFecetfEe1-,0",
)


def random_game(game: Hanabi, seed: int) -> tuple[np.ndarray, list[int]]:
    """A deck and the accepted ones among random proposals, few of them plays: a whole legal game."""
    rng = np.random.default_rng(seed)
    deck = np.stack(np.divmod(rng.permutation(game.sorted_deck.astype(int)), game.ranks), axis=1)
    chance = np.ones(game.num_actions)
    chance[game.hand_size : 2 * game.hand_size] = 0.2
    state, actions = game.deal(deck), []
    while not state.done:
        proposals = rng.choice(game.num_actions, game.max_steps, p=chance / chance.sum()).astype(np.int32)
        state, refused, over = hanablive._runner(game)(state, proposals)
        actions += proposals[~np.asarray(refused) & ~np.asarray(over)].tolist()
    return deck, actions


@pytest.mark.parametrize("link", PERFECT)
def test_games_from_the_site_are_read_and_written_to_the_letter(link):
    recording = from_link(link + "#21")
    state = replay(recording.game, recording.deck, recording.actions)
    assert int(recording.game.score(state)) == 25
    assert recording.names == ("Alice", "Bob", "Cathy", "Donald")
    assert to_link(recording.game, recording.deck, recording.actions) == link
    assert compact(expand(link)) == link.split("/")[-1]


def test_the_hint_of_a_known_turn_is_where_the_site_shows_it():
    recording = from_link(PERFECT[0])
    blue_to_alice = recording.game.action_text(recording.actions[29])  # by seat 1, so Alice sits three further
    assert blue_to_alice == "hint player +3 colour white"  # hanab.live's fourth suit is blue, ours is white


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_random_games_round_trip(players):
    game = Hanabi(players=players)

    @settings(max_examples=8, deadline=None)
    @given(seed=st.integers(0, 2**32 - 1))
    def check(seed: int) -> None:
        deck, actions = random_game(game, seed)
        names = [f'P"{seat}<é>' for seat in range(players)]
        as_text = json.loads(json.dumps(to_json(game, deck, actions, names)))
        for back in (from_json(as_text), from_link(to_link(game, deck, actions))):
            assert back.game == game
            assert back.actions == tuple(actions)
            assert (back.deck == deck).all()
        assert from_json(as_text).names == tuple(names)

    check()


def test_other_numbers_of_colours_and_cards_have_their_variant():
    game = Hanabi(players=2, colors=3, hand_size=6)
    deck, actions = random_game(game, 3)
    source = to_json(game, deck, actions)
    assert source["options"] == {"variant": "3 Suits", "oneExtraCard": True}
    assert from_json(source).game == game
    with pytest.raises(DataError, match="hand_size=6: a link carries no hand size"):
        to_link(game, deck, actions)
    with pytest.raises(DataError, match="this game cannot be shown there"):
        to_json(Hanabi(players=2, colors=2), deck, actions)


@pytest.mark.parametrize(("variant", "title", "number"), [("black-rainbow-6", "Black & Rainbow (6 Suits)", 65)])
def test_a_variant_travels_by_its_name_on_the_site(variant: Any, title: str, number: int):
    game = Hanabi(players=3, variant=variant)
    deck, actions = random_game(game, 11)
    source = json.loads(json.dumps(to_json(game, deck, actions)))
    assert source["options"] == {"variant": title}
    assert {card["suitIndex"] for card in source["deck"]} == set(range(6))
    assert to_link(game, deck, actions).endswith(f",{number}")
    for back in (from_json(source), from_link(to_link(game, deck, actions))):
        assert (back.game, back.actions) == (game, tuple(actions))
        assert (back.deck == deck).all()
    hint = next(action for action in source["actions"] if action["type"] == 2)
    with pytest.raises(DataError, match="colour hint with value 5; colour values go from 0 to 4"):
        from_json(source | {"actions": [hint | {"target": 1, "value": 5}]})


def test_whoever_starts_becomes_the_first_seat():
    game = Hanabi(players=3)
    recording = from_json(to_json(game, *random_game(game, 5)))
    deck, actions = recording.deck, recording.actions
    # The same game with everybody one seat further: seat 1 starts with the hand that seat 0 had.
    hands = deck[:15].reshape(3, 5, 2)
    moved = np.concatenate([np.roll(hands, 1, axis=0).reshape(15, 2), deck[15:]])
    source = to_json(game, moved, actions, ["Cy", "Ann", "Bob"], start_player=1)
    assert source["players"] == ["Ann", "Bob", "Cy"]
    assert (from_json(source).deck == deck).all()


def test_a_replay_is_the_game_step_by_step():
    game = Hanabi(players=2)
    deck, actions = random_game(game, 7)
    actions = actions[:12]
    state = game.deal(deck)
    for action in actions:
        state = game.step(state, jnp.full(2, action)).state
    same = jax.tree.map(lambda a, b: bool((a == b).all()), state, replay(game, deck, actions))
    assert all(jax.tree.leaves(same))


def test_an_unfinished_game_is_read_only_on_request():
    source = expand(PERFECT[0])
    ended = {"type": 4, "target": 1, "value": 4}
    source["actions"] = [*source["actions"][:20], ended]
    with pytest.raises(DataError, match=r"it stops after turn 20, .* pass partial=True"):
        from_json(source)
    assert len(from_json(source, partial=True).actions) == 20
    link = compact(source)
    assert len(from_link(link, partial=True).actions) == 20
    source["actions"] = []
    assert from_link(compact(source), partial=True).actions == ()


def test_an_end_after_the_end_changes_nothing():
    source = expand(PERFECT[0])
    source["actions"].append({"type": 4, "target": 1, "value": 1})
    assert from_json(source) is not None


def broken(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(expand(PERFECT[0])), "id": 77, **changes}


def move(turn: int, **entry: int) -> dict[str, Any]:
    source = broken()
    source["actions"][turn - 1] = entry
    return source


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, "no list 'players'"),
        ([], "no list 'players'"),
        (broken(deck={}), "hanab.live game 77: there is no list 'deck'"),
        (broken(players=["Ann"]), "1 players; this game takes 2 to 5"),
        (broken(players=list("abcdef")), "6 players; this game takes 2 to 5"),
        (broken(options={"variant": "Pink (6 Suits)"}), r"variant 'Pink \(6 Suits\)' cannot be played here"),
        (broken(options={"emptyClues": True}), "option 'emptyClues' changes the rules"),
        (broken(deck=[{"suitIndex": 0, "rank": 1}] * 50), "impossible deck: 50 copies"),
        (broken(deck=[{"suitIndex": 0, "rank": 1}] * 49), r"a deck for this game is \[50, 2\]"),
        (broken(deck=[{"suit": 0, "rank": 1}] * 50), "every card of the deck is"),
        (broken(deck=[{"suitIndex": 0, "rank": "1"}] * 50), "every card of the deck is"),
        (broken(deck=[]), "a deck for this game"),
        (
            move(3, type=0, target=49),
            "turn 3: card 49 of the deck is not in the hand of seat 2, which holds 8, 9, 10, 11",
        ),
        (move(1, type=9, target=0), "turn 1: type 9 is unknown"),
        (move(1, type=2, target=0, value=0), "turn 1: seat 0 hints seat 0"),
        (move(1, type=2, target=4, value=0), "turn 1: seat 0 hints seat 4"),
        (move(1, type=2, target=1, value=5), "turn 1: colour hint with value 5; colour values go from 0 to 4"),
        (move(1, type=3, target=1, value=0), "turn 1: rank hint with value 0; rank values go from 1 to 5"),
        (broken(actions=[{"type": 1, "target": 0}]), r"turn 1: action 0 \(discard slot 1\) is not legal there"),
        (move(5, type=4, target=0), "turn 5: the players ended the game, but 48 more moves follow"),
        (move(2, target=0), "turn 2: .* is not a move"),
        (broken(actions=[7]), "turn 1: 7 is not a move"),
        (broken(actions=expand(PERFECT[0])["actions"] * 2), "is not in the hand"),
    ],
)
def test_a_broken_file_is_refused_with_its_place_and_a_remedy(source, message):
    with pytest.raises(DataError, match=message):
        from_json(source)


def test_moves_after_the_end_are_refused():
    recording = from_link(PERFECT[0])
    with pytest.raises(DataError, match="the game ends at turn 53, but 1 more moves follow"):
        replay(recording.game, recording.deck, [*recording.actions, 4])
    with pytest.raises(DataError, match="no game of this kind is longer than 79"):
        replay(recording.game, recording.deck, [4] * 80)
    with pytest.raises(DataError, match=r"turn 1: action 99 \(no action of this game, which has 38\)"):
        replay(recording.game, recording.deck, [99])


@pytest.mark.parametrize("link", ["", "hello", "215abc,0", "251abc,03,0", "215a_c,03,0", PERFECT[0][:60], None, 3])
def test_a_broken_link_is_refused(link):
    with pytest.raises(DataError, match=r"is not a hanab.live replay.* Copy the whole address"):
        from_link(link)


def test_a_link_of_another_variant_is_refused():
    with pytest.raises(DataError, match=r"variant 13 cannot be played here; the variants are 0 \(No Variant\)"):
        from_link(PERFECT[0][:-1] + "13")
