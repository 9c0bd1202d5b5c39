"""A text that tells a reader how kitchens work, for players who read (language models)."""

from __future__ import annotations

RULES = """
Rules of the kitchen. Two chefs cook soups and share the score of every soup served. All move at the same time, one step
each. A chef stands on the floor and faces one of four directions. Walking towards a free floor cell moves there;
walking towards anything else only turns the chef. Chefs cannot stand on the same cell or change places.
"interact" does something with the cell that the chef faces:
- a dispenser of onions, tomatoes or dishes gives one, to a chef with empty hands;
- a counter takes what the chef holds, or gives what lies there to empty hands;
- a pot takes an ingredient; when it is full it cooks by itself, or, in some kitchens, once a chef with empty hands
  interacts with it. A cooked soup is taken with a dish in the hands;
- the serving place takes a soup: that is when points are paid.
So every soup needs its ingredients in the pot, the cooking time, a dish, and the walk to the serving place. Do not
stand in your partner's way, and see what the partner is doing before you do the same.
"""
