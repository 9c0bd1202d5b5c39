"""A real server: llama.cpp with a model that is made here. Runs where `llama-cpp-python[server]` and `gguf` are.

The model knows one thing: after any words it says "ACTION:2", which in this game plays the first card. Its weights are
written down, not learned: every token leads to the next one.
"""

from __future__ import annotations

import importlib.util
import itertools
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import coplay

NEEDED = ("llama_cpp", "gguf", "starlette_context")
missing = ", ".join(name for name in NEEDED if importlib.util.find_spec(name) is None)
pytestmark = pytest.mark.skipif(bool(missing), reason=f"no {missing}: pip install 'llama-cpp-python[server]' gguf")

PLAY_FIRST = 2  # hanabi-very-small: 0 and 1 discard
WIDTH = 512


def write_model(path: Path) -> None:
    """A transformer of one block that does nothing; the head maps every token to its successor."""
    import gguf  # pyright: ignore[reportMissingImports]

    words = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "ACTION", ":", str(PLAY_FIRST)]
    kinds = [2, 3, 3, *[6] * 256, 1, 1, 1]  # unknown, control, bytes, normal
    follows = dict.fromkeys(range(len(words)), words.index("ACTION"))
    chain = ["ACTION", ":", str(PLAY_FIRST), "</s>"]
    follows |= {words.index(now): words.index(after) for now, after in itertools.pairwise(chain)}
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(4096)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(32)
    writer.add_head_count(4)
    writer.add_head_count_kv(4)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // 4)
    writer.add_file_type(0)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(words)
    writer.add_token_scores([0.0] * len(words))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    embedding = np.eye(len(words), WIDTH, dtype=np.float32)
    head = np.zeros((len(words), WIDTH), np.float32)
    for now, after in follows.items():
        head[after, now] = 1
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output.weight", head)
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    for name in ("attn_norm", "ffn_norm"):
        writer.add_tensor(f"blk.0.{name}.weight", np.ones(WIDTH, np.float32))
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        writer.add_tensor(f"blk.0.{name}.weight", np.zeros((WIDTH, WIDTH), np.float32))
    for name, shape in (("gate", (32, WIDTH)), ("up", (32, WIDTH)), ("down", (WIDTH, 32))):
        writer.add_tensor(f"blk.0.ffn_{name}.weight", np.zeros(shape, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    model = tmp_path_factory.mktemp("llama") / "tiny.gguf"
    write_model(model)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "llama_cpp.server", "--model", str(model), "--port", str(port), "--n_ctx", "4096"]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}/v1"
        while server.poll() is None:
            try:
                urllib.request.urlopen(f"{url}/models").close()
                break
            except OSError:
                time.sleep(0.2)
        assert server.poll() is None, "the server did not start"
        yield url
    finally:
        server.terminate()
        server.wait()


def test_a_whole_evaluation(address: str, tmp_path: Path):
    model = f"llm:tiny?url={address}&cache={tmp_path / 'cache'}&max_tokens=8"
    found = coplay.evaluate("hanabi-very-small", model, ["random"], games=3, out=tmp_path / "run", name="tiny")
    assert not any(row.forfeit for games in found.games.values() for row in games)
    assert "tokens_out" in (tmp_path / "run" / "costs.csv").read_text()
