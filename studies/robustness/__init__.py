"""The experiment of "Evaluating the Robustness of Collaborative Agents" (Knott et al. 2021), with our agents."""
