"""Sets of trained partners with their best responses and ceilings: what `coplay partners make` makes.

A set is a folder: `set.json` and the files that it names. It lies in the folder `sets` of a pool and is called by its
name, or anywhere else and is called by its path: `--partners set:zsc-coordination_ring`, `--partners set:runs/ring`.
`set:NAME/partner-0` is one of its partners, `set:NAME/response-0` that one's best response.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from coplay.files import digest_of
from coplay.game import Game
from coplay.nets.file import agent_files, load_policy
from coplay.nets.policy import NetPolicy
from coplay.player import AgentError
from coplay.pool import sources
from coplay.pool.places import canonical, plays
from coplay.specs import unknown

NOTE = "set.json"
PREFIX = "set:"
RUN = "run:"
Measured = tuple[float, float, int]  # mean, standard error, games


@dataclasses.dataclass(frozen=True)
class Partner:
    """One of a set, and what was measured of it."""

    file: str
    sha256: str
    candidate: int  # which of those that were tried
    level: str  # "final" or "half"
    wish: str  # what it prefers, in words
    self_play: Measured
    response: str  # the file of its best response
    response_sha256: str
    ceiling: Measured  # what the best response scores with it, over all seats
    by_seat: tuple[Measured, ...] = ()  # the same in each seat of the best response; empty: nobody looked
    best_known: Measured | None = None  # an agent that does better, over all seats; None: nobody known does
    known_by: str = ""  # which agent that is, in words or by its spec
    known_weights: str = ""  # the first digits of its file's hash, so that it is not judged by its own ceiling

    @property
    def marked(self) -> bool:
        """Is the best response none, because the partner's own copies or some agent do better beyond the noise?"""
        return any(beyond(other, self.ceiling) for other in (self.self_play, self.best_known) if other is not None)


def beyond(one: Measured, other: Measured) -> bool:
    """Is the first mean higher, beyond the noise of both?"""
    return one[0] - other[0] > 2 * (one[1] ** 2 + other[1] ** 2) ** 0.5


@dataclasses.dataclass(frozen=True)
class PartnerSet:
    """A set, and how it was chosen."""

    game: str  # spec
    partners: tuple[Partner, ...]
    chosen: tuple[int, ...]  # candidates
    br_div: float
    candidates: tuple[int, ...]  # those that ever scored; the rows of what follows
    returns: tuple[float, ...]  # of each with its response
    features: tuple[tuple[float, ...], ...]  # how its response plays
    own_features: tuple[tuple[float, ...], ...]  # how it plays itself

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), indent=1) + "\n"


def read_partner_set(folder: str | Path) -> PartnerSet:
    """The set of a folder."""
    file = Path(folder) / NOTE
    if not file.is_file():
        raise AgentError(f"{folder} holds no finished set: {NOTE} is missing. Repeat its coplay partners command.")
    return _read(file.resolve(), file.stat().st_mtime_ns)


@cache
def _read(file: Path, changed: int) -> PartnerSet:
    del changed  # only that a file written anew is read anew
    told = json.loads(file.read_text(encoding="utf-8"))
    partners = tuple(map(_partner, told.pop("partners")))
    lists: dict[str, Any] = {key: tuple(told[key]) for key in ("chosen", "candidates", "returns")}
    lists |= {key: tuple(map(tuple, told[key])) for key in ("features", "own_features")}
    return PartnerSet(told["game"], partners, br_div=told["br_div"], **lists)


def _partner(told: dict[str, Any]) -> Partner:
    """Lists, as JSON has them, as tuples."""
    figures: dict[str, Any] = {key: tuple(value) for key, value in told.items() if isinstance(value, list)}
    figures["by_seat"] = tuple(map(tuple, told.get("by_seat", ())))
    return Partner(**told | figures)


def set_folders() -> dict[str, Path]:
    """The sets of all pools by their names."""
    return {file.parent.name: file.parent for pool in sources.folders() for file in (pool / "sets").glob(f"*/{NOTE}")}


def find_set(name: str) -> Path:
    """The folder of a set: of a pool by name, or anywhere by path."""
    if (Path(name) / NOTE).is_file():
        return Path(name)
    sources.need(f"{PREFIX}{name}")
    known = set_folders()
    if name in known:
        return known[name]
    raise AgentError(unknown("set", name, known, "; a folder of `coplay partners make` is named by its path"))


def member_specs(name: str) -> list[str]:
    """The specs of all partners of a set."""
    return [f"{PREFIX}{name}/{Path(one.file).stem}" for one in read_partner_set(find_set(name)).partners]


def expand(agents: Iterable[Any]) -> list[Any]:
    """Agents as they were named, with the members of a set, or of the folder of a training run (`run:DIR`), in its
    place; nobody comes in twice by these."""
    named = list(agents)
    found: list[Any] = []
    for one in named:
        members = member_specs(one.removeprefix(PREFIX)) if _is_set(one) else _seeds(one)
        if members:
            found += [member for member in members if member not in found and member not in named]
        else:
            found.append(one)
    return found


def _seeds(one: Any) -> list[str]:
    """The agents of a run folder; nobody where something else is named."""
    if not isinstance(one, str) or not one.startswith(RUN):
        return []
    place = one.removeprefix(RUN).partition("?")[0]
    members = agent_files(place)
    if Path(place).is_dir() and not members:
        raise AgentError(f"{place} holds no agents; coplay train writes agent-0.safetensors and so on there.")
    return [one.replace(place, str(member), 1) for member in members]


def _is_set(one: Any) -> bool:
    """Is a whole set meant, not one of its members or somebody else?"""
    whole = isinstance(one, str) and one.startswith(PREFIX)
    return whole and not Path(one).name.startswith(("partner-", "response-"))


def sets_of(game: Game) -> list[str]:
    """The sets of the pools that were made for exactly this game."""
    here = canonical(game)
    return [name for name, folder in set_folders().items() if canonical(read_partner_set(folder).game) == here]


def member_file(place: str) -> Path:
    """The weights of a partner or best response that SET/FILE names."""
    name, _, stem = place.rpartition("/")
    return find_set(name) / f"{stem}.safetensors"


def verify_set(name: str) -> int:
    """How many files of a set are as they were measured; refuses one that is not."""
    folder = find_set(name)
    found = read_partner_set(folder)
    hashes = _hashes(found)
    for stem, recorded in hashes.items():
        _check(f"{PREFIX}{name}/{stem}", folder / f"{stem}.safetensors", recorded)
    return len(hashes)


def _check(spec: str, file: Path, recorded: str) -> None:
    if not file.is_file() or digest_of(file) != recorded:
        raise AgentError(f"{spec}: {file} is not the file that was measured; get the set again.")


def member_hash(place: str) -> str:
    """The recorded hash of a partner or best response that SET/FILE names; empty where there is none."""
    name, _, stem = place.rpartition("/")
    folder = set_folders().get(name)
    return "" if folder is None else _hashes(read_partner_set(folder)).get(stem, "")


def wish_of(spec: str) -> str:
    """What a partner of a set prefers, in words; empty for anybody else."""
    name, _, stem = spec.removeprefix(PREFIX).rpartition("/")
    folder = set_folders().get(name) if spec.startswith(PREFIX) else None
    partners = () if folder is None else read_partner_set(folder).partners
    return next((one.wish for one in partners if Path(one.file).stem == stem), "")


def short_names(specs: Sequence[str]) -> dict[str, str]:
    """For charts: members of one set without its name, where nobody else is there."""
    sets = {spec.rpartition("/")[0] for spec in specs}
    alone = len(sets) == 1 and all(spec.startswith(PREFIX) for spec in specs)
    return {spec: spec.rpartition("/")[2] if alone else spec for spec in specs}


def _hashes(found: PartnerSet) -> dict[str, str]:
    """By the names of the files, without their endings."""
    hashes = {Path(one.file).stem: one.sha256 for one in found.partners}
    return hashes | {Path(one.response).stem: one.response_sha256 for one in found.partners}


def load_member(place: str, game: Game, greedy: bool = False) -> NetPolicy:
    """The partner or best response that SET/FILE names, checked against its hash; it draws from its distribution."""
    name, _, stem = place.rpartition("/")
    folder = find_set(name)
    found = read_partner_set(folder)
    hashes = _hashes(found)
    if stem not in hashes:
        raise AgentError(unknown("member", stem, hashes))
    if not plays(found.game, game):
        raise AgentError(f"{PREFIX}{place} was trained on {found.game}, not on {canonical(game)}.")
    file = member_file(place)
    _check(f"{PREFIX}{place}", file, hashes[stem])
    return load_policy(str(file), game, greedy=greedy, name=f"{PREFIX}{place}")
