"""Letters that wait to be sent"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "letters",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("entrant_id", sa.String(16), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("due", sa.Float(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("sent", sa.Float(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["entrant_id"], ["entrants.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_letters_due", "letters", ["due"])
    op.create_index("ix_letters_entrant_id", "letters", ["entrant_id"])


def downgrade() -> None:
    op.drop_table("letters")
