"""Who plays: pure policies, plain Python agents, and the spec strings that name them."""
