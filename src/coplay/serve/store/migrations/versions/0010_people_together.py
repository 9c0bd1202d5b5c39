"""Seats of several people at one table, and its customs"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    with op.batch_alter_table("attempts") as table:
        table.add_column(sa.Column("customs", sa.Text(), nullable=True))
    op.create_table(
        "places",
        sa.Column("attempt_id", sa.String(16), sa.ForeignKey("attempts.id"), primary_key=True),
        sa.Column("seat", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("person_id", sa.String(16), sa.ForeignKey("people.id"), nullable=True),
        sa.Column("key_id", sa.String(16), sa.ForeignKey("keys.id"), nullable=True),
        sa.Column("invitation_id", sa.String(16), sa.ForeignKey("keys.id"), nullable=True),
        sa.Column("away", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("stood_in", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    for name in ("person_id", "key_id", "invitation_id"):
        op.create_index(f"ix_places_{name}", "places", [name])
    # So far a table had one person, whose key is the only one that it has.
    op.execute(
        """
        INSERT INTO places (attempt_id, seat, person_id, key_id, away, stood_in)
        SELECT attempts.id, CAST(tables.seats AS INTEGER), attempts.person_id, MIN(keys.id), false, false
        FROM attempts
        JOIN tables ON tables.attempt_id = attempts.id AND tables.number = 0
        JOIN keys ON keys.attempt_id = attempts.id AND keys.kind = 'seat'
        WHERE attempts.kind IN ('person', 'study')
        GROUP BY attempts.id, tables.seats, attempts.person_id
        """
    )


def downgrade() -> None:
    op.drop_table("places")
    with op.batch_alter_table("attempts") as table:
        table.drop_column("customs")
