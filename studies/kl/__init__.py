"""How near should a learner be held to the clone it starts from? The ablation of AH2AC2's appendix A.7."""
