"""An agent of one's own: plays what is certain, else hints a playable card, else discards the oldest card.

coplay crossplay file:examples/my_agent.py:MyAgent smartbot iggi --games 50
"""

import coplay


class MyAgent(coplay.Agent):
    name = "my agent"

    def act(self, view):
        hand, (players, slots) = view.game.hand_size, view.cards.shape
        for slot in range(slots):
            sure = view.possible[0, slot]
            if sure.any() and not (sure & ~view.playable).any():
                return hand + slot  # every card this can be would score
        for player in range(1, players):
            for card in view.cards[player]:
                hint = 2 * hand + (players - 1) * view.game.colors + (player - 1) * view.game.ranks + card % 5
                if card >= 0 and view.playable.reshape(-1)[card] and view.legal[hint]:
                    return int(hint)  # tell the rank of a card that would score
        return 0 if view.legal[0] else int(view.legal.nonzero()[0][-1])
