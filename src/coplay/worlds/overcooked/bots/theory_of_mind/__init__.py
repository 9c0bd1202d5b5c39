"""The Theory-of-Mind agent: what it weighs, where it goes, and the parameters that say how a person plays."""
