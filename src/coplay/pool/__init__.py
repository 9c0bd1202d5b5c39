"""The partners we ship: `pool.toml` says who they are, `agents/` holds their weights."""
