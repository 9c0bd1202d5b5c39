"""A visitor's own file: every format is shown, one game leaves the browser, and no file does any harm."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coplay.games import make
from coplay.report.replay import page
from coplay.report.replay_file import read_game
from coplay.rollouts.episode import Episodes
from coplay.rollouts.episode_file import save
from coplay.rollouts.play import play
from coplay.worlds.hanabi.recordings.ah2ac2 import save_games
from coplay.worlds.hanabi.recordings.episodes import from_episodes
from coplay.worlds.hanabi.recordings.hanablive_games import save_hanablive
from tests.serve.pages.conftest import Site
from tests.worlds.overcooked.test_recordings import LITTLE, recorded, saved

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def episodes() -> Episodes:
    return play(make("hanabi", players=2), ["iggi", "iggi"], games=3, seed=0)


@pytest.fixture(scope="module")
def files(episodes: Episodes, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same games in every format."""
    folder = tmp_path_factory.mktemp("files")
    found = {
        name: folder / file
        for name, file in {"episodes": "e.safetensors", "ah2ac2": "a.safetensors", "hanablive": "h.json"}.items()
    }
    save(episodes, found["episodes"])
    games = from_episodes(episodes)
    save_games(found["ah2ac2"], games)
    save_hanablive(found["hanablive"], games)
    return found


def send(site: Site, content: bytes, name: str = "game.safetensors", number: int = 0) -> Any:
    return site.client.post("/replay", files={"file": (name, content)}, data={"number": number})


@pytest.mark.parametrize("kind", ["episodes", "ah2ac2", "hanablive"])
def test_every_format_gives_the_same_game(files: dict[str, Path], episodes: Episodes, kind: str) -> None:
    found = read_game(files[kind], 2)
    assert len(found) == 1
    assert found.scores[0] == episodes.scores[2]
    length = int(episodes.lengths[2])
    assert found.actions[0, :length].tolist() == episodes.actions[2, :length].tolist()
    with pytest.raises(ValueError, match=r"there is no game 3; the file has games 0 to 2\."):
        read_game(files[kind], 3)


@pytest.mark.parametrize("kind", ["episodes", "ah2ac2", "hanablive"])
def test_a_visitor_watches_a_game_of_a_local_file(site: Site, tab: Any, files: dict[str, Path], kind: str) -> None:
    tab.goto("/replay")
    sent: list[Any] = []
    tab.on("request", lambda request: sent.append(request) if request.method == "POST" else None)
    tab.set_input_files("#file", files[kind])
    film = tab.frame_locator("#film")
    film.locator("h1:has-text('game 0, score')").wait_for()
    assert "0 to 2" in tab.inner_text("#count")
    tab.fill("#number", "2")
    tab.keyboard.press("Enter")
    film.locator("h1:has-text('game 2, score')").wait_for()
    film.locator("#moving *").first.wait_for(state="attached")
    assert not tab.is_visible("#problem, #waiting")
    assert max(len(request.post_data_buffer or b"") for request in sent) < files[kind].stat().st_size


def test_a_visitor_is_told_what_is_wrong_with_a_file(site: Site, tab: Any, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no games here, only words")
    (tmp_path / "one.json").write_text('{"players": ["a", "b"]}')
    tab.goto("/replay")
    tab.set_input_files("#file", tmp_path / "notes.txt")
    tab.wait_for_selector("#problem:has-text('no whole safetensors file')")
    tab.set_input_files("#file", tmp_path / "one.json")
    tab.frame_locator("#film").locator("#message:has-text(\"there is no list 'deck'\")").wait_for()


def test_trials_of_overcooked_are_watched_on_ones_own_machine(site: Site, tab: Any, tmp_path: Path) -> None:
    path = saved(tmp_path, recorded(LITTLE))
    found = read_game(path, 0)
    assert found.actions[0].tolist() == LITTLE
    assert "score 0" in page(found, 0)
    with pytest.raises(ValueError, match="there is no game 1"):
        read_game(path, 1)
    tab.goto("/replay")
    tab.set_input_files("#file", path)
    tab.wait_for_selector("#problem:has-text('coplay replay')")


def test_names_in_a_file_cannot_bring_a_script_and_nothing_is_kept(
    site: Site, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    game = json.loads(files["hanablive"].read_text())[0] | {"players": [EVIL, f"</script>{EVIL}"]}
    answer = send(site, json.dumps(game).encode(), "x.json", 7)
    assert answer.status_code == 200
    assert "game 7" in answer.text
    assert "<img" not in answer.text
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert answer.headers["cache-control"] == "no-store"
    assert list(tmp_path.iterdir()) == []


def test_a_file_cannot_have_a_file_of_the_server_imported(site: Site, files: dict[str, Path], tmp_path: Path) -> None:
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\nclass G:\n    reset = step = None\n")
    whole = files["episodes"].read_bytes()
    size = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + size])
    about = json.loads(header["__metadata__"]["coplay"])
    for changed in (
        {"spec": f"file:{trap}:G"},
        {"game": f"file:{trap}:G"},
        {"spec": f"overcooked?layout={trap}", "game": "overcooked"},
        {"spec": "overcooked?horizon=1000000", "game": "overcooked"},
    ):
        header["__metadata__"] = {"coplay": json.dumps(about | changed)}
        text = json.dumps(header).encode()
        answer = send(site, len(text).to_bytes(8, "little") + text + whole[8 + size :])
        assert answer.status_code == 422
        assert "on your own machine" in answer.text
        assert not (tmp_path / "sprung").exists()


def test_files_that_break_are_refused_with_a_reason_and_no_path(site: Site, files: dict[str, Path]) -> None:
    whole = files["episodes"].read_bytes()
    size = int.from_bytes(whole[:8], "little")
    head, rest = whole[8 : 8 + size], whole[8 + size :]
    about = json.loads(json.loads(head)["__metadata__"]["coplay"])

    told = {name: value for name, value in about.items() if name != "spec"}  # as files were written before

    def with_about(**changed: Any) -> bytes:
        header = json.loads(head) | {"__metadata__": {"coplay": json.dumps(told | changed)}}
        text = json.dumps(header).encode()
        return len(text).to_bytes(8, "little") + text + rest

    kitchen = {"game": "overcooked", "game_version": 1}
    for content, reason in (
        (b"", "no whole safetensors"),
        (whole[:-9], "no whole safetensors"),
        (np.random.default_rng(0).bytes(500), "no whole safetensors"),
        (len(b"[" * 5000).to_bytes(8, "little") + b"[" * 5000, "no whole safetensors"),
        (with_about(**kitchen, settings={"layout": "/etc/passwd"}), "&#39;/etc/passwd&#39; is not one of the kitchens"),
        (with_about(**kitchen, settings={"layout": "cramped_room", "horizon": 10**9}), "at most 1000 steps"),
        (with_about(**kitchen, settings={"layout": "cramped_room"}), "do not fit together"),
        (with_about(settings={"players": 3}), "2 names for 3 players"),
        (with_about(game="chess"), "unknown game"),
        (with_about(names=["only one"]), "1 names for 2 players"),
        (with_about(names=None), "do not fit together"),
    ):
        answer = send(site, content)
        assert answer.status_code == 422
        assert reason in answer.text.lower()
        assert "coplay-replay-" not in answer.text
        assert "root:" not in answer.text
    assert "a move is hidden" not in send(site, whole).text  # the whole file is still shown


def test_larger_bodies_are_refused_before_they_are_read(site: Site) -> None:
    assert send(site, bytes(70_000)).status_code == 413
