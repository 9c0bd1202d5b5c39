"""The tables of studies with people: what a study is, who takes part, where they are, what they answered."""

from __future__ import annotations

from sqlalchemy import Boolean, Float, ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from coplay.serve.store.models import Base, random_id


class Experiment(Base):
    """A study as it was when it was made; only a draft can be written anew."""

    __tablename__ = "experiments"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)  # as in addresses
    title: Mapped[str] = mapped_column(Text)
    plan: Mapped[str] = mapped_column(Text)  # TOML
    plan_version: Mapped[str] = mapped_column(String(16))
    pins: Mapped[str] = mapped_column(Text)  # JSON, see challenge/pins.py
    secret: Mapped[str] = mapped_column(String(64))  # of deals, and of the places of participants
    status: Mapped[str] = mapped_column(String(16))  # draft, open, closed
    created: Mapped[float] = mapped_column(Float)
    opened: Mapped[float | None] = mapped_column(Float)
    closed: Mapped[float | None] = mapped_column(Float)


class Participant(Base):
    """Somebody who agreed to take part. Of whoever withdraws only this row is left, without what says who it was."""

    __tablename__ = "participants"
    __table_args__ = (
        UniqueConstraint("experiment_id", "number"),
        UniqueConstraint("experiment_id", "outside_hash"),
        Index("ix_participants_until", "status", "until"),
    )

    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=random_id)
    experiment_id: Mapped[str] = mapped_column(ForeignKey("experiments.id"))
    number: Mapped[int] = mapped_column(Integer)  # in the order of joining, from 0
    outside_id: Mapped[str | None] = mapped_column(Text)  # what the recruitment platform calls them
    outside_hash: Mapped[str | None] = mapped_column(String(64))  # stays, so that nobody takes part twice
    preview: Mapped[bool] = mapped_column(Boolean, default=False)  # the host tries the study
    consent_version: Mapped[str] = mapped_column(String(16))
    condition: Mapped[str] = mapped_column(String(64))
    cell: Mapped[int] = mapped_column(Integer)  # see experiment/order.py
    steps: Mapped[str] = mapped_column(Text)  # JSON, see experiment/steps.py
    step: Mapped[int] = mapped_column(Integer, default=0)  # the one they are at
    status: Mapped[str] = mapped_column(String(16))  # active, done, failed, late, withdrawn
    failures: Mapped[int] = mapped_column(Integer, default=0)  # attention checks
    stage: Mapped[str] = mapped_column(Text, default="")  # where somebody was who withdrew
    joined: Mapped[float | None] = mapped_column(Float)
    until: Mapped[float | None] = mapped_column(Float)  # then their time is over
    ended: Mapped[float | None] = mapped_column(Float)


class Passage(Base):
    """A participant's way through one step."""

    __tablename__ = "passages"
    __table_args__ = (Index("ix_passages_until", "left", "until"),)

    participant_id: Mapped[str] = mapped_column(ForeignKey("participants.id"), primary_key=True)
    step: Mapped[int] = mapped_column(Integer, primary_key=True)
    entered: Mapped[float] = mapped_column(Float)
    left: Mapped[float | None] = mapped_column(Float)
    attempt_id: Mapped[str | None] = mapped_column(ForeignKey("attempts.id"), unique=True)  # of a game
    until: Mapped[float | None] = mapped_column(Float)  # then the game is over


class Answer(Base):
    """One answer; pages that may be tried again keep those of every try."""

    __tablename__ = "answers"

    participant_id: Mapped[str] = mapped_column(ForeignKey("participants.id"), primary_key=True)
    step: Mapped[int] = mapped_column(Integer, primary_key=True)
    sheet: Mapped[int] = mapped_column(Integer, primary_key=True)  # the so-manyth try, from 1
    question: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[str] = mapped_column(Text)  # empty where it was left out
    right: Mapped[bool | None] = mapped_column(Boolean)  # None: there is no right answer
    at: Mapped[float] = mapped_column(Float)
