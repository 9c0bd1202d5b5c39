"""What the partners of a challenge are made of"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    with op.batch_alter_table("challenges") as table:
        table.add_column(sa.Column("pins", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("challenges") as table:
        table.drop_column("pins")
