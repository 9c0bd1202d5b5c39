"""What every measure that plays is built on: the runner, run folders, who plays, where a result comes from."""
