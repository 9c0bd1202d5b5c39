"""Counters and times of one process, in Prometheus' text format."""

from __future__ import annotations

import threading
from collections import Counter, deque

KEPT = 2048  # latest observations of each time


class Metrics:
    """Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._sums: Counter[str] = Counter()
        self._latest: dict[str, deque[float]] = {}

    def add(self, name: str, by: float = 1) -> None:
        with self._lock:
            self._counts[name] += by  # pyright: ignore[reportArgumentType]

    def observe(self, name: str, seconds: float) -> None:
        with self._lock:
            self._counts[f"{name}_count"] += 1
            self._sums[f"{name}_sum"] += seconds  # pyright: ignore[reportArgumentType]
            self._latest.setdefault(name, deque(maxlen=KEPT)).append(seconds)

    def count(self, name: str) -> float:
        with self._lock:
            return self._counts[name]

    def text(self, gauges: dict[str, float]) -> str:
        """Everything, one line each; `gauges` are values of this moment."""
        lines = []
        with self._lock:
            for name, value in sorted(self._counts.items()):
                if not name.endswith("_count"):
                    lines += [f"# TYPE coplay_{name}_total counter", f"coplay_{name}_total {value:.15g}"]
            for name, values in sorted(self._latest.items()):
                ordered = sorted(values)
                lines.append(f"# TYPE coplay_{name} summary")
                for share in (0.5, 0.9, 0.99):
                    lines.append(f'coplay_{name}{{quantile="{share}"}} {ordered[int(share * (len(ordered) - 1))]:.6f}')
                lines.append(f"coplay_{name}_sum {self._sums[f'{name}_sum']:.6f}")
                lines.append(f"coplay_{name}_count {self._counts[f'{name}_count']}")
        for name, value in sorted(gauges.items()):
            lines += [f"# TYPE coplay_{name} gauge", f"coplay_{name} {value:.15g}"]
        return "\n".join(lines) + "\n"
