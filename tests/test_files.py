"""What a file or folder is, in one number."""

from __future__ import annotations

import hashlib
from pathlib import Path

from coplay.files import digest_of


def test_a_file_is_its_content(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"cards")
    assert digest_of(tmp_path / "a") == hashlib.sha256(b"cards").hexdigest()


def test_a_folder_is_its_files_and_their_names(tmp_path: Path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a").write_bytes(b"1")
    first = digest_of(tmp_path)
    (tmp_path / "deep" / "a").rename(tmp_path / "deep" / "b")
    renamed = digest_of(tmp_path)
    (tmp_path / "deep" / "b").write_bytes(b"2")
    assert len({first, renamed, digest_of(tmp_path)}) == 3
