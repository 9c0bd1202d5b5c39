"""Plans that tests share."""

from __future__ import annotations

PLAN = """
title = "Two partners & you"
participants = 3
minutes = 60
{more}
[consent]
version = "2"
text = "We keep your games."
[checks]
end_after = 2
code = "SCREENED"
[end]
text = "Thanks."
code = "DONE-{{participant}}"
redirect = "https://example.org/back?cc={{code}}&id={{participant}}"
reveal = true
[[game]]
name = "small"
game = "hanabi-very-small"
settings = {{ life_tokens = 3 }}
partners = {partners}
games = {games}
minutes = 10
practice = {{ partner = "random" }}
text = "Your own card is hidden."
[[page]]
name = "rules"
when = "before"
tries = 2
[[page.question]]
name = "mistakes"
kind = "number"
ask = "How many mistakes end the game?"
right = 3
[[page]]
name = "partner"
when = "after_partner"
[[page.question]]
name = "trust"
kind = "likert"
ask = "I trusted this partner."
low = "never"
high = "always"
[[page.question]]
name = "attention"
kind = "choice"
ask = "Choose green."
options = ["red", "green"]
right = "green"
[[page]]
name = "last"
when = "end"
[[page.question]]
name = "words"
kind = "text"
ask = "What else?"
required = false
"""


def plan_text(more: str = "", partners: str = '["piers", "random"]', games: int = 1) -> str:
    return PLAN.format(more=more, partners=partners, games=games)
