"""What the settings of a run and the figures of its log mean.

`coplay train RECIPE --settings` says it with these words, and `python docs/training_tables.py` writes them into the
page about training.
"""

from __future__ import annotations

# Of every recipe but bc.
SETTINGS = {
    "total_turns": "turns of all games together, per seed",
    "games": "games played at once, per seed",
    "turns": "turns between two updates, rounded up to whole rounds of the table",
    "stretch": (
        "turns of a sequence that a memory is learned back through, from the memory it began with; 0, or "
        "more than `turns`: the whole rollout. It must cut `turns` evenly"
    ),
    "epochs": "passes over what was played, per update",
    "minibatches": (
        "parts of a pass; a part is a share of the games with all their turns (or of their stretches), so"
        " it must divide `games`"
    ),
    "learning_rate": "of Adam",
    "anneal": "the learning rate falls linearly to 0 over the run",
    "discount": "what a point a turn later is worth",
    "trace": "lambda of generalised advantage estimation",
    "clip": "how far PPO lets a probability move in one update, as a ratio",
    "value_weight": "weight of the critic's loss",
    "value_clip": "points by which an update may move a value; 0: any number",
    "entropy": "weight of the entropy",
    "entropy_left": "share of that weight at the end of the run, to which it falls linearly",
    "entropy_path": "where it does not fall on one line: weights at shares of the run, such as `0.2@0,0.05@0.6,0.01@1`",
    "critic_first": (
        "turns in which only the critic learns: a trained player that begins with a new critic loses nothing meanwhile"
    ),
    "gradient_norm": "gradients longer than this are shortened to it",
    "bfloat16": "what networks compute in on a GPU; a CPU computes in float32",
    "encoder": "`mlp`, or `cnn` for an observation that is a picture",
    "filters": "of each of the three convolutions of a `cnn`",
    "embed": "width of the layers that read the observation",
    "layers": "how many layers of that width",
    "cell": "memory: `none`, `gru` or `lstm`",
    "hidden": "width of the memory",
    "actor": "width of the layer before the actions",
    "critic": "width of the layer before the value",
    "hears": "when a memory advances: on its `own` turns, or on `every` turn",
    "critic_sees": "`all`: the critic reads every seat's view (MAPPO)",
    "shaping": "turns over which the game's shaped reward is annealed away; 0: none",
    "looks_beyond": (
        "an episode that the clock cuts off is worth what its last position is; `false`: it has ended there"
    ),
    "useful": (
        "the network chooses among actions only that can change something, where the world tells "
        "(kitchens: ZSC-Eval's mask)"
    ),
    "random_starts": (
        "share of a kitchen's episodes that begin in a random state; scores in the log are then of such episodes too"
    ),
    "cluttered_starts": "share of these in which things lie on counters",
    "starts": (
        "recorded games of the kitchen, people's or programs': the other episodes begin in their states. Knott et "
        "al.'s diverse starts are `starts=FILE` alone"
    ),
    "recorded_starts": "share of the other episodes that do",
    "against": (
        "games of two sides: who plays the other side, an equal share of the games each; `SPEC` is a team of copies, "
        "`SPEC+SPEC+…` names every player of one, `self` is the learner. Empty: the learner plays both sides"
    ),
    "start": (
        "trained players to learn on from (`run:FILE`, `pool:ID`, `carroll:PATH`), one or one per learner; the shape "
        "is then theirs"
    ),
    "mercy": "turns over which losses of points grow to their full weight; 0: full from the start",
    "snapshots": "agents kept on the way, at equal distances, the first of them untrained",
    "bundle": "updates between two lines of the log",
}

# Of recipes that begin with a population.
FROM_POPULATION = {
    "population": "a folder of `coplay train population`; without it one is trained first, in the run's folder",
    "size": "partners: each member of the population at three levels",
    "population_turns": "turns for which each member learns",
    "mixed": "as in `best_response`",
    "begin": "as in `best_response`",
    "end": "as in `best_response`",
}

# Of one recipe: what is its own, or what it means by one of the above.
RECIPES: dict[str, dict[str, str]] = {
    "obl": {
        "total_turns": "of each level",
        "discount": "what a point a round later is worth; `trace` is not used",
        "wander": (
            "share of the moves that are random in the games, not in what is learned from; scores in the "
            "log are of such games"
        ),
        "level": "the last level; those below are made first, in folders of the run",
        "below": "instead: a run of the level below, or its players (`pool:hanabi-2p-obl-1`; one, or one per learner)",
        "belief_turns": "turns of the level below from which a level learns what to believe",
        "belief_games": "at once; every `turns` turns of all of them are a step of learning",
        "belief_hidden": "width of the memory that follows them",
    },
    "hdr_ippo": {
        "bc": (
            "the clone, as a file, or one of the same shape for every learner, separated by commas; the "
            "network's shape is the clone's"
        ),
        "kl": "the weight of the clone; several separated by commas are compared in one run, one learner each",
        "data": "recorded games on which it is held near the clone too; several files separated by commas",
        "data_games": "how many of them, drawn anew for every rollout",
    },
    "br_bc": {
        "bc": "the clone, as a file, or one for every learner, separated by commas; any other policy by its spec",
        "begin": "share of the run after which clones begin to come",
        "end": "share of the run after which they always come",
    },
    "best_response": {
        "partner": (
            "the partner's spec; several separated by commas, or counted: `run:clones/agent-{0..19}.safetensors`"
        ),
        "begin": "share of the run after which partners begin to come; until then it is self-play",
        "end": "share of the run after which they always come; 0: from the first",
        "mixed": "several partners at a table with more seats than two: different ones sit there, not copies of one",
        "drawn": "partners are dealt out to the other seats, of both sides, anew for every game; with more partners "
        "than seats some sit out",
        "each": "one learner per partner, side by side; then `--seeds` is the number of partners",
        "start": "trained players to start from: one, one per learner, or `partner`",
        "imitate": (
            "turns over which the partner says what it would do in the learner's place, annealed to nothing; 0: never"
        ),
    },
    "population": {
        "diversity": "what makes members different: `entropy` (MEP) or `games` (TrajeDi)",
        "diversity_weight": "what it weighs; -1: 0.01 for `entropy`, 0.1 for `games`",
        "kernel": "with `games`: how much a move counts for the one next to it",
    },
    "fcp": FROM_POPULATION,
    "mep": {
        **FROM_POPULATION,
        "diversity_weight": "of the population",
        "priority": "a partner counts in proportion to its rank to this power; the lowest score has the highest rank",
    },
    "trajedi": {
        **FROM_POPULATION,
        "diversity_weight": "of the population",
        "kernel": "of the population",
    },
    "hsp": {
        **FROM_POPULATION,
        "pairs": "tastes that are tried",
        "preferring": "a folder of `coplay train preferring`; without it one is trained first",
        "diversity_weight": "of MEP's half",
    },
    "cole": {
        "size": "earlier selves that are kept",
        "own": "shares of the games that are self-play, where each of the others has one",
        "generation": "turns after which the agent joins the others",
        "priority": "as in `mep`",
        "solver": "who is hard to play with: `rank`, by the agent's return, or `graph`, by Shapley values in the "
        "graph of what all earlier selves score together",
    },
    "e3t": {
        "slips": "share of the partner's moves that are any legal move",
    },
    "preferring": {
        "pairs": "so many tastes, drawn by the seed",
    },
    "bc": {
        "data": (
            "recorded games; several files or folders separated by commas. Of a place with games of several kitchens "
            "those of this one"
        ),
        "held_out": "games to judge by; without it a share of the data, by game",
        "held_out_share": "that share",
        "fold": "instead: `2/5` holds out the second fifth; five runs judge every game once",
        "epochs": "passes over the games",
        "batch": "games (or stretches) per step",
        "stretch": (
            "where there is no memory: turns that are learned from at once, so that a step sees parts of many games; "
            "0: whole games"
        ),
        "learning_rate": "of AdamW; it falls linearly for nine tenths of the run",
        "final_rate": "what it falls to",
        "decay": "weight decay",
        "embed": "width of the layer that reads the observation",
        "layers": "how many layers of that width",
        "cell": "memory: `none`, `gru` or `lstm`",
        "cells": "memories, one upon the other",
        "hidden": "their width",
        "actor": "width of the layer before the actions",
        "critic": "width before the value, which only learning on uses",
        "dropout": "share of the units left out at random while learning",
        "hears": "as above",
        "permute": "every game is seen through a new random symmetry in every epoch",
        "select": "which epoch is kept: by held-out `likelihood`, or by `selfplay`",
        "selfplay_games": "games for `select=selfplay`",
        "bfloat16": "as above",
        "start": "a trained player to learn on from (fine-tuning); one, or one per seed",
    },
}

# Keys of metrics.jsonl; some belong together. One figure per seed where there is a list.
METRICS = {
    "updates, turns": "done so far; turns per seed",
    "turns_per_second": "of all seeds together, in this bundle; the first one compiles",
    "games": "games that ended in this bundle",
    "score": "mean score of the games that ended; moves are drawn from the distribution",
    "deciding": "share of the rows that the learner decided: 1 in self-play, less where partners move",
    "loss": "what is minimised: PPO's loss and the terms of the recipe",
    "value_loss": "of the critic, before its weight",
    "entropy": "of the learner's choices, in nats",
    "clipped": "share of the decisions where PPO's clip was active",
    "terms": "what the recipe's own terms add to the loss, with their weights",
    "kl, kl_on_games": (
        "`hdr_ippo`: the divergence from the clone, before its weight, on its own play and on recorded games"
    ),
    "weights": "length of all weights as one vector; a jump shows that a step went astray",
    "number, epoch": "`bc`: which seed, which pass",
    "loss, accuracy": "`bc`: per decision of the games it learns from",
    "held_out_loss, held_out_accuracy": "`bc`: per decision of the games it is judged by",
    "held_out_loss_per_seat_turn": (
        "`bc`: the same loss in the AH2AC2 paper's unit, averaged over the turns of all seats"
    ),
    "held_out_decisions": "`bc`: how many decisions these are",
}


def meaning(recipe: str, setting: str) -> str:
    """What a setting of a recipe means; of somebody's own recipe only what all have is known."""
    return RECIPES.get(recipe, {}).get(setting) or ("" if recipe == "bc" else SETTINGS.get(setting, ""))
