"""How Alembic runs our migrations: inside the connection that `Database.migrate` opened."""

from __future__ import annotations

from alembic import context

from coplay.serve.store.models import Base

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
