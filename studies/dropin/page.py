"""docs/dropin.md: the paper's tables beside ours, and which relations hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from coplay.files import write_whole
from coplay.games import spec_of
from coplay.measure.dropin.results import Standing, Tournament
from coplay.measure.stats import Estimate
from studies.dropin.casts import GOALS, NEAR, WIDE, Cast, Variant, called, normal
from studies.dropin.figures import SEEDS, played_wide, save_figures
from studies.dropin.relations import relations
from studies.results.page import section_text
from studies.results.work import Section, Table

TEXT = (
    "MacAlpine and Stone (2017) tested teamworkAGD with players whose skill and teamwork they had set: the same player "
    "at different speeds, normal or with poor teamwork (PT). PT players go for the ball even when an unknown mate is "
    "nearer or has it. Here are both challenges in our [football](football.md). `coplay study dropin` plays them and "
    "writes this page.",
    "Their world is the RoboCup 3D simulation: eleven robots a side in challenges, five in these experiments, ten "
    "minutes. Ours has point players and forty seconds. So figures cannot be compared one by one; the relations can.",
    "`supporter` follows the paper's description of its player. `intruder` is its PT player, and knows its own kind by "
    "a sign given at the line-up. In the paper's world robots at the ball block each other and fall; here players run "
    "past each other, and crowding a mate costs little ([rule 8](football.md#rules)). So being in the way is "
    "translated: among unknown mates an intruder goes for the ball as in the paper, and it also keeps it to itself, "
    "where a supporter kicks it on.",
    "One setting differs from our usual football. There a player with the ball keeps 90 % of its pace, so the fastest "
    "of the ten outruns all slower than 90 % while it dribbles. Here it keeps 60 % (`dribble=60`): in the first "
    "challenge nobody outruns a player without the ball. The last two sections take back one of these choices each.",
    "Both choices came after a first attempt with neither, in which Tables 3 and 5 did not come out. What held them up "
    "was the fastest PT player: it won matches alone. A PT player at 100 % cost its team 1.26 goals a match (95 % "
    "interval 0.23 either way) where all others were normal and as fast, but 0.24 (0.23) among mates at 60 %. With "
    "`dribble=70` the order of Table 3 came out for players that keep the ball; 60 was then set by the rule above, and "
    "played on other deals. Jostling at 20 % a step left the fastest PT player above the normal ones, and with players "
    "who do not tackle all PT players were above them.",
)


CURVE = (
    "What equal teamwork comes to at every skill (Figure 2): the curve through the players of known equal teamwork, "
    "and in red those for whom normOffset is read off it. A polynomial has to pass through all five points; two of our "
    "skills lie close together, so it swings more than the [paper's](#the-papers-figures-from-its-tables).",
    "![normOffset over skillAGD in our football](images/dropin-offset.svg)",
)
FIGURES = Section(
    "figures",
    "The paper's figures from its tables",
    [
        "Figure 2, from Table 4. Ours is [above](#speeds-from-100-to-40).",
        "![normOffset over skillAGD in the paper](images/dropin-offset-paper.svg)",
        "Figure 3: how many matches Algorithm 1 draws until everybody has played with and against everybody, in teams "
        f"of five; the mean of {SEEDS} draws, the fewest and the most. The paper says that ten agents need 5.",
        "![Matches needed over the number of agents](images/dropin-needed.svg)",
        "Figure 4, from Table 8: the RoboCup challenge of 2015, with five of the paper's own agents.",
        "![normOffset over skillAGD in the challenge of 2015](images/dropin-offset-2015.svg)",
    ],
    [],
)


def write_page(
    out: Path, found: Sequence[tuple[Cast, Tournament]], variants: Sequence[tuple[Variant, Tournament]] = ()
) -> None:
    parts = ["# Drop-in challenges in football", *TEXT]
    parts += [section_text(_section(*one)) for one in found]
    parts += [section_text(_variant(found[0][0], *one)) for one in variants]
    parts.append(section_text(FIGURES))
    wide = next((played for cast, played in found if cast.name == WIDE.name), None)
    save_figures(out.parent / "images", None if wide is None else played_wide(wide))
    write_whole(out, "\n\n".join(parts))


def _variant(cast: Cast, variant: Variant, found: Tournament) -> Section:
    text = [f"The first challenge once more (`{spec_of(found.run.make_game())}`), else as above.", _said(cast, found)]
    return Section(variant.name, variant.title, text, [_standings(cast, found)])


def _said(cast: Cast, found: Tournament) -> str:
    """What holds."""
    return "\n".join(
        f"- {one.says}: **{'holds' if one.holds else 'does not hold'}**; {one.how}." for one in relations(cast, found)
    )


def _section(cast: Cast, found: Tournament) -> Section:
    run = found.run
    every = "all" if found.complete else "of 126 possible"
    text = [
        f"{cast.says}: {len(found.matches)} matches ({every}), {2 * run.games} games each; every two teams of copies "
        f"met in {2 * run.games} games (`{spec_of(run.make_game())}`, seed {run.seed}). The paper played each match "
        "ten times.",
        _said(cast, found),
    ]
    text += CURVE if cast.name == WIDE.name else ()
    tables = [_standings(cast, found)]
    if cast.name == NEAR.name:
        tables.insert(0, _goals(found))
    return Section(cast.name, f"Speeds from 100 to {min(cast.normal)} %", text, tables)


def _goals(found: Tournament) -> Table:
    """Table 1."""
    agents = found.run.agents
    rows = []
    for (fast, slow), goals in GOALS.items():
        if not {normal(fast), normal(slow)} <= set(agents):
            continue
        ours = found.rel_skill[agents.index(normal(fast)), agents.index(normal(slow))]
        rows.append([f"Agent{fast}", f"Agent{slow}", f"{ours:.2f}", f"{goals:.2f}"])
    return Table("Goal differences of teams of copies (Table 1):", ["team", "against", "here", "paper"], rows)


def _standings(cast: Cast, found: Tournament) -> Table:
    head = ["player", "skillAGD", "dropinAGD", "teamworkAGD"]
    head += ["normTeamworkAGD"] * bool(found.reference) + ["paper: skillAGD", "dropinAGD", "teamworkAGD"]
    rows = [_row(cast, line) for line in found.standings]
    order = "normTeamworkAGD" if found.reference else "teamworkAGD"
    return Table(f"In the order of {order}; 95 % intervals:", head, rows)


def _row(cast: Cast, line: Standing) -> list[str]:
    name = called(line.agent)
    last = [] if line.normalised is None else [f"{line.normalised:+.3f}"]
    printed = [f"{value:+.3f}" for value in cast.printed[name]]
    return [name, *(_short(one) for one in (line.skill, line.dropin, line.teamwork)), *last, *printed]


def _short(one: Estimate) -> str:
    return f"{one.value:+.3f} [{one.low:+.3f}, {one.high:+.3f}]"
