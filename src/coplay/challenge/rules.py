"""A challenge as its host writes it: a TOML file, read into frozen dataclasses."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from coplay.challenge.errors import ChallengeError
from coplay.challenge.records import record, refuse_unknown, toml
from coplay.game import Game, GameError
from coplay.games import default_game, make
from coplay.sides import sides_of

DEMO = Path(__file__).parent / "demo.toml"
EDITION = (
    2  # in 1, deals were the same for everyone where the rules say nothing of them; in 2, each attempt has its own
)


@dataclasses.dataclass(frozen=True)
class Clock:
    """Seconds on the server's clock: `move` for every move, `bank` for a whole game, used when a move takes longer."""

    move: float = 60.0
    bank: float = 600.0


@dataclasses.dataclass(frozen=True)
class Configuration:
    """One game with its partners; every entrant plays `games` of them."""

    name: str
    game: str
    settings: dict[str, Any]
    games: int
    partners: tuple[str, ...]  # hidden; of two sides each is met as mates and as opponents
    rehearsal: tuple[str, ...]  # public, for the test key
    seatings: tuple[tuple[int, ...], ...]  # seats of the entrant, in turn
    mixed: bool = False  # may the other seats be taken by different partners?

    def companies(self, partners: Sequence[str], seats: Sequence[int]) -> list[tuple[str, ...]]:
        """Who may take the other seats, in their order, where the entrant has these. Of two sides every partner is met
        with every other one on the other side."""
        game = self.make()
        others = [seat for seat in range(game.players) if seat not in seats]
        if self.mixed:
            return list(itertools.product(partners, repeat=len(others)))
        if sides_of(game) == 1:
            return [(one,) * len(others) for one in partners]
        mates = [(seat - seats[0]) % 2 == 0 for seat in others]
        return [tuple(one if mate else other for mate in mates) for other in partners for one in partners]

    def make(self) -> Game:
        return game_of(self.game, json.dumps(self.settings, sort_keys=True))


@dataclasses.dataclass(frozen=True)
class Prediction:
    """Recorded games of one number of players, whose actions entrants foresee."""

    data: str  # a file of games as `coplay data` reads them, or a set that comes with the pool
    players: int | None = None  # of the games; None: as the file has it
    games: int | None = None  # so many from its beginning; None: all
    rehearsal: str = ""  # others, for the test key


@dataclasses.dataclass(frozen=True)
class Track:
    """A kind of entrant, chosen at sign-up; the board can be read for one alone."""

    name: str  # as in addresses
    title: str = ""


@dataclasses.dataclass(frozen=True)
class Phase:
    """A time in which some of the configurations are played; each attempt is of one phase."""

    name: str
    configurations: tuple[str, ...]
    opens: datetime.datetime | None = None  # only the first may leave it out
    closes: datetime.datetime | None = None  # only the last may leave it out
    title: str = ""


@dataclasses.dataclass(frozen=True)
class Rules:
    """Everything that a challenge fixes."""

    title: str
    description: str
    configurations: tuple[Configuration, ...]
    clock: Clock = Clock()
    attempts: int = 1  # per evaluation key, and phase where there are phases
    offences: int = 3  # the so-manyth illegal action in one game forfeits it
    parallel: int = 1000  # games of one attempt that may run at once
    rehearsal_games: int = 50_000  # that a test key may begin within 24 hours
    answer_floor: float = 0.05  # seconds an answer takes at least, so that its time does not tell the partner
    auto_approve: bool = False
    confirm: bool = False  # the contact is an address of e-mail, and its owner confirms it before anything else
    deals: str = "own"  # every attempt has its own; "shared": the same for everyone
    replays: str = "challenge"  # games can be watched when it has ended; "attempt": when their configuration is played
    accept_repeats: bool = False  # somebody may meet the same deals or recorded games twice: see `repeats.py`
    edition: int = EDITION
    opens: datetime.datetime | None = None  # before, people register and rehearse; rated games begin then
    closes: datetime.datetime | None = None  # then the server closes it, as the host would
    embargo: datetime.datetime | None = None  # until then results are on no page; entrants see their own
    tracks: tuple[Track, ...] = ()
    phases: tuple[Phase, ...] = ()
    terms: str = ""  # that an entrant accepts at sign-up
    predictions: tuple[Prediction, ...] = ()
    text: str = ""

    @property
    def version(self) -> str:
        """Names these rules: any change of the file is another version."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @property
    def terms_version(self) -> str:
        """Names the terms; empty where there are none."""
        return hashlib.sha256(self.terms.encode()).hexdigest()[:12] if self.terms else ""

    def phase_of(self, configurations: Iterable[str]) -> Phase | None:
        """The phase of an attempt, by the configurations that it plays."""
        return next((one for one in self.phases if set(one.configurations) == set(configurations)), None)

    def phase_at(self, moment: datetime.datetime) -> Phase | None:
        """The phase that is open then."""
        return next((one for one in self.phases if _begun(one, moment) and not ended(one, moment)), None)

    def configuration(self, name: str) -> Configuration:
        for one in self.configurations:
            if one.name == name:
                return one
        raise ChallengeError(
            f"there is no configuration {name!r}; choose {', '.join(c.name for c in self.configurations)}."
        )


def _begun(phase: Phase, moment: datetime.datetime) -> bool:
    return phase.opens is None or phase.opens <= moment


def ended(phase: Phase, moment: datetime.datetime) -> bool:
    return phase.closes is not None and phase.closes <= moment


@cache
def game_of(name: str, settings: str) -> Game:
    """One object per game and settings (JSON), so that nothing compiles twice."""
    return make(name, **{key: tuple(v) if isinstance(v, list) else v for key, v in json.loads(settings).items()})


def dated(text: str, where: str = "the challenge") -> str:
    """A host's text as it is kept: it says which edition it is written for, so that it means the same for ever."""
    return text if "edition" in toml(text, where) else f"edition = {EDITION}\n{text}"


@cache
def read_rules(text: str, where: str = "the challenge") -> Rules:
    """The rules in a TOML text; mistakes are explained with the place they are at. Without an edition it is an old one:
    challenges that were made before there were editions keep their meaning."""
    table = toml(text, where)
    entries = table.pop("configuration", [])
    if not isinstance(entries, list) or not entries:
        raise ChallengeError(f"{where} needs at least one [[configuration]] with name, game, games and partners.")
    configurations = tuple(_configuration(entry, f"{where}, configuration {n + 1}") for n, entry in enumerate(entries))
    names = [one.name for one in configurations]
    if len(set(names)) < len(names):
        raise ChallengeError(
            f"{where}: two configurations are called {max(names, key=names.count)!r}; give each its own name."
        )
    clock = record(Clock, table.pop("clock", {}), f"{where}, [clock]")
    predictions = _predictions(table.pop("prediction", []), where)
    tracks = tuple(record(Track, one, f"{where}, [[track]]") for one in table.pop("track", []))
    phases = tuple(record(Phase, one, f"{where}, [[phase]]") for one in table.pop("phase", []))
    taken = {"configurations": configurations, "clock": clock, "predictions": predictions, "text": text}
    taken |= {"tracks": tracks, "phases": phases}
    table.setdefault("description", "")
    if table.setdefault("edition", 1) == 1:
        table.setdefault("deals", "shared")
    table.setdefault("deals", Rules.deals)
    if table["deals"] == "own":
        table.setdefault("replays", "attempt")  # nobody else will play these deals
    rules = _with_phases(record(Rules, table, where, taken), where)
    _check_tracks(tracks, where)
    if rules.opens and rules.closes and rules.opens >= rules.closes:
        raise ChallengeError(f"{where}: closes = {rules.closes} is not after opens = {rules.opens}.")
    known = {"deals": ("own", "shared"), "replays": ("attempt", "challenge"), "edition": tuple(range(1, EDITION + 1))}
    for name, choices in known.items():
        if (given := getattr(rules, name)) not in choices:
            raise ChallengeError(f"{where}: {name} = {given!r}; choose {' or '.join(map(str, choices))}.")
    return rules


def _predictions(given: Any, where: str) -> tuple[Prediction, ...]:
    """[prediction], or [[prediction]] for each number of players."""
    entries = given if isinstance(given, list) else [given]
    made = tuple(record(Prediction, one, f"{where}, [[prediction]]") for one in entries)
    counts = [one.players for one in made]
    if len(made) > 1 and (None in counts or len(set(counts)) < len(counts)):
        raise ChallengeError(f"{where}, [[prediction]]: give each its own number of players, such as players = 2.")
    return made


def _check_tracks(tracks: Sequence[Track], where: str) -> None:
    names = [one.name for one in tracks]
    for name in names:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,62}", name) or names.count(name) > 1:
            raise ChallengeError(
                f"{where}, [[track]]: name = {name!r}; give each its own, of small letters, digits and hyphens."
            )


def _with_phases(rules: Rules, where: str) -> Rules:
    """The rules with the dates of their phases, which follow each other and share the configurations out."""
    if not rules.phases:
        return rules
    where = f"{where}, [[phase]]"
    if rules.opens or rules.closes or rules.predictions:
        raise ChallengeError(
            f"{where}: with phases, opens and closes stand in them, and [prediction] is a challenge of its own."
        )
    parts = [name for one in rules.phases for name in one.configurations]
    if sorted(parts) != sorted(one.name for one in rules.configurations):
        raise ChallengeError(
            f"{where}: the phases play {', '.join(sorted(parts))}; give each of the configurations "
            f"{', '.join(sorted(one.name for one in rules.configurations))} to exactly one."
        )
    if len({one.name for one in rules.phases}) < len(rules.phases):
        raise ChallengeError(f"{where}: two phases have one name; give each its own.")
    for one in rules.phases:
        if one.opens and one.closes and one.opens >= one.closes:
            raise ChallengeError(f"{where} {one.name}: closes = {one.closes} is not after opens = {one.opens}.")
    for before, after in itertools.pairwise(rules.phases):
        if before.closes is None or after.opens is None or before.closes > after.opens:
            raise ChallengeError(
                f"{where}: {before.name} closes at {before.closes} and {after.name} opens at {after.opens}; "
                "write both dates, and let phases follow each other."
            )
    return dataclasses.replace(rules, opens=rules.phases[0].opens, closes=rules.phases[-1].closes)


def _configuration(entry: dict[str, Any], where: str) -> Configuration:
    known = {"name", "game", "players", "layout", "settings", "games", "partners", "rehearsal", "seatings", "mixed"}
    refuse_unknown(set(entry) - known, known, where)
    settings = dict(entry.get("settings", {}))
    settings |= {key: entry[key] for key in ("players", "layout") if key in entry}
    spec = entry.get("game", default_game())
    if not isinstance(spec, str):
        raise ChallengeError(
            f'{where}: game = {spec!r}; give a text such as "NAME?setting=value" or "file:PATH:CLASS".'
        )
    try:
        game = make(spec, **settings)
    except GameError as error:
        raise ChallengeError(f"{where}: {error}") from error
    games = entry.get("games", 1000)
    if not isinstance(games, int) or isinstance(games, bool) or games < 1:
        raise ChallengeError(f"{where}: games = {games!r}; give a whole number of at least 1.")
    mixed = entry.get("mixed", False)
    if not isinstance(mixed, bool):
        raise ChallengeError(f"{where}: mixed = {mixed!r}; give true or false.")
    partners = _agents(entry, "partners", where)
    rehearsal = _agents(entry, "rehearsal", where) if "rehearsal" in entry else ("random",)
    return Configuration(
        name=str(entry.get("name", f"{game.players}p")),
        game=spec,
        settings=settings,
        games=games,
        partners=partners,
        rehearsal=rehearsal,
        seatings=_seatings(entry.get("seatings"), game, where),
        mixed=mixed,
    )


def _agents(entry: dict[str, Any], what: str, where: str) -> tuple[str, ...]:
    specs = entry.get(what)
    if not isinstance(specs, list) or not specs or not all(isinstance(spec, str) for spec in specs):
        raise ChallengeError(f'{where}: {what} = {specs!r}; give a list of agents such as ["smartbot", "pool:NAME"].')
    return tuple(specs)


def check_agents(rules: Rules) -> None:
    """Every agent that the rules name can be made for its game; done once, when a challenge is made."""
    from coplay.agents.spec import agent
    from coplay.player import AgentError

    for one in rules.configurations:
        for spec in (*one.partners, *one.rehearsal):
            try:
                agent(spec, one.make())
            except (AgentError, OSError) as error:
                raise ChallengeError(f"configuration {one.name}: {error}") from error


def _seatings(given: Any, game: Game, where: str) -> tuple[tuple[int, ...], ...]:
    """By default the entrant has one seat, and sits in each as often; "all": one seat or several, in every way."""
    seats = range(game.players)
    if given is None or given == "all":
        most = 1 if given is None else game.players - 1
        return tuple(way for count in range(1, most + 1) for way in itertools.combinations(seats, count))
    good = (
        isinstance(given, list)
        and given
        and all(
            isinstance(one, list) and one and len(set(one)) == len(one) < game.players and set(one) <= set(seats)
            for one in given
        )
    )
    if not good:
        example = [list(pair) for pair in itertools.islice(itertools.combinations(seats, 1), 2)]
        raise ChallengeError(
            f"{where}: seatings = {given!r}; list the entrant's seats in each seating, such as {example}, or "
            f"write 'all'; seats are 0 to {game.players - 1} and at least one is a partner's."
        )
    mixed = [one for one in given if sides_of(game) == 2 and len({seat % 2 for seat in one}) == 2]
    if mixed:
        raise ChallengeError(
            f"{where}: seatings = {given!r}: {game.name} has two sides, of even and of odd seats, and {mixed[0]} is on "
            "both. An entrant plays for one side in a game."
        )
    return tuple(tuple(sorted(one)) for one in given)
