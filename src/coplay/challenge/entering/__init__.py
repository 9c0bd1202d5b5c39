"""What an entrant runs: `coplay enter`, and the same without beginning anything."""
