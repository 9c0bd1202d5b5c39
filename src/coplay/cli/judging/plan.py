"""Commands about measuring; each loads what it needs when it runs."""

from __future__ import annotations

from typing import Annotated

import typer


def plan(
    sd: Annotated[float, typer.Option("--sd", help="Standard deviation of single games (Hanabi: 1.4 to 8).")],
    half_width: Annotated[float, typer.Option("--half-width", help="Wanted precision: the mean ± this many points.")],
    confidence: Annotated[float, typer.Option("--confidence", help="How sure the interval shall be.")] = 0.95,
    per_deal: Annotated[int, typer.Option("--per-deal", help="Games played on each deal, e.g. one per seating.")] = 1,
    correlation: Annotated[
        float, typer.Option("--correlation", help="How much two games on one deal are alike, from 0 to 1.")
    ] = 0.0,
) -> None:
    """How many games are needed for a mean, and to tell two agents apart?

    \b
    Examples:
      coplay plan --sd 8 --half-width 0.5
      coplay plan --sd 2.5 --half-width 0.1 --confidence 0.99
      coplay plan --sd 8 --half-width 0.5 --per-deal 2 --correlation 0.3
    """
    from coplay.measure.stats import difference_sd, games_needed

    games = games_needed(sd, half_width, confidence, per_deal, correlation)
    deals = "" if per_deal == 1 else f" ({games // per_deal:,} deals, {per_deal} games each)"
    print(f"{games:,} games{deals} give the mean within ± {half_width:g} at {confidence:.4g} confidence.")
    print("To know the difference of two agents as well, each needs")
    print(f"  {games_needed(difference_sd(sd), half_width, confidence):>9,} games on deals of its own")
    for share in (0.3, 0.6, 0.9):
        paired = games_needed(difference_sd(sd, share), half_width, confidence)
        print(f"  {paired:>9,} games on the same deals, if their scores correlate by {share:g}")
