"""Each process writes down what it has counted, so that any of them can say it for all"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    with op.batch_alter_table("uptimes") as table:
        table.add_column(sa.Column("counted", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("uptimes") as table:
        table.drop_column("counted")
