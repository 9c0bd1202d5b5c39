"""TensorBoard, for those who like to watch curves there; the log that counts is metrics.jsonl."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coplay.train.settings import TrainError


class Board:
    """Writes the lines of a run as TensorBoard scalars in the run folder, one curve per seed; off, it does nothing."""

    def __init__(self, folder: Path, wanted: bool) -> None:
        self.writer: Any = None
        if wanted:
            try:
                from tensorboardX import SummaryWriter  # pyright: ignore[reportMissingImports]
            except ImportError as error:
                raise TrainError("tensorboard=true needs a package: pip install tensorboardX.") from error
            self.writer = SummaryWriter(str(folder / "tensorboard"))

    def write(self, line: dict[str, Any]) -> None:
        if self.writer is None:
            return
        for name, value in line.items():
            if isinstance(value, list):
                for number, figure in enumerate(value):
                    self.writer.add_scalar(f"{name}/{number}", figure, line["turns"])
            elif name not in ("updates", "turns"):
                self.writer.add_scalar(name, value, line["turns"])
        self.writer.flush()
