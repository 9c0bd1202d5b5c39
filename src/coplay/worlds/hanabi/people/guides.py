"""Texts that tell a reader how Hanabi is played, for players who read (language models): `llm:MODEL?guide=h-group`.

Slots are numbered as views show them: slot 1 is the oldest card of a hand.
"""

from __future__ import annotations

RULES = """
Rules of Hanabi. Each colour is built up as a firework: first its 1, then its 2, and so on. The score is the number of
cards on the fireworks. Everybody sees all hands but their own. On a turn a player does one of three things:
- Play a card of the own hand. If it is the next one of its colour it counts; if not it is discarded and a life is lost.
  When the last life is lost the game is over and all points may be gone.
- Discard a card of the own hand. That gives one hint token back. It cannot be done while all tokens are there.
- Spend a hint token and hint one other player one colour or one rank. All cards of that kind in that hand are touched,
  and a hint must touch at least one card.
Whoever plays or discards draws a card, which becomes the newest of the hand. Completing a colour gives a hint token
back. When the deck is empty everybody has one more turn. Of each colour there are three 1s, two each of the middle
ranks, and one of the highest, unless the view says otherwise: a discarded card of which no other copy is left is lost
for good, and so is what would come after it.
"""

H_GROUP = """
Conventions (H-Group). Most of the people you may meet play by these; play by them and read others' moves by them.
Slot 1 is the oldest card of a hand, the highest slot the newest.

1. Chop. The chop of a hand is its oldest card that no hint has touched. Who has nothing better to do discards the chop.
   Never discard a touched card that may still be needed.
2. Focus. A hint is about one card. If it touches the chop, that is the focus. Otherwise the focus is the newest of the
   cards that it touches for the first time; if it touches only cards that were touched before, the newest of those.
3. Play hint. A hint says: the focus can be played, now or once what others already hold for certain has been played.
   The owner works out which playable cards it can be, and plays it on the next turn.
4. Save hint. A hint that touches the chop may instead say "do not discard this": with a rank hint for 5s, with a rank
   hint of 2 for a 2 of which no copy is visible elsewhere, and with colour or rank for a card of which this is the last
   copy (a critical card). If it could be either, the owner treats it as all that it could be, and waits until it knows.
   Do not save what need not be saved yet.
5. Good touch. Hint only cards that will be played some day: no card that was played already, no second copy of a card
   that is already touched in any hand. So whoever holds a touched card may believe that it will be useful, and that it
   is none of the cards that are played or touched elsewhere.
6. Minimum clue value. Do not hint what tells nothing new; if nothing useful can be said, discard.
7. Early game. Until the first discard, give the save and play hints there are before anybody discards.
8. Prompt. If the card that was hinted as playable is not playable yet, then the card before it is in somebody's hand.
   If the player who moves next has a touched card that can be it, that player plays the oldest such card.
9. Finesse. If no touched card can be it, the player next to move has it as the newest untouched card (the highest slot
   not touched): it is played at once, blindly. Then the hinted card is playable.
10. Fix. If a player is about to play something wrong because of a misunderstanding, hint that card so that they know.
11. Order of what to do: play what is known to be playable, first what others wait for. Else give a needed save for the
   chop of the next player. Else give a play hint, best one that makes several cards play. Else discard the chop.
12. With eight tokens you cannot discard: give the hint that does least harm, for example fill in a 5.
13. Near the end (few cards in the deck) do not discard if all remaining points may need the turns; keep tokens for it.
"""
