"""What a world can do besides the rules: its faces. A game without faces still plays, trains, is judged and hosted.

`faces_of(game)` gives them; each is None where the world has none, and whoever asks leaves that part out. A world
overrides the properties it has something for (`worlds/*/faces.py`) and imports what is behind them on first use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from coplay.game import Array, State, Step, View
    from coplay.measure.stats import Estimate
    from coplay.rollouts.episode import Episodes


class Story(NamedTuple):
    """An episode as pictures: what stays, and per step which moving parts are shown and what is said."""

    picture: str  # an SVG with an empty <g id="moving"></g>
    parts: Sequence[str]  # SVG pieces; few are different, so each is written once
    frames: Sequence[Sequence[int]]  # per step, the parts on show
    captions: Sequence[str]
    points: Sequence[int]  # per step, what it earned: marked on the slider
    speed: float = 1.0  # steps per second


class Drawing(Protocol):
    """Pictures."""

    def picture(self, game: Any, state: State, names: Sequence[str]) -> str:
        """One state as SVG, all seats' cards on show."""
        ...

    def story(self, game: Any, states: Sequence[State], actions: np.ndarray, names: Sequence[str]) -> Story:
        """A whole episode; `actions`: as `Episodes` has them, without what lies beyond the end."""
        ...

    def link(self, episodes: Episodes, index: int) -> str | None:
        """Another place that shows this game; None if there is none."""
        ...


class Terminal(Protocol):
    """A person at a terminal."""

    def frame(self, game: Any, state: State, names: Sequence[str]) -> Any:
        """One state as something that `rich` prints."""
        ...

    def play(self, game: Any, partner: str, seat: int, seed: int, speed: float | None) -> Episodes:
        """Sits a person down with a partner ("" for the usual one), and returns the game as it was played."""
        ...


class NumberTable(NamedTuple):
    """Numbers with labels: a heat map, or counts."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: np.ndarray  # float [rows, columns]; NaN where nothing is known
    corner: str = ""  # what the rows are
    share: bool = False  # rows are shares of 1, shown in per cent
    times: np.ndarray | None = None  # int [rows]: of how many cases a row's shares are
    folded: bool = False  # shown on demand only
    folder: str = ""  # where it is kept, a file for each agent; empty: nowhere


class Rate(NamedTuple):
    """One thing that can be counted about behaviour."""

    name: str
    says: str  # what is counted, of what
    first: bool = False  # one of the few that are shown at once
    share: bool = False  # between 0 and 1; else a number per game, left out where it never happened
    about: str = ""  # of a rate that is worth a picture of its own: what the picture says


class ReadMove(NamedTuple):
    """One move in the words of conventions."""

    game: int
    turn: int
    seat: int
    kind: str
    label: str
    violations: tuple[str, ...]


class Conventions(NamedTuple):
    """How closely games follow conventions that a world can read."""

    name: str  # whose conventions
    says: str  # what the share is
    share: Estimate  # of moves that break no principle
    labels: Mapping[str, int]  # how often each label was given, the most frequent first
    violations: Mapping[str, int]
    moves: int
    games: int
    read: Sequence[ReadMove]


class Behaviour(Protocol):
    """How agents behave, read off their games."""

    legend: str  # what the numbers are

    def rates(self, game: Any) -> Sequence[Rate]:
        """What is counted."""
        ...

    def measure(self, parts: Sequence[tuple[Episodes, Sequence[int] | None]]) -> dict[str, Estimate]:
        """Every rate with its interval, by name; NaN where there was no occasion.

        `parts`: games of several teams on the same deals, and whose moves count (None: everybody's). A deal is drawn
        with all its games.
        """
        ...

    def tables(self, episodes: Episodes) -> Sequence[NumberTable]:
        """What else there is to see in games of one team."""
        ...

    def conventions(self, episodes: Episodes, games: int) -> Conventions | None:
        """The first so many games, read move by move; None where nobody can read them."""
        ...


class Tests(Protocol):
    """Unit tests of collaboration."""

    def suite(self, game: Any) -> list[Any]:
        """`measure.robustness.UnitTest`s for this game; MeasureError where there are none for its settings."""
        ...

    def places(self) -> list[Any]:
        """The games that a whole run of the suite goes through."""
        ...

    def where(self, game: Any) -> str:
        """How tables call the game."""
        ...

    def validators(self, game: Any) -> Sequence[str]:
        """Partners that nobody should train with: whole games with them are the validation reward. May be empty."""
        ...


class Training(Protocol):
    """How this world is best learned."""

    def readers(self, game: Any) -> Sequence[Any]:
        """The game in all the encodings that networks read, each of another shape; the best for new ones first."""
        ...

    def fractions(self, game: Any) -> bool:
        """Are its observations numbers from 0 to 1, which a byte can hold well enough?"""
        ...

    def defaults(self, game: Any) -> Mapping[str, Any]:
        """Settings of a learner that suit it."""
        ...

    def useful(self, game: Any, view: View) -> Array:
        """bool[num_actions]: actions that may change something; all True where nobody knows of useless ones."""
        ...

    def cloning(self, game: Any) -> Mapping[str, Any]:
        """Settings with which recorded games of it are best cloned."""
        ...

    def recorded(self, game: Any, episodes: Episodes) -> Episodes | None:
        """Recorded games as starts and moves of this game, which may have another clock; None where they are of another
        (a map, a number of seats). `extra` may say with `recording` which of them belong together."""
        ...


class Wire(Protocol):
    """How views travel to players elsewhere."""

    flags: bool  # observations are 0s and 1s, which travel eight to a byte

    def record(self, view: View) -> dict[str, Any]:
        """A view as plain values, for a program that has not this package."""
        ...


class Setting(NamedTuple):
    """Something about a game that a visitor chooses."""

    name: str  # of the game's own setting
    label: str
    values: tuple[Any, ...]  # the first one is chosen before; None leaves the setting as the game has it


class Offer(NamedTuple):
    """A game that visitors of a server may sit down to."""

    game: str  # its name
    title: str
    settings: tuple[Setting, ...] = ()
    partner: str = "random"  # chosen before
    first_seat: str = ""  # what is said beside it in the list of seats


class People(Protocol):
    """People who play in the browser: the page of the table, what its script is told, the games that they leave.

    The page is `table.html` in `folder`, which extends `seat.html` of the site and uses `static/table.js` and
    `static/table.css` beside it. Its script plays over protocol v1, so whatever it shows of a running game is the view
    of its own seat. A game without this face gets a plain table: the view in words, and a button per legal action.
    """

    folder: Path
    invitation: str  # a sentence for the start page
    offers: Sequence[Offer]
    looks_back: bool  # may the page ask for all turns so far? See `turn`
    idle: int | None  # the action that does nothing, where several people may play at a pace

    def about(self, game: Any) -> dict[str, Any]:
        """What the script must know of the game; nothing of a deal."""
        ...

    def pictures(self, game: Any, names: Sequence[str]) -> dict[str, Any] | None:
        """What the script draws with, the same for every deal; None where it draws by itself."""
        ...

    def turn(self, view: View, names: Sequence[str], reader: bool = True) -> dict[str, Any]:
        """A view of the seat as plain values, for looking back; `reader`: whoever reads it sits there."""
        ...

    def watchable(self, game: Any) -> bool:
        """May people watch a running game?"""
        ...

    def public(self, game: Any, view: View, people: Sequence[int]) -> View:
        """What they see: a view of seat 0 without what one of `people`, the seats of people, must not learn, for
        whoever watches may be one of them."""
        ...

    def revealed(self, turn: dict[str, Any], neighbour: dict[str, Any]) -> dict[str, Any]:
        """A turn of a game that is over with all that its seat could not see, from that of the next seat."""
        ...

    def check_stranger(self, settings: Mapping[str, Any]) -> None:
        """Raises GameError for settings that a file from anybody must not have: paths, and what takes too long."""
        ...

    def export(self, path: Path, episodes: Episodes, seats: np.ndarray, participants: np.ndarray) -> str | None:
        """Writes people's games in a format of this world and says which; None where it has none for them.

        seats: bool [games, players], where people sat; participants: uint64 [games, players], their numbers.
        """
        ...


class Recording(Protocol):
    """Players who can be recorded without the engine, many times quicker."""

    def format(self, game: Any) -> str:
        """The format that recordings of this game are written in."""
        ...

    def source(self, game: Any, names: Sequence[str]) -> str | None:
        """What these names stand for, as a text that changes with it; None where ordinary agents are meant."""
        ...

    def record(self, game: Any, names: Sequence[str], seed: int, numbers: Sequence[int]) -> Episodes:
        """The games of these numbers of the seed; `extra` has `game_ids`."""
        ...


class Belief(Protocol):
    """What a seat cannot see, drawn from all that agrees with what it sees."""

    def redraw(self, game: Any, state: State, seat: Array, key: Array) -> State:
        """A state that looks the same to `seat`, drawn as if the moves so far told nothing but their plain facts.

        May be vmapped. The seat's view, and so its legal actions, are those of `state`.
        """
        ...


@runtime_checkable
class Hidden(Belief, Protocol):
    """What a seat cannot see as slots that have one of some values each, so that a network can learn to guess them.

    The facts narrow the values of a slot, also by what was chosen for the slots before it. Everything may be vmapped.
    """

    def private(self, game: Any) -> int:
        """How many entries of the observation, all at its head, tell what only its own seat sees. A memory of the rest
        stays true where what the others cannot see is redrawn."""
        ...

    def slots(self, game: Any) -> tuple[int, int]:
        """(how many there are, how many values each may have)"""
        ...

    def hidden(self, game: Any, state: State, seat: Array) -> Array:
        """int32 [slots]: the truth; -1 where a slot is empty."""
        ...

    def facts(self, game: Any, state: State, seat: Array) -> Any:
        """What the seat knows of all slots by plain facts."""
        ...

    def odds(self, facts: Any, slot: int) -> Array:
        """float32 [values]: how likely each is by the facts, in any unit; 0 where it cannot be."""
        ...

    def chosen(self, facts: Any, slot: int, value: Array) -> Any:
        """The facts with the slot's value settled."""
        ...

    def place(self, game: Any, state: State, seat: Array, values: Array, key: Array) -> State:
        """With these values in the slots and what else the seat cannot see drawn anew."""
        ...


@runtime_checkable
class Retraced(Hidden, Protocol):
    """A guess can be followed back through the game, from a seat's views alone: what search needs."""

    def world(self, game: Any, view: Any, values: Array, key: Array) -> State:
        """A state that looks like `view` to its seat, with these values in the slots; the rest is drawn."""
        ...

    def earlier(self, game: Any, views: Any, count: Array, values: Array) -> Array:
        """int32 [turns, slots]: what lay in the slots at earlier turns if these are the values now.

        `views` [turns, ...]: all of the seat's views in order, of which the first `count` are filled in; the last of
        those is now.
        """
        ...

    def facts_in(self, game: Any, view: Any) -> Any:
        """What `facts` says of the state, from the seat's view."""
        ...

    def draw_hand(self, facts: Any, key: Array) -> Array:
        """int32 [slots]: values as likely as the facts make them."""
        ...

    def latest(self, view: Any) -> tuple[Array, Array]:
        """(action id of the latest move, -1 before the first; the absolute seat that made it)"""
        ...


class Wish(NamedTuple):
    """What a player with a taste of its own is paid for."""

    label: str  # in words: "fetches onions, avoids serving"
    reward: float  # the weight of the game's own reward
    events: tuple[float, ...]  # of each event's


class Preferences(Protocol):
    """What players may prefer: events that can be counted, and tastes that lead to different but sensible play."""

    def counting(self, game: Any) -> Any:
        """The game with the events counted."""
        ...

    def events(self, game: Any) -> Sequence[str]:
        """Their names."""
        ...

    def count(self, game: Any, state: State, actions: Array, step: Step) -> Array:
        """[players, events]: what each seat did in this step. May be traced."""
        ...

    def wishes(self, game: Any) -> Sequence[Wish]:
        """Every taste worth trying, the plain one first."""
        ...

    def described_by(self, game: Any) -> Sequence[int]:
        """The events that tell how somebody plays, by number."""
        ...


class Faces:
    """Those of a game that has none."""

    @cached_property
    def drawing(self) -> Drawing | None:
        return None

    @cached_property
    def terminal(self) -> Terminal | None:
        return None

    @cached_property
    def behaviour(self) -> Behaviour | None:
        return None

    @cached_property
    def tests(self) -> Tests | None:
        return None

    @cached_property
    def training(self) -> Training | None:
        return None

    @cached_property
    def wire(self) -> Wire | None:
        return None

    @cached_property
    def people(self) -> People | None:
        return None

    @cached_property
    def recording(self) -> Recording | None:
        return None

    @cached_property
    def belief(self) -> Belief | Hidden | Retraced | None:
        return None

    @cached_property
    def preferences(self) -> Preferences | None:
        return None

    fact_words: Mapping[str, str] = MappingProxyType({})  # what people call the facts that are worth telling

    def title(self, game: Any) -> str:
        """What pages call the game."""
        return game.name

    def facts(self, game: Any, state: State) -> dict[str, Array]:
        """What a finished game tells besides its score, by name: columns of every table of games."""
        return {}


NONE = Faces()


def faces_of(game: Any) -> Faces:
    """The faces of a game."""
    return getattr(game, "faces", NONE)
