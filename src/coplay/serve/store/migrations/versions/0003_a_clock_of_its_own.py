"""Games are charged by a clock of the server's own.

Until now `tables.asked` was a moment on the wall. What running games had used for the move they wait for is forgiven.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "game_time",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.execute("INSERT INTO game_time (id, seconds) VALUES (1, 0)")
    op.execute("UPDATE tables SET asked = 0 WHERE asked IS NOT NULL")
    op.execute("DELETE FROM uptimes")
    with op.batch_alter_table("uptimes") as table:
        table.drop_column("started")


def downgrade() -> None:
    op.execute("DELETE FROM uptimes")
    with op.batch_alter_table("uptimes") as table:
        table.add_column(sa.Column("started", sa.Float(), nullable=False))
    op.execute("UPDATE tables SET asked = NULL")
    op.drop_table("game_time")
