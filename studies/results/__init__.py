"""Every shipped agent through five measures: makes docs/results.md and the reference tables of the pool."""
