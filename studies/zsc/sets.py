"""docs/sets.md: who the partners of the shipped sets are, how they were chosen, what can be scored with them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from coplay.files import write_whole
from coplay.games import make
from coplay.pool.ceilings import ceilings
from coplay.pool.sets import PartnerSet, beyond, find_set, member_specs, read_partner_set
from coplay.report.pages.partner_set import charts_of, passed_in, table_of
from studies.results.page import section_text
from studies.results.work import Section, Table
from studies.zsc.meet import Met
from studies.zsc.plan import LAYOUTS

TEXT = (
    "# Sets of partners",
    "Whom an agent meets in the kitchens of ZSC-Eval, and what could be scored with them. Each of the seven sets was "
    "made by `coplay partners make`, Algorithm 1 of *Quantifying Zero-Shot Coordination Capability with Behavior "
    "Preferring Partners*: 64 pairs with tastes, chosen by what their best responses do, each at the end of its "
    "training and at half of its skill, each with a best response of its own.",
    "```\n"
    "coplay evaluate greedy-cook --game overcooked --layout coordination_ring\n"
    "coplay evaluate greedy-cook --game overcooked --layout coordination_ring --partners set:zsc-coordination_ring\n"
    "coplay play overcooked --layout coordination_ring --partner set:zsc-coordination_ring/partner-4\n"
    "```",
    "The first two are the same: in these kitchens the set is whom `evaluate` takes where nobody names partners, and "
    "its best responses are the ceilings of [BR-Prox](measures/proximity.md). No agent is judged by a ceiling it set "
    "itself.",
)
CAPTIONS = {
    "ceilings": "What can be scored with each partner: the dot is its best response, the column its own copies.",
    "map": "All candidates, placed by what their best responses do; named ones were chosen.",
    "map-own": "The same map with those that would have been chosen by how they play themselves (P-Div).",
    "behaviour": "What candidates do themselves, in shares of the highest of any candidate: the chosen ones, and those "
    "that their own play would have chosen.",
    "selection": "Chosen by their best responses, partners span more (BR-Div) than chosen by their own play.",
    "diversity": "The largest volume that a subset of this size spans.",
}
NOTES = (
    "## What to know",
    "- Partners draw from their distribution. Their weights are int8, every file is below 61 kB, and all figures were "
    "measured with these very files: 500 episodes of 400 steps, half of them in each seat.",
    "- *Its copies* are two partners of one taste at one counter. Two cooks who both avoid the pot score nothing; with "
    "its best response the same cook is part of a team. So a low column says nothing against a partner.",
    "- A half-trained partner is the snapshot that scored nearest to half of what its candidate reached.",
    "- Networks are small (an MLP of 96, no memory). The candidates' own files are float16; what int8 costs was not "
    "measured apart, for ceilings are those of the int8 files.",
    "- Pairs learned for 12 M turns and best responses for 10 M (ZSC-Eval: 10 M each, with larger networks). A best "
    "response is a lower bound of what is possible. Where somebody that we know does better, beyond the noise, the "
    "section of the kitchen says who, and that is the ceiling in `coplay evaluate` for everybody but the agent that "
    "holds it. [The table](zsc.md) knows only its own agents; scripted ones are no ceiling there.",
    "- In forced_coordination and bothway_coordination some partners can do nothing in one of the seats. `set.json` "
    "has what the best response scores in each (`by_seat`); tables here and `coplay evaluate` take the mean over seats "
    "of both, [the table](zsc.md) goes seat by seat.",
    "- All seven sets together took 16 minutes of one H200 that also trained two other things.",
)


def write_sets(out: Path, met: Sequence[Met] = ()) -> None:
    """The page, and beside it the figures of every set."""
    sets = {layout: read_partner_set(find_set(f"zsc-{layout}")) for layout in LAYOUTS}
    head = ["kitchen", "partners", "pairs that ever scored", "best responses: least, median, most", "BR-Div"]
    rows = [[f"[{layout}](#{layout.replace('_', '-')})", *_row(found)] for layout, found in sets.items()]
    parts = [*TEXT, section_text(Section("all", "The seven sets", [], [Table("", head, rows)])), *_agents(met), *NOTES]
    parts += [_section(out, layout, found) for layout, found in sets.items()]
    write_whole(out, "\n\n".join(parts) + "\n")


def _agents(met: Sequence[Met]) -> list[str]:
    """What agents that were not made for the sets score with them."""
    if not met:
        return []
    head = ["kitchen", "agent", "its own copies", "with the set [95 %]", "BR-Prox [95 %]"]
    rows = [
        [
            one.layout,
            f"`{one.agent}`",
            f"{one.alone:.0f}",
            f"{one.mean:.0f} [{one.low:.0f}, {one.high:.0f}]",
            f"{one.br_prox:.2f} [{one.br_prox_low:.2f}, {one.br_prox_high:.2f}]",
        ]
        for one in met
    ]
    missing = [layout for layout in LAYOUTS if layout not in {one.layout for one in met}]
    text = [
        "`coplay study zsc meet`: 100 episodes in each seat with every partner ([the numbers](data/sets.csv))"
        f"{'; not played yet: ' + ', '.join(missing) if missing else ''}. In coordination_ring and counter_circuit "
        "the self-play agents score the most of all with themselves and, chance apart, the least with strangers: a "
        "scripted cook who looks after itself is far better company. In forced_coordination, where nobody gets "
        "anything done alone, they are the best of these."
    ]
    return [section_text(Section("agents", "What other agents score with them", text, [Table("", head, rows)]))]


def _row(found: PartnerSet) -> list[str]:
    tops = sorted(one.ceiling[0] for one in found.partners)
    figures = f"{tops[0]:.0f}, {tops[len(tops) // 2]:.0f}, {tops[-1]:.0f}"
    return [str(len(found.partners)), str(len(found.candidates)), figures, f"{found.br_div:.3g}"]


def _passed_by_others(layout: str) -> str:
    """The partners with whom an agent that everybody has does better than their best response."""
    known = ceilings(make("overcooked", layout=layout))
    recorded = {one.known_by for one in read_partner_set(find_set(f"zsc-{layout}")).partners}
    said = []
    for spec in member_specs(f"zsc-{layout}"):
        one = known.get(spec)
        if (
            one
            and one.known_by not in recorded
            and one.best_known
            and one.best_response
            and beyond(one.best_known, one.best_response)
        ):
            figures = f"{one.best_known.mean:.1f} against {one.best_response.mean:.1f}"
            said.append(f"{Path(spec).name} by {one.known_by} ({figures})")
    return "; ".join(said)


def _section(out: Path, layout: str, found: PartnerSet) -> str:
    made = json.loads((find_set(f"zsc-{layout}") / "settings.json").read_text())
    command = f"coplay partners make {layout} --choose {made['choose']} --set useful=true"
    text = [f"```\n{command}\n```"]
    for kind, chart in charts_of(found).items():
        write_whole(out.parent / f"images/sets/{layout}-{kind}.svg", chart)
        text.append(f"![{CAPTIONS[kind]}](images/sets/{layout}-{kind}.svg)\n\n{CAPTIONS[kind]}")
    passed = [words for words in (passed_in(found), _passed_by_others(layout)) if words]
    text.append(f"Passed best responses: {'; '.join(passed)}." if passed else "No best response is passed.")
    tables = [Table("Who they are", *table_of(found))]
    return section_text(Section(layout.replace("_", "-"), layout.replace("_", " ").capitalize(), text, tables))
