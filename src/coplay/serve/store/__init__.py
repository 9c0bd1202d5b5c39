"""What the server remembers: SQLite or PostgreSQL behind SQLAlchemy, migrated by Alembic."""
