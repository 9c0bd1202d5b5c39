"""Small frames of every kind, packed by Zstandard's own library. Runs where `zstandard` is: python record.py"""

import hashlib
import json
import random
from pathlib import Path

import numpy as np
import zstandard  # pyright: ignore[reportMissingImports]

FRAMES = Path(__file__).parent


def main():
    draw, numbers = random.Random(1), np.random.default_rng(1)
    words = [bytes(draw.randrange(256) for _ in range(draw.randrange(1, 9))) for _ in range(60)]
    sparse = numbers.normal(size=900) * (numbers.random(900) < 0.2)
    contents = {
        "nothing": b"",
        "same": b"a" * 5000,
        "noise": numbers.bytes(400),
        "weights": numbers.normal(size=700).astype(np.float32).tobytes(),
        "sparse": sparse.astype(np.float32).tobytes(),
        "numbers": numbers.integers(0, 50, 900).astype(np.int32).tobytes(),
        "words": b"".join(draw.choice(words) for _ in range(1500)),
        "blocks": bytes(150_000) + b"".join(draw.choice(words[:9]) for _ in range(2000)),  # more than one block
    }
    told = {}
    for name, content in contents.items():
        for level in (1, 3, 19) if name != "blocks" else (19,):
            packer = zstandard.ZstdCompressor(level=level, write_checksum=level == 3, write_content_size=level != 19)
            (FRAMES / f"{name}-{level}").write_bytes(packer.compress(content))
            told[f"{name}-{level}"] = len(content), hashlib.sha256(content).hexdigest()
    (FRAMES / "told.json").write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
