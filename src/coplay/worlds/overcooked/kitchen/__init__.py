"""What a kitchen is made of: maps, things, orders, positions."""
