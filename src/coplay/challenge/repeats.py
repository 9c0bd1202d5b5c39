"""What the same person could meet twice in a challenge, and so know already.

A deal is recognised by the first hand that one sees, a recorded game by its first view. With deals of its own for every
attempt nothing comes again. Deals that all entrants share, and recorded games that all foresee, come again to whoever
plays a second attempt or enters under a second name.
"""

from __future__ import annotations

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import Rules


def warnings(rules: Rules) -> list[str]:
    """What a host should know of deals and recorded games that come again, in words."""
    told = []
    if rules.deals == "shared":
        told.append(
            'deals = "shared": everybody plays the same deals, and whoever meets one again knows the cards of its own '
            "hand. Let in persons you know, each once; without this line every attempt has deals of its own."
        )
    if rules.predictions:
        told.append(
            "[prediction]: everybody foresees the same recorded games, and whoever is asked again knows what was done. "
            "Let in persons you know, each once."
        )
    if told and rules.accept_repeats and (ways := _ways(rules)):
        told.append(f"accept_repeats = true: figures may be of games that were known before ({'; '.join(ways)}).")
    return told


def check_repeats(rules: Rules) -> None:
    """Refuses rules under which one person can meet the same games twice, unless the host accepts that by name."""
    if rules.accept_repeats or not warnings(rules) or not (ways := _ways(rules)):
        return
    what = "the deals" if rules.deals == "shared" else "the recorded games of [prediction]"
    unshared = "" if rules.predictions else 'leave deals = "shared" out, '
    raise ChallengeError(
        f"{what} are the same for everyone, and can be met twice: {'; '.join(ways)}. Change that, {unshared}"
        "or write accept_repeats = true if figures may be of games that were known before.",
        422,
        "repeats",
    )


def _ways(rules: Rules) -> list[str]:
    """How an entrant gets at games that it knows."""
    ways = []
    if rules.attempts > 1:
        ways.append(f"by another attempt (attempts = {rules.attempts}; write 1)")
    if rules.auto_approve:
        ways.append("by another registration (auto_approve = true; write false and look who enters)")
    if rules.deals == "shared" and rules.replays == "attempt":
        ways.append('by watching others (replays = "attempt"; write "challenge")')
    return ways
