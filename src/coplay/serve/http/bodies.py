"""What requests and answers of protocol v1 hold; `/openapi.json` is made from these."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from coplay.serve.ledger.predictions import MOST

LARGEST = 64 * 1024  # bytes of a body


class Strict(BaseModel):
    """Nothing else is in it."""

    model_config = ConfigDict(extra="forbid")


class Refusal(Strict):
    """Why a request was refused."""

    code: str
    message: str


class Health(Strict):
    """The process lives."""

    status: Literal["ok", "draining"]
    version: str


# What is sent.


class Registration(Strict):
    """Who wants to enter."""

    name: str = Field(min_length=1, max_length=80)
    method: str = Field(min_length=1, max_length=2000)
    contact: str = Field(min_length=1, max_length=200)
    human_data: str = Field(
        min_length=1, max_length=500, description="Which games of people it was made with, or none."
    )
    track: str = Field("", max_length=64, description="Of the rules, where they have tracks.")
    terms: str = Field("", max_length=16, description="The version of the terms that is accepted: `terms_version`.")


class Drain(Strict):
    """Whether the process that answers begins games; the reason goes into the audit."""

    on: bool
    reason: str = Field(min_length=1, max_length=200)


class Guesses(Strict):
    """Probabilities for decisions: base64 of float32 rows, one per game and turn."""

    game: list[int] = Field(max_length=MOST)
    turn: list[int] = Field(max_length=MOST)
    probabilities: str = Field(max_length=LARGEST)


# What is answered.


class Registered(Strict):
    """The keys are shown this once; they are null until the host lets the entrant in."""

    entrant: str
    status: str
    test_key: str | None
    evaluation_key: str | None


class Rotated(Strict):
    """The new key is shown this once; the old one opens nothing any more."""

    kind: Literal["test", "eval"]
    key: str


class Draining(Strict):
    """Does the process that answers begin no games?"""

    draining: bool


class Summary(Strict):
    """A challenge. Times are seconds since 1970."""

    id: str
    title: str
    status: Literal["open", "paused", "closed"]
    opened: float | None
    closed: float | None
    rules_version: str
    pool_hash: str = Field(description="Of everything that the partners are made of.")
    secret_hash: str
    secret: str | None = Field(description="Once it is closed: what every schedule was drawn from.")


class OneConfiguration(Strict):
    """One game with its partners."""

    name: str
    game: str
    settings: dict[str, Any]
    games: int
    partners: int | list[str] = Field(description="How many, or, once the challenge is closed, who.")
    rehearsal: list[str]
    seatings: list[list[int]] = Field(description="Your seats, in turn.")
    mixed: bool


class TimeLimits(Strict):
    """Seconds for a move, and for the whole game what takes longer."""

    move: float
    bank: float


class OneTrack(Strict):
    """A kind of entrant."""

    name: str
    title: str


class OnePhase(Strict):
    """When some of the configurations are played."""

    name: str
    configurations: list[str]
    opens: datetime | None
    closes: datetime | None
    title: str


class OnePrediction(Strict):
    """Recorded games of one number of players."""

    players: int | None = Field(description="Null: as the games have it.")
    games: int | None = Field(description="Null: as many as there are.")
    rehearsal: bool = Field(description="Are there some for the test key?")


class PublicRules(Strict):
    """The rules without what entrants must not know before the end."""

    title: str
    description: str
    configurations: list[OneConfiguration]
    clock: TimeLimits
    attempts: int
    offences: int
    parallel: int
    rehearsal_games: int
    answer_floor: float
    auto_approve: bool
    confirm: bool = Field(description="Is the contact an address of e-mail that has to be confirmed?")
    deals: Literal["own", "shared"]
    replays: Literal["challenge", "attempt"]
    accept_repeats: bool
    edition: int
    opens: datetime | None
    closes: datetime | None
    embargo: datetime | None = Field(description="Until then the board is empty.")
    tracks: list[OneTrack]
    phases: list[OnePhase]
    terms: str
    predictions: list[OnePrediction]
    terms_version: str
    phase_now: str | None
    waits: str = Field(description="Why the dates let no rated attempt begin now, or nothing.")


class WithRules(Summary):
    """A challenge and its rules."""

    rules: PublicRules


class OneResult(Strict):
    """How an attempt went in one configuration, or in foreseeing recorded games ("prediction 2p")."""

    configuration: str
    games: int
    forfeits: int
    mean: float | None
    low: float | None
    high: float | None
    median: float | None
    cross_entropy: float | None = Field(description="Nats per decision.")
    cross_entropy_per_seat: float | None = Field(description="Per seat and turn, as AH2AC2 prints it.")
    rating: float | None
    rating_low: float | None
    rating_high: float | None
    rounds: int | None
    partial: bool


class OneAttempt(Strict):
    """An attempt as its owner sees it."""

    id: str
    kind: Literal["test", "eval"]
    number: int
    status: str
    schedule_hash: str
    created: float
    finished: float | None
    configurations: list[str]
    progress: dict[str, int] = Field(description="Games by status; `over` of `total`.")
    results: list[OneResult]


class Me(Strict):
    """What a key may do, and the attempts made with its kind."""

    kind: Literal["test", "eval", "seat", "admin"]
    prefix: str
    entrant: str | None
    challenge: str | None
    attempts: list[OneAttempt]


class OneGame(Strict):
    """A game of one's own attempt; its score is there once every game of the configuration is over."""

    id: str
    number: int
    configuration: str
    status: str
    turn: int
    score: float | None
    reason: str
    seats: list[int]


class Views(Strict):
    """What every seat sees before a move, where it was asked for."""

    spec: str | None = Field(None, description="Of the game.")
    words: int | None = Field(None, description="Of a view.")
    views: str | None = Field(None, description="Base64 of uint32 [decisions, players, words].")


class Decisions(Views):
    """The next decisions of recorded games of one number of players; none when all are answered."""

    game: list[int]
    turn: list[int]
    seat: list[int]
    players: int
    actions: int
    size: int = Field(description="Of a view's vector.")
    vector: str = Field(description="Base64 of packed bits, a row per decision.")
    legal: str = Field(description="Base64 of packed bits, a row per decision.")
    left: int


class Past(Views):
    """What was seen before decisions that are answered."""

    game: list[int]
    turn: list[int]
    seat: list[int]
    players: int


class Left(Strict):
    """Decisions to come."""

    left: int
