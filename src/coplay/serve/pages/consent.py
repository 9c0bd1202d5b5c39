"""What people agree to when they let us keep their games. A change of the text is a new version."""

from __future__ import annotations

VERSION = "1"
TEXT = (
    "Keep my games for research. They are stored under a random number, without a name or an address: the deal, every "
    "move and when it was made, the partners and the score. They may be published and used to train and to judge "
    "agents. I can play without this, take it back for later games by clearing the box, and ask the host to erase my "
    "games by that number."
)
