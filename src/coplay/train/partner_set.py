"""Partners that prefer different things, from nothing to a set that agents are judged with.

Algorithm 1 of "Quantifying Zero-Shot Coordination Capability with Behavior Preferring Partners": train candidates with
tastes and a response to each, describe every candidate by what its response does, choose the set whose responses span
the largest volume (BR-Div), add the half-trained selves of the chosen, and train a best response to every one. Each
step is kept in the folder, so that the same call goes on after a kill:

    candidates/     a run of `preferring`
    features.npz    how the responses of all candidates play, and what each pair scores
    responses/      a run of `best_response`, one learner for each partner
    partner-NUMBER.safetensors, response-NUMBER.safetensors
                    the set in int8
    set.json        who they are: tastes, scores, ceilings, hashes
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from coplay.completion import tells
from coplay.files import digest_of, write_whole
from coplay.game import Game
from coplay.games import make, spec_of
from coplay.measure.diversity import br_div, scaled, select
from coplay.nets.file import load_policy, read_safetensors, save_policy
from coplay.nets.policy import NetPolicy, reader
from coplay.pool.sets import NOTE, Measured, Partner, PartnerSet, read_partner_set
from coplay.rollouts.where import On, where
from coplay.rollouts.where.folders import write_folders
from coplay.train.ego import halfway
from coplay.train.learner.partners import stacked
from coplay.train.pairs import PairScores, play_pairs
from coplay.train.recipes.preferring import preferences_of
from coplay.train.run import train
from coplay.train.settings import TrainError

# A set has dozens of networks, so each is small.
SMALL: dict[str, Any] = {"embed": 96, "actor": 96, "critic": 96}
# Shares of their runs after which learners are paid by the game alone. Responses begin trained, so they explore less.
SHAPED_CANDIDATES, SHAPED_RESPONSES = 0.8, 0.5
ENTROPY_OF_RESPONSES = {"entropy": 0.05, "entropy_left": 0.05}


@dataclasses.dataclass(frozen=True)
class PartnerSetSettings:
    """How a set is made; equal settings and seeds make equal candidates."""

    pairs: int = 64  # tastes that are tried
    choose: int = 10  # of them; with their half-trained selves twice as many partners
    turns: float = 1.2e7  # for which candidates learn
    response_turns: float = 1e7  # for which best responses learn
    episodes: int = 80  # by which candidates are described
    judged: int = 250  # episodes in each seat by which ceilings are measured
    seed: int = 0
    learn: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # settings of the learner, over SMALL

    def __post_init__(self) -> None:
        if not 1 <= self.choose <= self.pairs:
            raise TrainError(f"choose={self.choose} of pairs={self.pairs}: choose at least 1 and at most all.")


def make_partner_set(
    game: Any,
    out: str | Path,
    settings: PartnerSetSettings | None = None,
    progress: bool | None = None,
    say: Callable[[str], None] = print,
) -> PartnerSet:
    """Makes what is missing in the folder."""
    made, folder, chosen = make(game), Path(out), settings or PartnerSetSettings()
    _begin(folder, made, chosen)
    if (folder / NOTE).is_file():
        return read_partner_set(folder)
    say(f"{folder}: {chosen.pairs} pairs with tastes")
    learn: dict[str, Any] = _learner(made, chosen, chosen.turns, SHAPED_CANDIDATES) | {
        "pairs": chosen.pairs,
        "snapshots": 20,
    }
    train("preferring", made, folder / "candidates", seed=chosen.seed, resume=True, progress=progress, **learn)
    say(f"{folder}: how they play")
    described = _described(folder, made, chosen)
    rows = select(scaled(described["features"]), chosen.choose, chosen.seed)
    numbers = described["candidates"][rows]
    say(f"{folder}: best responses to {2 * len(numbers)} partners")
    files = partner_files(folder / "candidates", numbers)
    _respond(folder, made, chosen, files, numbers, progress)
    partners = _judged(folder, made, chosen, files, numbers)
    found = _set(made, described, numbers, partners)
    write_whole(folder / NOTE, found.to_json())
    return found


def make_partner_sets(
    games: Sequence[str], folders: Sequence[Path], settings: PartnerSetSettings, on: On | None = None
) -> Iterator[tuple[Path, str, PartnerSet]]:
    """A set for every game in a folder of its own; with `on`, each is a job of that place, such as `ray?gpus=1`."""
    if on is None:
        for game, folder in zip(games, folders, strict=True):
            yield folder, game, make_partner_set(game, folder, settings)
        return
    home = folders[0].parent
    known = {folder.name: (folder, game) for folder, game in zip(folders, games, strict=True)}
    works = [(name, partial(make_one_set, game, settings, False)) for name, (_, game) in known.items()]
    for name, found in write_folders(where(on), home, works):
        yield *known[name], found


def make_one_set(game: str, settings: PartnerSetSettings, shown: bool, folder: Path) -> PartnerSet:
    """As a job, which is told its folder last."""
    return make_partner_set(game, folder, settings, progress=None if shown else False)


def _learner(game: Game, settings: PartnerSetSettings, turns: float, shaped: float) -> dict[str, Any]:
    """What learners of both kinds are told."""
    shaping = {"shaping": shaped * turns} if tells(game, "shaped") else {}
    return {**SMALL, **shaping, **settings.learn, "total_turns": turns}


def _begin(folder: Path, game: Game, settings: PartnerSetSettings) -> None:
    """A folder holds one set: a second call with other settings would mix two."""
    note = folder / "settings.json"
    wanted = json.dumps({"game": spec_of(game), **dataclasses.asdict(settings)}, indent=1, sort_keys=True) + "\n"
    if note.is_file() and note.read_text() != wanted:
        raise TrainError(f"{folder} was begun with other settings (see {note.name} there); choose another folder.")
    preferences_of(game)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(note, wanted)


def _policies(game: Game, files: Sequence[Path]) -> list[NetPolicy]:
    return [load_policy(str(file), game, greedy=False, name="one") for file in files]


def _described(folder: Path, game: Game, settings: PartnerSetSettings) -> dict[str, np.ndarray]:
    """How candidates and their responses play; those that never score together are left out."""
    file = folder / "features.npz"
    if not file.exists():
        played = _pairs(reader(game), folder / "candidates", settings)
        able = np.flatnonzero(played.means > 0)
        if able.size < settings.choose:
            raise TrainError(
                f"only {able.size} of {settings.pairs} pairs ever scored, and {settings.choose} are to be chosen; "
                "let them learn for longer, try more pairs or choose fewer, in another folder."
            )
        shown = list(preferences_of(game).described_by(game))
        scores = played.scores.mean(2)[able]  # [candidates, seats]
        features, own = (
            np.concatenate([events[able][..., shown], scores[..., None]], axis=2).reshape(able.size, -1)
            for events in (played.by_others, played.by_first)
        )
        found = {"candidates": able, "features": features, "own_features": own, "returns": played.means[able]}
        np.savez(file.with_suffix(".partial.npz"), **found)
        file.with_suffix(".partial.npz").rename(file)
    with np.load(file) as kept:
        return dict(kept)


def _pairs(game: Game, folder: Path, settings: PartnerSetSettings) -> PairScores:
    files = [folder / f"agent-{number}.safetensors" for number in range(2 * settings.pairs)]
    policies = _policies(game, files)
    first, second = (stacked(part) for part in (policies[: settings.pairs], policies[settings.pairs :]))
    return play_pairs(game, first, second, settings.episodes, settings.seed, preferences_of(game))


def partner_files(folder: Path, candidates: Sequence[int] | np.ndarray) -> list[Path]:
    """Of each candidate its trained self, then its half-trained one."""
    found = []
    for number in candidates:
        kept = sorted(folder.glob(f"snapshot-{number}-*.safetensors"))
        found += [folder / f"agent-{number}.safetensors", halfway(kept)]
    return found


def _respond(
    folder: Path, game: Game, settings: PartnerSetSettings, files: list[Path], numbers: np.ndarray, progress: Any
) -> None:
    """One learner for each partner; it begins as the response that was trained beside the candidate."""
    began = [folder / "candidates" / f"agent-{settings.pairs + number}.safetensors" for number in numbers for _ in "fh"]
    given = {
        **ENTROPY_OF_RESPONSES,
        **_learner(game, settings, settings.response_turns, SHAPED_RESPONSES),
        "each": True,
        "partner": ",".join(f"run:{file}?greedy=false" for file in files),
        "start": ",".join(f"run:{file}" for file in began),
    }
    train(
        *("best_response", game, folder / "responses"),
        seeds=len(files),
        seed=settings.seed,
        resume=True,
        progress=progress,
        **given,
    )


def _judged(
    folder: Path, game: Game, settings: PartnerSetSettings, files: list[Path], numbers: np.ndarray
) -> tuple[Partner, ...]:
    """The set in int8, and what these very files score."""
    kept = []
    for number, file in enumerate(files):
        answer = folder / "responses" / f"agent-{number}.safetensors"
        for source, name in ((file, "partner"), (answer, "response")):
            place = folder / f"{name}-{number}.safetensors"
            policy = load_policy(str(source), game)
            save_policy(place, policy.network, policy.game, _made_for(_made(source), number), "int8", critic=False)
            kept.append(place)
    partners, answers = (stacked(_policies(reader(game), kept[side::2])) for side in (0, 1))
    top = play_pairs(reader(game), answers, partners, settings.judged, settings.seed + 1)
    alone = play_pairs(reader(game), partners, partners, settings.judged, settings.seed + 1)
    return tuple(
        Partner(
            file=kept[2 * number].name,
            sha256=digest_of(kept[2 * number]),
            candidate=int(numbers[number // 2]),
            level=("final", "half")[number % 2],
            wish=_made(file)["wish"],
            self_play=figure(alone.scores[number]),
            response=kept[2 * number + 1].name,
            response_sha256=digest_of(kept[2 * number + 1]),
            ceiling=figure(top.scores[number]),
            by_seat=tuple(figure(scores) for scores in top.scores[number]),
        )
        for number, file in enumerate(files)
    )


def _made_for(made: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A response learned beside those to all other partners; its own file tells of its own partner alone."""
    settings = made["settings"]
    own = {key: settings[key].split(",")[number] for key in ("partner", "start") if settings.get(key)}
    inputs = {name: digest for name, digest in made.get("inputs", {}).items() if not own or name in own.values()}
    return {**made, "settings": {**settings, **own}, "inputs": inputs}


def _made(file: Path) -> dict[str, Any]:
    return json.loads(read_safetensors(file)[1]["made"])


def figure(scores: np.ndarray) -> Measured:
    """Mean, standard error, games."""
    error = scores.std(ddof=1) / np.sqrt(scores.size)
    return round(float(scores.mean()), 4), round(float(error), 4), int(scores.size)


def _set(game: Game, described: Mapping[str, np.ndarray], numbers: np.ndarray, partners: Any) -> PartnerSet:
    rows = np.flatnonzero(np.isin(described["candidates"], numbers))
    return PartnerSet(
        game=spec_of(game),
        partners=partners,
        chosen=tuple(numbers.tolist()),
        br_div=br_div(scaled(described["features"]), rows),
        candidates=tuple(described["candidates"].tolist()),
        returns=tuple(described["returns"].astype(float).round(4).tolist()),
        features=tuple(map(tuple, described["features"].astype(float).round(4).tolist())),
        own_features=tuple(map(tuple, described["own_features"].astype(float).round(4).tolist())),
    )
