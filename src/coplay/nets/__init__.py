"""Networks that play: layers, the network, the policy around it, and its file."""
