"""Checkpoints that Orbax wrote, read without Orbax and TensorStore."""

from coplay.nets.orbax.checkpoint import Checkpoint

__all__ = ["Checkpoint"]
