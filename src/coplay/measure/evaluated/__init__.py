"""The parts of an evaluation: the teams, the numbers, behaviour, proximity, unit tests, comparisons."""
