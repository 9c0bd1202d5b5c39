"""Zstandard's frames, packed by the library itself: `tests/golden/zstd/record.py` wrote them."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path

import pytest

from coplay.nets.orbax.zstandard import unpack

FRAMES = Path(__file__).parents[2] / "golden" / "zstd"
TOLD = json.loads((FRAMES / "told.json").read_text())


@pytest.mark.parametrize("name", sorted(TOLD))
def test_what_was_packed_comes_out(name: str):
    size, digest = TOLD[name]
    found = unpack((FRAMES / name).read_bytes(), size)
    assert (len(found), hashlib.sha256(found).hexdigest()) == (size, digest)


def test_frames_follow_each_other_and_skipped_ones_are_skipped():
    first, second = (FRAMES / name for name in ("words-1", "same-1"))
    skipped = bytes.fromhex("532a4d18 03000000 616263")
    both = unpack(first.read_bytes() + skipped + second.read_bytes(), 1 << 20)
    assert len(both) == TOLD["words-1"][0] + TOLD["same-1"][0]


def test_a_frame_that_holds_more_than_it_should_is_refused():
    with pytest.raises(ValueError, match="more than the 100 bytes"):
        unpack((FRAMES / "same-1").read_bytes(), 100)


@pytest.mark.parametrize("name", ["words-1", "numbers-3"])
def test_whatever_is_broken_ends_in_words_or_in_bytes(name: str):
    """Nothing but ValueError, and never more bytes than asked for."""
    packed, size = (FRAMES / name).read_bytes(), TOLD[name][0]
    draw, told = random.Random(1), 0
    for _ in range(60):
        broken = bytearray(packed)
        for _ in range(draw.randrange(1, 4)):
            broken[draw.randrange(len(broken))] = draw.randrange(256)
        end = draw.randrange(1, len(broken)) if draw.random() < 0.3 else len(broken)
        try:
            assert len(unpack(bytes(broken[:end]), size)) <= size
        except ValueError:
            told += 1
    assert told > 30


@pytest.mark.parametrize("packed", [b"PK\x03\x04....", bytes.fromhex("28b52ffd"), bytes.fromhex("28b52ffd 23 00 00")])
def test_what_is_no_frame_is_refused(packed: bytes):
    with pytest.raises(ValueError, match=r"no frame|cut off|dictionary"):
        unpack(packed, 100)
