"""The table of "Quantifying Zero-Shot Coordination Capability with Behavior Preferring Partners" with our partners."""
