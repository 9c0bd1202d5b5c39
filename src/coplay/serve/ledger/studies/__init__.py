"""Studies with people: hosting them, joining, going on, leaving."""
