"""The tables of the database. Times are seconds since 1970, but for what games are charged by (`GameTime`); ids are
random, so that none tells another."""

from __future__ import annotations

import secrets

from sqlalchemy import (
    BigInteger,
    Boolean,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


def random_id() -> str:
    return secrets.token_hex(8)


class Base(DeclarativeBase):
    """All tables of a challenge server."""


class Challenge(Base):
    """Rules as they were when the challenge was made; they never change, a change is a new challenge."""

    __tablename__ = "challenges"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)  # as in addresses
    title: Mapped[str] = mapped_column(Text)
    rules: Mapped[str] = mapped_column(Text)  # TOML
    rules_version: Mapped[str] = mapped_column(String(16))
    pool_hash: Mapped[str] = mapped_column(String(64))
    pins: Mapped[str | None] = mapped_column(Text)  # JSON, see challenge/pins.py; None: made before there were any
    secret: Mapped[str] = mapped_column(String(64))
    secret_hash: Mapped[str] = mapped_column(String(64))
    status: Mapped[str] = mapped_column(String(16))  # draft, open, paused, closed
    created: Mapped[float] = mapped_column(Float)
    opened: Mapped[float | None] = mapped_column(Float)
    closed: Mapped[float | None] = mapped_column(Float)


class Entrant(Base):
    """One method that enters one challenge."""

    __tablename__ = "entrants"
    __table_args__ = (UniqueConstraint("challenge_id", "name"),)

    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=random_id)
    challenge_id: Mapped[str] = mapped_column(ForeignKey("challenges.id"))
    name: Mapped[str] = mapped_column(String(80))
    method: Mapped[str] = mapped_column(Text)
    contact: Mapped[str] = mapped_column(Text)  # never shown on a page
    human_data: Mapped[str] = mapped_column(Text)  # which games of people it was made with
    track: Mapped[str] = mapped_column(String(64), default="")  # of the rules; empty where they have none
    terms: Mapped[str] = mapped_column(String(16), default="")  # the version of the terms that it accepted
    accepted: Mapped[float | None] = mapped_column(Float)  # when
    baseline: Mapped[bool] = mapped_column(Boolean, default=False)
    status: Mapped[str] = mapped_column(String(16))  # unconfirmed, pending, approved, rejected, banned
    attempts_used: Mapped[int] = mapped_column(Integer, default=0)
    created: Mapped[float] = mapped_column(Float)


class Key(Base):
    """A secret someone holds; only its hash is here."""

    __tablename__ = "keys"

    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=random_id)
    # test, eval, admin; of a table: seat (a person), join, watch; links of letters: claim, confirm
    kind: Mapped[str] = mapped_column(String(8))
    prefix: Mapped[str] = mapped_column(String(32))  # what lists show
    hash: Mapped[str] = mapped_column(String(64), unique=True)
    entrant_id: Mapped[str | None] = mapped_column(ForeignKey("entrants.id"), index=True)
    attempt_id: Mapped[str | None] = mapped_column(String(16))  # of a key to a table
    created: Mapped[float] = mapped_column(Float)
    last_used: Mapped[float | None] = mapped_column(Float)
    revoked: Mapped[float | None] = mapped_column(Float)


class Letter(Base):
    """Something to tell by e-mail. What it says is written when it is sent."""

    __tablename__ = "letters"

    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=random_id)
    entrant_id: Mapped[str] = mapped_column(ForeignKey("entrants.id"), index=True)
    kind: Mapped[str] = mapped_column(String(16))  # see ledger/letters.py
    reason: Mapped[str] = mapped_column(Text, default="")
    created: Mapped[float] = mapped_column(Float)
    due: Mapped[float] = mapped_column(Float, index=True)  # when it is tried next
    tries: Mapped[int] = mapped_column(Integer, default=0)
    sent: Mapped[float | None] = mapped_column(Float)
    problem: Mapped[str] = mapped_column(Text, default="")  # of the last try


class DeskSession(Base):
    """Somebody who is signed in at the host's desk; only the hash of the cookie is here."""

    __tablename__ = "desk_sessions"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    key_id: Mapped[str] = mapped_column(ForeignKey("keys.id"))
    until: Mapped[float] = mapped_column(Float)


class Attempt(Base):
    """A schedule of games: rated (eval), a rehearsal (test), one person's table (person), or one of a study (study)."""

    __tablename__ = "attempts"
    __table_args__ = (UniqueConstraint("entrant_id", "kind", "number"), Index("ix_attempts_status", "status"))

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    challenge_id: Mapped[str | None] = mapped_column(ForeignKey("challenges.id"))
    entrant_id: Mapped[str | None] = mapped_column(ForeignKey("entrants.id"))
    person_id: Mapped[str | None] = mapped_column(ForeignKey("people.id"))  # who laid the table
    customs: Mapped[str | None] = mapped_column(Text)  # JSON, see store/places.py; None: no table of several people
    kind: Mapped[str] = mapped_column(String(8))
    number: Mapped[int] = mapped_column(Integer)  # of this entrant and kind, from 1
    status: Mapped[str] = mapped_column(String(16))  # open, finished, partial, withdrawn
    configurations: Mapped[str] = mapped_column(Text)  # JSON: name -> {game, settings}
    schedule_hash: Mapped[str] = mapped_column(String(64))
    created: Mapped[float] = mapped_column(Float)
    spent: Mapped[float | None] = mapped_column(Float)  # its first move
    finished: Mapped[float | None] = mapped_column(Float)
    frozen: Mapped[bool] = mapped_column(Boolean, default=False)  # a check found a difference


class Place(Base):
    """A seat that a person takes at a table of people."""

    __tablename__ = "places"

    attempt_id: Mapped[str] = mapped_column(ForeignKey("attempts.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    person_id: Mapped[str | None] = mapped_column(ForeignKey("people.id"), index=True)  # who sits there, if it is kept
    key_id: Mapped[str | None] = mapped_column(ForeignKey("keys.id"), index=True)  # None: nobody has sat down yet
    invitation_id: Mapped[str | None] = mapped_column(ForeignKey("keys.id"), index=True)  # the key that gives the seat
    away: Mapped[bool] = mapped_column(Boolean, default=False)  # a substitute plays for them now
    stood_in: Mapped[bool] = mapped_column(Boolean, default=False)  # one has, so the moves are not all theirs


class Table(Base):
    """One game: how it begins and where it stands. What happened is in `actions`."""

    __tablename__ = "tables"
    __table_args__ = (UniqueConstraint("attempt_id", "number"), Index("ix_tables_status", "status"))

    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=random_id)
    attempt_id: Mapped[str] = mapped_column(ForeignKey("attempts.id"))
    number: Mapped[int] = mapped_column(Integer)
    configuration: Mapped[str] = mapped_column(String(64))
    deal: Mapped[int] = mapped_column(Integer)
    seed: Mapped[str] = mapped_column(String(16))
    key: Mapped[str] = mapped_column(String(16))
    seats: Mapped[str] = mapped_column(String(32))  # "0" or "0,2": the entrant's
    partners: Mapped[str] = mapped_column(Text)  # JSON list, in order of the other seats
    status: Mapped[str] = mapped_column(String(8))  # todo, active, done, forfeit, void, stuck, cut
    turn: Mapped[int] = mapped_column(Integer, default=0)
    holder: Mapped[str] = mapped_column(String(16), default="")  # the session that may move
    bank: Mapped[float | None] = mapped_column(Float)  # seconds left
    asked: Mapped[float | None] = mapped_column(Float)  # when the entrant was asked for this turn, as in GameTime
    offences: Mapped[int] = mapped_column(Integer, default=0)
    voids: Mapped[int] = mapped_column(Integer, default=0)  # how often this deal was voided before
    reason: Mapped[str] = mapped_column(Text, default="")
    score: Mapped[float | None] = mapped_column(Float)  # from the log, when all games of its configuration are over


class Action(Base):
    """One turn of one game, as it was committed."""

    __tablename__ = "actions"

    table_id: Mapped[str] = mapped_column(ForeignKey("tables.id"), primary_key=True)
    turn: Mapped[int] = mapped_column(Integer, primary_key=True)
    actions: Mapped[str] = mapped_column(String(64))  # "5", or "3,0" where all seats act at once
    at: Mapped[float] = mapped_column(Float)


class Guess(Base):
    """One predicted decision: the probabilities an entrant gave, float32 [actions]."""

    __tablename__ = "guesses"

    attempt_id: Mapped[str] = mapped_column(ForeignKey("attempts.id"), primary_key=True)
    game: Mapped[int] = mapped_column(Integer, primary_key=True)
    turn: Mapped[int] = mapped_column(Integer, primary_key=True)
    probabilities: Mapped[bytes] = mapped_column(LargeBinary)
    at: Mapped[float] = mapped_column(Float)


class Result(Base):
    """How an attempt went in one configuration; if it is rated, a line of the leaderboard. Never changed."""

    __tablename__ = "results"
    __table_args__ = (UniqueConstraint("attempt_id", "configuration"),)

    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=random_id)
    attempt_id: Mapped[str] = mapped_column(ForeignKey("attempts.id"))
    configuration: Mapped[str] = mapped_column(String(64))
    games: Mapped[int] = mapped_column(Integer)
    forfeits: Mapped[int] = mapped_column(Integer)
    mean: Mapped[float | None] = mapped_column(Float)
    low: Mapped[float | None] = mapped_column(Float)
    high: Mapped[float | None] = mapped_column(Float)
    median: Mapped[float | None] = mapped_column(Float)
    cross_entropy: Mapped[float | None] = mapped_column(Float)
    rating: Mapped[float | None] = mapped_column(Float)  # with interval and rounds: see challenge/outcome/rating.py
    rating_low: Mapped[float | None] = mapped_column(Float)
    rating_high: Mapped[float | None] = mapped_column(Float)
    rounds: Mapped[int | None] = mapped_column(Integer)  # 0: there is no rating; None: scored before there were any
    partial: Mapped[bool] = mapped_column(Boolean)
    log_hash: Mapped[str] = mapped_column(String(64))  # of every game that counts
    rules_version: Mapped[str] = mapped_column(String(16))
    pool_hash: Mapped[str] = mapped_column(String(64))
    status: Mapped[str] = mapped_column(String(16), default="shown")  # shown, frozen, withdrawn
    created: Mapped[float] = mapped_column(Float)


# What a result says of its games, wherever it is shown.
RATING = ("rating", "rating_low", "rating_high", "rounds")
FIGURES = ("configuration", "games", "forfeits", "mean", "low", "high", "median", "cross_entropy", *RATING, "partial")


class Audit(Base):
    """What was done, by whom and why; every line holds the hash of the line before."""

    __tablename__ = "audit"

    number: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    at: Mapped[float] = mapped_column(Float)
    actor: Mapped[str] = mapped_column(String(64))
    what: Mapped[str] = mapped_column(String(64))
    detail: Mapped[str] = mapped_column(Text)  # JSON
    previous: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64))


class Person(Base):
    """Someone who played in the browser, under a random id; nothing else is known of them."""

    __tablename__ = "people"

    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=random_id)
    created: Mapped[float] = mapped_column(Float)


class Consent(Base):
    """A person's answer to one version of the consent text."""

    __tablename__ = "consents"
    __table_args__ = (UniqueConstraint("person_id", "version"),)

    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=random_id)
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id"))
    version: Mapped[str] = mapped_column(String(16))
    given: Mapped[bool] = mapped_column(Boolean)
    at: Mapped[float] = mapped_column(Float)


class GameTime(Base):
    """How far the clock is that games are charged by; one row. See engine/game_clock.py."""

    __tablename__ = "game_time"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    seconds: Mapped[float] = mapped_column(Float)


class Uptime(Base):
    """A server process, and when it wrote last that it lives, on the clock that games are charged by."""

    __tablename__ = "uptimes"

    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=random_id)
    alive: Mapped[float] = mapped_column(Float, index=True)
    counted: Mapped[str | None] = mapped_column(Text)  # JSON, see engine/metrics.py
