"""Random keys derived from names, so that adding an agent or reordering a loop changes nobody else's deals."""

from __future__ import annotations

import hashlib

import jax

Array = jax.Array


def derive(seed: int, *names: str | int) -> Array:
    """A key that depends on the seed and the names alone."""
    text = "\0".join([str(seed), *(str(name) for name in names)])
    digest = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
    return jax.random.key(digest)
