"""One learner: rollouts with partners, advantages, PPO, terms. Recipes choose what goes into it (`coplay.train`)."""
