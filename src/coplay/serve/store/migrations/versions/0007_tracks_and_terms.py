"""The track of an entrant, and which terms it accepted when"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    with op.batch_alter_table("entrants") as table:
        table.add_column(sa.Column("track", sa.String(64), nullable=False, server_default=""))
        table.add_column(sa.Column("terms", sa.String(16), nullable=False, server_default=""))
        table.add_column(sa.Column("accepted", sa.Float(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("entrants") as table:
        for name in ("track", "terms", "accepted"):
            table.drop_column(name)
