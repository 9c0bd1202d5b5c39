"""The worlds: rules as pure functions. `coplay.make` builds one by name."""
