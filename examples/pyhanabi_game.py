"""A game of careful players, written for the Hanabi Learning Environment's `pyhanabi`; only the import is ours.

python examples/pyhanabi_game.py
"""

from coplay.adapters import pyhanabi  # was: from hanabi_learning_environment import pyhanabi


def surely_playable(knowledge, seen, game):
    """Does every card that the hints leave open fit on a stack?"""
    return all(
        seen.card_playable_on_fireworks(color, rank)
        for color in range(game.num_colors())
        for rank in range(game.num_ranks())
        if knowledge.color_plausible(color) and knowledge.rank_plausible(rank)
    )


def helpful_hints(seen):
    """Hints that say something new about a card that somebody else could play now."""
    hands, told = seen.observed_hands(), seen.card_knowledge()
    for offset in range(1, seen.num_players()):
        for card, known in zip(hands[offset], told[offset], strict=True):
            if seen.card_playable_on_fireworks(card.color(), card.rank()):
                if known.rank() is None:
                    yield pyhanabi.HanabiMove.get_reveal_rank_move(offset, card.rank())
                if known.color() is None:
                    yield pyhanabi.HanabiMove.get_reveal_color_move(offset, card.color())


def choose(seen, game):
    """Plays what is sure, hints what could be played, discards the oldest card, and else hints anything."""
    for slot, knowledge in enumerate(seen.card_knowledge()[0]):
        if surely_playable(knowledge, seen, game):
            return pyhanabi.HanabiMove.get_play_move(slot)
    if seen.information_tokens() > 0:
        for hint in helpful_hints(seen):
            return hint
    if seen.information_tokens() < game.max_information_tokens():
        return pyhanabi.HanabiMove.get_discard_move(0)
    hints = (pyhanabi.HanabiMoveType.REVEAL_COLOR, pyhanabi.HanabiMoveType.REVEAL_RANK)
    return next(move for move in seen.legal_moves() if move.type() in hints)


def run(parameters):
    """Plays one game, tells its moves and returns its last state."""
    game = pyhanabi.HanabiGame(parameters)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.cur_player() == pyhanabi.CHANCE_PLAYER_ID:
            state.deal_random_card()
            continue
        state.apply_move(choose(state.observation(state.cur_player()), game))
        print(state.move_history()[-1])
    print(state)
    print(f"score {state.score()}, {state.end_of_game_status().name}")
    return state


if __name__ == "__main__":
    run({"players": 3, "seed": 1})
