"""Studies with people: what they are, who takes part, where they are, what they answered"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "experiments",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("plan_version", sa.String(16), nullable=False),
        sa.Column("pins", sa.Text(), nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("opened", sa.Float(), nullable=True),
        sa.Column("closed", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    _participants()
    op.create_table(
        "passages",
        sa.Column("participant_id", sa.String(16), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("entered", sa.Float(), nullable=False),
        sa.Column("left", sa.Float(), nullable=True),
        sa.Column("attempt_id", sa.String(16), nullable=True),
        sa.Column("until", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["participant_id"], ["participants.id"]),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"]),
        sa.PrimaryKeyConstraint("participant_id", "step"),
        sa.UniqueConstraint("attempt_id"),
    )
    op.create_index("ix_passages_until", "passages", ["left", "until"])
    op.create_table(
        "answers",
        sa.Column("participant_id", sa.String(16), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("sheet", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("right", sa.Boolean(), nullable=True),
        sa.Column("at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["participant_id"], ["participants.id"]),
        sa.PrimaryKeyConstraint("participant_id", "step", "sheet", "question"),
    )


def _participants() -> None:
    op.create_table(
        "participants",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("experiment_id", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("outside_id", sa.Text(), nullable=True),
        sa.Column("outside_hash", sa.String(64), nullable=True),
        sa.Column("preview", sa.Boolean(), nullable=False),
        sa.Column("consent_version", sa.String(16), nullable=False),
        sa.Column("condition", sa.String(64), nullable=False),
        sa.Column("cell", sa.Integer(), nullable=False),
        sa.Column("steps", sa.Text(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("joined", sa.Float(), nullable=True),
        sa.Column("until", sa.Float(), nullable=True),
        sa.Column("ended", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["experiment_id"], ["experiments.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("experiment_id", "number"),
        sa.UniqueConstraint("experiment_id", "outside_hash"),
    )
    op.create_index("ix_participants_until", "participants", ["status", "until"])


def downgrade() -> None:
    for name in ("answers", "passages", "participants", "experiments"):
        op.drop_table(name)
