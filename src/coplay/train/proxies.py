"""Proxies of a community, from nothing to files that can be hosted: record games, clone them, learn on near the clones.

As in AH2AC2: every proxy has a clone of its own and a weight of its own that holds it near that clone. Every step is
kept in the folder, so that the same call goes on after a kill:

    games.safetensors      what the clones learn from
    held_out.safetensors   games of the same players that nobody learns from
    clones/                a run of `bc`, one seed per proxy
    learning/              a run of `hdr_ippo`, one learner per proxy
    proxy-NUMBER.safetensors, .critic.safetensors
                           the proxy in int8, and what it needs to learn on
    proxies.json           what was measured: self-play, and the held-out games as proxy and clone foresee them
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from coplay.data import read
from coplay.data.recording import record
from coplay.files import write_whole
from coplay.games import make, spec_of
from coplay.nets.file import load_policy, save_critic, save_policy
from coplay.rollouts.episode import Episodes
from coplay.rollouts.play import play
from coplay.train.run import Run, train
from coplay.train.settings import TrainError


@dataclasses.dataclass(frozen=True)
class Proxy:
    """One that is done, and what was measured of it."""

    file: str
    kl: float
    mean: float  # of self-play
    zeros: float  # share of self-play games that score nothing
    cross_entropy: float  # on held-out games, per seat and turn as AH2AC2 counts
    clone_mean: float
    clone_cross_entropy: float


@dataclasses.dataclass(frozen=True)
class Proxies:
    """How a set of proxies is made; equal settings and seeds make equal games and clones."""

    who: tuple[str, ...] = ("community",)
    games: int = 101_096
    held_out: int = 1000
    kl: tuple[float, ...] = (0.3, 0.2)  # one proxy each
    judged: int = 10_000  # games of self-play by which it is told how good they are
    seed: int = 0
    clone: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # settings of `bc` over its preset many-games
    learn: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # settings of `hdr_ippo` over its preset proxy

    def __post_init__(self) -> None:
        if not self.kl or not all(0 <= weight <= 1 for weight in self.kl):
            raise TrainError(f"kl={self.kl}: give a weight between 0 and 1 for every proxy.")
        if min(self.games, self.held_out, self.judged) < 1:
            raise TrainError(f"games={self.games}, held_out={self.held_out}, judged={self.judged}: at least 1 each.")


def make_proxies(
    game: Any,
    out: str | Path,
    settings: Proxies | None = None,
    jobs: int = 1,
    progress: bool | None = None,
    say: Callable[[str], None] = print,
) -> list[Proxy]:
    """Makes what is missing in the folder and tells how good the proxies are."""
    made, folder, chosen = make(game), Path(out), settings or Proxies()
    _begin(folder, made, chosen)
    say(f"{folder}: games of {', '.join(chosen.who)}")
    games = _recorded(folder / "games.safetensors", made, chosen, 0, chosen.games, jobs, progress)
    held_out = _recorded(folder / "held_out.safetensors", made, chosen, chosen.games, chosen.held_out, jobs, progress)
    say(f"{folder}: {len(chosen.kl)} clones")
    files = {"data": str(games), "held_out": str(held_out)}
    clones = {"preset": "many-games", **chosen.clone, **files}
    kept = folder / "clones"
    train("bc", made, kept, seeds=len(chosen.kl), seed=chosen.seed, resume=True, progress=progress, **clones)
    say(f"{folder}: {len(chosen.kl)} proxies, held near their clones with {', '.join(f'{kl:g}' for kl in chosen.kl)}")
    run = _learned(folder, made, chosen, progress)
    judge = read(held_out, check=False)
    proxies = []
    for number in range(len(chosen.kl)):
        say(f"{folder}: how good proxy {number} is")
        proxies.append(_proxy(folder, run, chosen, number, judge))
        _tell(folder, proxies)
    return proxies


def _begin(folder: Path, game: Any, settings: Proxies) -> None:
    """A folder holds one set of proxies: a second call with other settings would mix two."""
    note = folder / "settings.json"
    wanted = json.dumps({"game": spec_of(game), **dataclasses.asdict(settings)}, indent=1, sort_keys=True) + "\n"
    if note.is_file() and note.read_text() != wanted:
        raise TrainError(f"{folder} was begun with other settings (see {note.name} there); choose another folder.")
    write_whole(note, wanted)


def _recorded(file: Path, game: Any, settings: Proxies, first: int, games: int, jobs: int, progress: Any) -> Path:
    if not file.is_file():
        record(game, settings.who, games, file, settings.seed, first, jobs, progress)
    return file


def _clone(folder: Path, number: int) -> Path:
    return folder / "clones" / f"agent-{number}.safetensors"


def _learned(folder: Path, game: Any, settings: Proxies, progress: Any) -> Run:
    """All proxies learn side by side: together they keep a GPU busy that one alone would not."""
    count = len(settings.kl)
    given = {
        "preset": "proxy",
        **settings.learn,
        "bc": ",".join(str(_clone(folder, number)) for number in range(count)),
        "kl": ",".join(f"{kl:g}" for kl in settings.kl),
    }
    place = folder / "learning"
    return train("hdr_ippo", game, place, seeds=count, seed=settings.seed, resume=True, progress=progress, **given)


def _proxy(folder: Path, run: Run, settings: Proxies, number: int, judge: Episodes) -> Proxy:
    game, clone, file = run.game, _clone(folder, number), folder / f"proxy-{number}.safetensors"
    about = json.loads((run.folder / "run.json").read_text())
    network = run.agents[number].network
    save_policy(file, network, game, {"recipe": "hdr_ippo", **about["settings"]}, "int8", critic=False)
    save_critic(file, network)
    alone, before = (_selfplay(game, path, settings) for path in (file, clone))
    return Proxy(
        file=file.name,
        kl=settings.kl[number],
        mean=float(alone.scores.mean()),
        zeros=float((alone.scores == 0).mean()),
        cross_entropy=_cross_entropy(judge, game, file),
        clone_mean=float(before.scores.mean()),
        clone_cross_entropy=_cross_entropy(judge, game, clone),
    )


def _selfplay(game: Any, file: Path, settings: Proxies) -> Episodes:
    return play(game, load_policy(str(file), game), settings.judged, settings.seed, progress=False)


def _cross_entropy(judge: Episodes, game: Any, file: Path) -> float:
    from coplay.measure.predict import predict

    return predict(judge, load_policy(str(file), game)).result.paper_cross_entropy.value


def _tell(folder: Path, proxies: Sequence[Proxy]) -> None:
    write_whole(folder / "proxies.json", json.dumps([dataclasses.asdict(one) for one in proxies], indent=1) + "\n")
