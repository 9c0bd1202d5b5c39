"""Counters and times of the processes of a server, in Prometheus' text format, each with its process as a label."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import TypedDict

KEPT = 2048  # latest observations of each time
SHARES = (0.5, 0.9, 0.99)
# Every counter there is: it stands at 0 from the beginning, so that an alert sees the first failure as a step.
COUNTERS = (
    "configurations_scored",
    "connections_refused",
    "deals_stuck",
    "games_done",
    "games_forfeit",
    "games_void",
    "kinds_let_go",
    "letters_failed",
    "letters_sent",
    "moves",
    "partner_failures",
    "round_errors",
    "scoring_errors",
    "seats_substituted",
)
TIMES = ("round_seconds",)


class Counted(TypedDict):
    """What one process has counted so far; as JSON it is written beside its sign of life."""

    counters: dict[str, float]
    gauges: dict[str, float]
    times: dict[str, tuple[list[float], float, float]]  # quantiles, sum, count


class Metrics:
    """Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter(dict.fromkeys(COUNTERS, 0))
        self._sums: Counter[str] = Counter()
        self._times: Counter[str] = Counter()
        self._latest: dict[str, deque[float]] = {name: deque(maxlen=KEPT) for name in TIMES}
        self.gauges: dict[str, Callable[[], float]] = {}  # values of the moment at which they are asked

    def add(self, name: str, by: float = 1) -> None:
        assert name in COUNTERS, name
        with self._lock:
            self._counts[name] += by  # pyright: ignore[reportArgumentType]

    def observe(self, name: str, seconds: float) -> None:
        with self._lock:
            self._times[name] += 1
            self._sums[name] += seconds  # pyright: ignore[reportArgumentType]
            self._latest[name].append(seconds)

    def count(self, name: str) -> float:
        with self._lock:
            return self._counts[name]

    def counted(self) -> Counted:
        gauges = {name: float(read()) for name, read in self.gauges.items()}
        with self._lock:
            times = {
                name: (_quantiles(sorted(values)), float(self._sums[name]), float(self._times[name]))
                for name, values in self._latest.items()
            }
            return {"counters": dict(self._counts), "gauges": gauges, "times": times}


def _quantiles(ordered: list[float]) -> list[float]:
    return [ordered[int(share * (len(ordered) - 1))] for share in SHARES] if ordered else []


def exposition(processes: Mapping[str, Counted], common: Mapping[str, float]) -> str:
    """The text: what each process counts, and gauges that are the same whoever is asked."""
    lines: list[str] = []

    def series(name: str, kind: str, rows: list[str]) -> None:
        if rows:
            lines.extend([f"# TYPE coplay_{name} {kind}", *rows])

    def values(name: str, part: str) -> list[tuple[str, float]]:
        return [(f'worker="{id}"', one[part][name]) for id, one in processes.items() if name in one[part]]

    for name in COUNTERS:
        full = f"{name}_total"
        series(full, "counter", [f"coplay_{full}{{{who}}} {value:.15g}" for who, value in values(name, "counters")])
    for name in sorted({name for one in processes.values() for name in one["gauges"]}):
        series(name, "gauge", [f"coplay_{name}{{{who}}} {value:.15g}" for who, value in values(name, "gauges")])
    for name in TIMES:
        rows = []
        for id, one in processes.items():
            quantiles, total, count = one["times"][name]
            rows += [
                f'coplay_{name}{{worker="{id}",quantile="{share}"}} {value:.6f}'
                for share, value in zip(SHARES, quantiles, strict=False)
            ]
            rows += [
                f'coplay_{name}_sum{{worker="{id}"}} {total:.6f}',
                f'coplay_{name}_count{{worker="{id}"}} {count:.15g}',
            ]
        series(name, "summary", rows)
    for name, value in sorted(common.items()):
        series(name, "gauge", [f"coplay_{name} {value:.15g}"])
    return "\n".join(lines) + "\n"
