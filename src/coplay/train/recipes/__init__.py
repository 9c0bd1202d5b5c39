"""The recipes: each chooses partners, terms and data for the one learner."""
