"""How somebody plays Hanabi, in numbers: rates, what follows what, conventions kept and broken."""
