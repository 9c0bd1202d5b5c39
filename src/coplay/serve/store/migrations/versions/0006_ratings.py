"""Ratings that hold at any time, beside the means"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    with op.batch_alter_table("results") as table:
        for name in ("rating", "rating_low", "rating_high"):
            table.add_column(sa.Column(name, sa.Float(), nullable=True))
        table.add_column(sa.Column("rounds", sa.Integer(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("results") as table:
        for name in ("rating", "rating_low", "rating_high", "rounds"):
            table.drop_column(name)
