"""The rule agents of Walton-Rivers et al.: lists of rules tried in order, one file per agent."""
