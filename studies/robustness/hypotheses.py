"""Which of the paper's hypotheses hold here, by the numbers: differences of more than two standard errors count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from studies.robustness.found import Setting, Value, together
from studies.robustness.plan import STARTS


class Comparison(NamedTuple):
    """Of two settings that differ in one thing."""

    about: str  # diverse, kind, population, mixed, random, size
    first: Setting
    second: Setting

    def gain(self, measure: str) -> Value:
        return self.first.value(measure).less(self.second.value(measure))


class Found:
    """All settings by the part they play."""

    def __init__(self, settings: Sequence[Setting]) -> None:
        self.settings = list(settings)
        self._by_part = {(_part(one.population), one.starts): one for one in settings}

    def comparisons(self, about: str | None = None) -> list[Comparison]:
        return [one for one in self._comparisons() if about in (None, one.about)]

    def _comparisons(self) -> Iterator[Comparison]:
        for one in self.settings:
            if one.starts == "diverse":
                yield from self._pair(
                    "diverse", (_part(one.population), "diverse"), (_part(one.population), "ordinary")
                )
        for about, first, second in PAIRS:
            for starts in STARTS:
                yield from self._pair(about, (first, starts), (second, starts))

    def _pair(self, about: str, first: tuple[str, str], second: tuple[str, str]) -> Iterator[Comparison]:
        one, other = self._by_part.get(first), self._by_part.get(second)
        if one is not None and other is not None and one.layouts == other.layouts:
            yield Comparison(about, one, other)


PAIRS = (
    ("kind", "1 ToM", "1 BC"),
    ("population", "BC", "1 BC"),
    ("population", "ToM", "1 ToM"),
    ("mixed", "mixed", "BC"),
    ("mixed", "mixed", "ToM"),
    ("random", "random", "ToM"),
    ("size", "many random", "random"),
)


def _part(population: str) -> str:
    """The part a population plays, whatever its size."""
    if population.startswith("1 ") and "+" not in population:
        return population
    if "+" in population:
        return "mixed"
    size, _, kind = population.partition(" ")
    if kind == "random ToM":
        return "many random" if int(size) > MANY else "random"
    return kind


MANY = 50


def hypotheses(settings: Sequence[Setting]) -> list[str]:
    """A line for each, with what the paper found."""
    found = Found(settings)
    return [_first(found), *_second(found), *_third(found), *_fourth(found), *_fifth(found), *_others(found)]


def verdict(value: Value) -> str:
    return {1: "holds", -1: "does not hold", 0: "cannot be told"}[value.sign]


def _first(found: Found) -> str:
    """H1: tests and validation reward often disagree."""
    told = [(one.gain("tests").sign, one.gain("validation").sign) for one in found.comparisons()]
    clear = [pair for pair in told if pair != (0, 0)]
    if not clear:
        return f"**H1**, unit tests and validation reward often disagree: cannot be told; none of {len(told)} is clear."
    apart = sum(tests != reward for tests, reward in clear)
    against = sum(tests * reward < 0 for tests, reward in clear)
    word = "holds" if 2 * apart >= len(clear) else "does not hold"
    ranks = [rankdata([one.value(name).mean for one in found.settings]) for name in ("tests", "validation")]
    return (
        f"**H1**, unit tests and validation reward often disagree: {word}. Of {len(told)} comparisons of settings that "
        f"differ in one thing {len(clear)} are clear in one of the two or in both; in {apart} of these only one moves "
        f"clearly or they move against each other ({against}). Rank correlation of the two over the "
        f"{len(found.settings)} settings: {np.corrcoef(ranks)[0, 1]:.2f}. (Paper: supported.)"
    )


def _second(found: Found) -> list[str]:
    """H2: diverse starts make learners robust to states."""
    pairs = found.comparisons("diverse")
    if not pairs:
        return []
    gain = together([one.gain("state") for one in pairs])
    up = sum(one.gain("state").mean > 0 for one in pairs)
    told = f"{_signed(gain)}, up for {up} of {len(pairs)} populations"
    line = f"**H2**, diverse starts raise the state tests: {verdict(gain)} ({told}). (Paper: supported.)"
    tests, reward = (_share(pairs, measure) for measure in ("tests", "validation"))
    raised = together([one.gain("tests") for one in pairs])
    word = verdict(raised) if raised.sign < 1 else "holds" if tests > reward else "does not hold"
    more = f"Diverse starts raise the unit tests more than the validation reward: {word} ({tests:+.0%} against "
    return [line, f"{more}{reward:+.0%}). (Paper: the reward stays or falls.)"]


def _third(found: Found) -> list[str]:
    """H3: a Theory-of-Mind agent makes learners robust to states."""
    printed = {"ordinary": "supported", "diverse": "no difference"}
    return [
        f"**H3**, one ToM beats one BC in the state tests, {one.first.starts} starts: {verdict(one.gain('state'))} "
        f"({_signed(one.gain('state'))}). (Paper: {printed[one.first.starts]}.)"
        for one in found.comparisons("kind")
    ]


def _fourth(found: Found) -> list[str]:
    """H4: a population makes learners robust, to agents most of all."""
    lines = []
    for kind, printed in (("BC", "supported"), ("ToM", "no effect, or worse")):
        pairs = [one for one in found.comparisons("population") if _part(one.first.population) == kind]
        if pairs:
            gains = {name: together([one.gain(name) for one in pairs]) for name in ("agent", "tests")}
            lines.append(
                f"**H4**, {pairs[0].first.population} beat {pairs[0].second.population} in the agent tests: "
                f"{verdict(gains['agent'])} ({_signed(gains['agent'])}; all tests {_signed(gains['tests'])}). "
                f"(Paper: {printed}.)"
            )
    return lines


def _fifth(found: Found) -> list[str]:
    """H5: a mixture beats both kinds alone."""
    lines = []
    for measure, printed in (("tests", "on par with BC, above ToM"), ("validation", "supported")):
        gains = {
            kind: together(
                [one.gain(measure) for one in found.comparisons("mixed") if _part(one.second.population) == kind]
            )
            for kind in ("BC", "ToM")
            if any(_part(one.second.population) == kind for one in found.comparisons("mixed"))
        }
        if len(gains) == 2:
            least = min(gains.values(), key=lambda one: one.sign)
            form = ".2f" if measure == "tests" else ".1f"
            told = ", ".join(f"{_signed(gain, form)} against {kind}" for kind, gain in gains.items())
            name = "unit tests" if measure == "tests" else "validation reward"
            lines.append(
                f"**H5**, the mixture beats both kinds in the {name}: {verdict(least)} ({told}). (Paper: {printed}.)"
            )
    return lines


def _others(found: Found) -> list[str]:
    """What else the paper says of its figures."""
    lines = []
    for about, words, printed in (
        ("random", "drawn ToM agents beat those chosen by hand", "so it is"),
        ("size", "more drawn ToM agents are better", "slowly, up to 500"),
    ):
        pairs = found.comparisons(about)
        if pairs:
            gain = together([one.gain("tests") for one in pairs])
            reward = together([one.gain("validation") for one in pairs])
            told = f"{_signed(gain)}; validation reward {_signed(reward, '.1f')}"
            lines.append(f"In the unit tests {words}: {verdict(gain)} ({told}). (Paper: {printed}.)")
    best = max(found.settings, key=lambda one: one.value("tests").mean)
    score = best.value("tests")
    word = "holds" if score.mean <= 0.65 else "does not hold"
    lines.append(f"No learner passes more than 0.65 of the tests: {word} (most: {best.label}, {score.text()}).")
    return lines


def _share(pairs: Sequence[Comparison], measure: str) -> float:
    """The gain as a share of what there was."""
    before = sum(one.second.value(measure).mean for one in pairs)
    return sum(one.gain(measure).mean for one in pairs) / max(before, 1e-9)


def _signed(value: Value, form: str = ".2f") -> str:
    return ("+" if value.mean >= 0 else "") + value.text(form)
