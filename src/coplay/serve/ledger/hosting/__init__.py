"""What a host does, and what the server does in the host's place at a date."""
