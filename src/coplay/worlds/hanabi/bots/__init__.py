"""The scripted Hanabi players of the literature as pure policies, one file per player."""
