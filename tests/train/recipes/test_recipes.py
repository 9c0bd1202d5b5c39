"""Recipes end to end on tiny networks: clones are made, held on to, answered and met in populations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.games import make
from coplay.nets.file import save_policy
from coplay.pool.pool import entry
from coplay.train import clone, train
from coplay.train.learner.partners import Ramp
from coplay.train.learner.terms import Mercy
from coplay.train.recipe import Context, recipe_named
from coplay.train.recipes import bc as bc_recipe
from coplay.train.run import resolve
from coplay.train.settings import TrainError
from coplay.worlds.hanabi.recordings import load_games, to_episodes
from tests.train.test_docs import keys_of_the_log

GAMES = Path(__file__).parents[2] / "worlds" / "hanabi" / "recordings" / "golden" / "smartbot_3p.safetensors"
CLONE = str(entry("hanabi-2p-hgroup-bc").path)
SMALL: dict[str, Any] = {"embed": 8, "hidden": 8, "actor": 8, "critic": 8}
SHORT: dict[str, Any] = {"games": 6, "turns": 6, "minibatches": 2, "epochs": 1, "total_turns": 72, "bundle": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def bc(folder: Path):
    """A clone of twenty recorded games of three players."""
    settings = {
        **SMALL,
        "epochs": 12,
        "batch": 8,
        "dropout": 0.0,
        "learning_rate": 0.03,
        "data": str(GAMES),
        "held_out_share": 0.2,
    }
    return train("bc", make("hanabi", players=3), folder / "bc", progress=False, **settings)


def test_cloning_lowers_the_loss_and_reports_both_units(bc):
    first, last = bc.metrics[0], bc.metrics[-1]
    assert last["loss"] < first["loss"] - 0.05
    # With every seat's moves counted, the paper's unit is the loss per decision divided by the number of players.
    assert last["held_out_loss_per_seat_turn"] == pytest.approx(last["held_out_loss"] / 3, abs=1e-4)
    assert len(bc.metrics) == 12


def test_every_key_of_the_log_is_explained(bc):
    assert set(bc.metrics[-1]) <= keys_of_the_log()


def test_folds_judge_every_game_once_and_by_none_that_learned_from_it():
    from coplay.data.joining import deals_of

    game, every = make("hanabi", players=3), to_episodes(load_games(GAMES))
    judged = []
    for number in (1, 2, 3):
        learn, judge = bc_recipe._games(game, bc_recipe.Settings(data=str(GAMES), fold=f"{number}/3"), seed=0)
        decks = [{deck.tobytes() for deck in np.asarray(part.decks)} for part in (learn, judge)]
        assert not decks[0] & decks[1]
        assert len(learn) + len(judge) == len(every)
        judged += sorted(decks[1])
    assert len(judged) == len(set(judged)) == len(np.unique(deals_of(every)))


def test_the_kept_clone_is_the_best_on_held_out_games(bc):
    import json

    from coplay.nets.file import read_safetensors

    made = json.loads(read_safetensors(bc.folder / "agent-0.safetensors")[1]["made"])
    assert made["held_out"]["held_out_loss"] == min(line["held_out_loss"] for line in bc.metrics)


def test_a_clone_hears_every_turn_and_plays(bc):
    from coplay.rollouts.play import play

    assert bc.agent.hears == "every"
    assert not play(make("hanabi", players=3), bc.agent, 4, engine="lockstep").forfeits


def test_a_relabelled_lesson_is_the_lesson_of_the_relabelled_game(bc):
    """Renaming colours in observations and moves equals replaying the game with renamed cards."""
    game, design = bc.agent.game, bc.agent.network.design
    games = load_games(GAMES)[:3]
    found = clone.lessons(game, design, to_episodes(games))
    key = jax.random.key(4)
    labels = np.asarray(jax.random.randint(key, (3,), 0, len(game.symmetries)))
    renamed = clone.relabelled(game, found, key)
    old = np.asarray(game.symmetries.permutations)[labels]
    decks, actions = games.decks.copy(), games.actions.copy()
    for number in range(3):
        decks[number, :, 0] = np.argsort(old[number])[games.decks[number, :, 0]]
        moves = np.argsort(np.asarray(game.symmetries[int(labels[number])].actions))
        played = games.actions[number] >= 0
        actions[number, played] = moves[games.actions[number, played]]
    import dataclasses

    other = dataclasses.replace(games, decks=decks, actions=actions)
    again = clone.lessons(game, design, to_episodes(other))
    np.testing.assert_array_equal(renamed.observation, again.observation)
    np.testing.assert_array_equal(renamed.legal, again.legal)
    counts = np.asarray(found.counts)
    np.testing.assert_array_equal(np.asarray(renamed.action)[counts], np.asarray(again.action)[counts])


def test_only_the_persons_moves_count_where_a_seat_is_marked(bc):
    import dataclasses

    games = load_games(GAMES)[:2]
    marked = dataclasses.replace(games, extra={"human_seat": np.asarray([1, 1])})
    found = clone.lessons(bc.agent.game, bc.agent.network.design, to_episodes(marked))
    assert not np.asarray(found.counts)[:, :, [0, 2]].any()
    turns = np.arange(found.counts.shape[1])
    expected = (turns % 3 == 1) & (turns < np.asarray(games.lengths)[:, None])
    np.testing.assert_array_equal(np.asarray(found.counts)[:, :, 1], expected)


@pytest.mark.parametrize("data", ["", str(GAMES)], ids=["own play", "recorded games too"])
def test_hdr_ippo_starts_at_its_clone_and_is_held_there_by_its_weight(bc, data: str, tmp_path: Path):
    settings = {**SHORT, "bc": str(bc.folder / "agent-0.safetensors"), "kl": "1,0", "learning_rate": 1e-4, "data": data}
    run = train("hdr_ippo", make("hanabi", players=3), tmp_path / "hdr", seeds=2, progress=False, **settings)
    assert run.agent.network.design == bc.agent.network.design
    assert all(line["terms"][1] == 0 for line in run.metrics)
    assert run.metrics[0]["terms"][0] == pytest.approx(0, abs=1e-3)
    start = bc.agent.network.actor.weight
    held, free = (float(jnp.abs(agent.network.actor.weight - start).mean()) for agent in run.agents)
    assert held < 0.3 * free


@pytest.mark.slow
def test_hdr_ippo_holds_each_learner_near_a_clone_of_its_own(bc, tmp_path: Path):
    moved = jax.tree.map(lambda leaf: leaf + 0.3, bc.agent.network)
    save_policy(tmp_path / "moved.safetensors", moved, bc.agent.game, {})
    clones = f"{bc.folder / 'agent-0.safetensors'},{tmp_path / 'moved.safetensors'}"
    settings = {**SHORT, "bc": clones, "kl": "1", "learning_rate": 1e-5}
    run = train("hdr_ippo", make("hanabi", players=3), tmp_path / "hdr", seeds=2, progress=False, **settings)
    assert run.metrics[0]["kl"] == pytest.approx([0, 0], abs=1e-3)
    for agent, clone_of in zip(run.agents, (bc.agent.network, moved), strict=True):
        np.testing.assert_allclose(agent.network.actor.weight, clone_of.actor.weight, atol=5e-3)
    swapped = {**settings, "start": f"run:{tmp_path / 'moved.safetensors'},run:{bc.folder / 'agent-0.safetensors'}"}
    run = train("hdr_ippo", make("hanabi", players=3), tmp_path / "swapped", seeds=2, progress=False, **swapped)
    assert min(run.metrics[0]["kl"]) > 0.01, "each is compared with its own clone, not with where it began"


def test_hdr_ippo_may_begin_elsewhere_than_at_its_clone(bc, tmp_path: Path):
    context = Context(make("hanabi", players=3), seeds=1, seed=0, folder=tmp_path, dtype=jnp.float32)
    moved = jax.tree.map(lambda leaf: leaf + 1, bc.agent.network)
    save_policy(tmp_path / "moved.safetensors", moved, bc.agent.game, {})
    module, clone_file = recipe_named("hdr_ippo"), str(bc.folder / "agent-0.safetensors")
    given = {**SHORT, "bc": clone_file, "start": f"run:{tmp_path / 'moved.safetensors'}", "data": str(GAMES)}
    found = module.plan(context, resolve(module, "hdr_ippo", context.game, given))
    start = bc.agent.network.actor.weight
    np.testing.assert_allclose(found.networks.actor.weight[0], start + 1, atol=2e-3)
    own, recorded = found.setup.terms
    for term in (own, recorded):
        np.testing.assert_allclose(term.reference.actor.weight, start, atol=2e-3)
    np.testing.assert_allclose(found.setup.knobs.shares, [[0.75, 0.25, 0.25]])
    assert recorded.found.turns.shape[0] == len(load_games(GAMES))


def test_losses_can_be_spared_beginners_who_have_a_clone_too(bc, tmp_path: Path):
    """A setting that is taken must be obeyed."""
    game = make("hanabi", players=3)
    context = Context(game, seeds=2, seed=0, folder=tmp_path, dtype=jnp.float32)
    given = {**SHORT, **SMALL, "bc": str(bc.folder / "agent-0.safetensors"), "mercy": 10}
    for recipe, more, weights in (("hdr_ippo", {"kl": "0.1,0.5"}, [[0.9, 0.1, 1], [0.5, 0.5, 1]]), ("br_bc", {}, 1)):
        module = recipe_named(recipe)
        setup = module.plan(context, resolve(module, recipe, game, {**given, **more})).setup
        assert isinstance(setup.terms[-1], Mercy)
        np.testing.assert_allclose(setup.knobs.shares, np.broadcast_to(weights, (2, 1 + len(setup.terms))), rtol=1e-6)


@pytest.mark.parametrize("broken", ["loss", "held_out_loss"])
def test_a_clone_that_breaks_stops_and_leaves_the_checkpoint(broken: str, tmp_path: Path, monkeypatch):
    """Only held-out games show that the last step of an epoch went astray."""
    told = {"loss": [1, 1, 1], "held_out_loss": [1, 1, 1]} | {broken: [1, 1, np.nan]}

    def sums(name: str) -> clone.Sums:
        return clone.Sums(jnp.full(1, told[name].pop(0), jnp.float32), *(jnp.ones(1),) * 3)

    kept = []
    save = bc_recipe.save_checkpoint
    monkeypatch.setattr(bc_recipe, "save_checkpoint", lambda *given: kept.append(given) or save(*given))
    monkeypatch.setattr(clone, "one_epoch", lambda fixed, networks, states, *_: (networks, states, sums("loss")))
    monkeypatch.setattr(clone, "examine", lambda *_: sums("held_out_loss"))
    with pytest.raises(TrainError, match=f"^{broken} became nan in epoch 3; training stopped.*lower learning_rate"):
        train("bc", make("hanabi", players=3), tmp_path / "run", progress=False, data=str(GAMES), **SMALL)
    assert len(kept) == 2


@pytest.mark.parametrize("own", [False, True], ids=["one clone", "a clone each"])
def test_br_bc_meets_none_one_and_two_clones(bc, own: bool, folder: Path):
    file = str(bc.folder / "agent-0.safetensors")
    settings = {**SHORT, **SMALL, "bc": f"{file},{file}" if own else file, "begin": 0.1, "end": 0.2}
    settings["total_turns"] = 10 * SHORT["total_turns"]
    run = train("br_bc", make("hanabi", players=3), folder / f"br_bc-{own}", seeds=2, progress=False, **settings)
    for learner in range(2):
        shares = [line["deciding"][learner] for line in run.metrics]
        assert shares[0] == pytest.approx(1, abs=0.01)  # all self-play at first
        # Two clones at every table at last: the learner has every third seat, less where games wait to begin again.
        assert 0.1 < np.mean(shares[-8:]) < 0.4


def test_the_ramp_rises_from_nothing_to_certainty():
    ramp = Ramp(10, 20)
    assert [float(ramp(jnp.float32(t))) for t in (0, 10, 15, 20, 30)] == [0, 0, 0.5, 1, 1]


def test_one_best_response_per_partner(folder: Path):
    settings = {**SHORT, **SMALL, "partner": "random,iggi", "each": True}
    run = train("best_response", make("hanabi-very-small"), folder / "br", seeds=2, progress=False, **settings)
    assert len(run.agents) == 2
    assert all(0.3 < share < 0.7 for line in run.metrics for share in line["deciding"])  # half of the turns are theirs


def test_a_best_response_can_start_as_its_partner(folder: Path):
    game = make("hanabi-very-small")
    partners = train("ippo", game, folder / "partners", seeds=2, progress=False, **SHORT, **SMALL)
    files = ",".join(f"run:{partners.folder}/agent-{i}.safetensors" for i in range(2))
    settings = {**SHORT, "partner": files, "each": True, "start": "partner", "learning_rate": 1e-12}
    run = train("best_response", game, folder / "copies", seeds=2, progress=False, **settings)
    for copy, partner in zip(run.agents, partners.agents, strict=True):
        assert jnp.array_equal(copy.network.actor.weight, partner.network.actor.weight)
    assert not jnp.array_equal(run.agents[0].network.actor.weight, run.agents[1].network.actor.weight)


@pytest.mark.parametrize(
    ("recipe", "settings", "words"),
    [
        ("bc", {}, "data=FILE"),
        ("bc", {"data": str(GAMES)}, "games of hanabi for 3, not of hanabi for 2"),
        ("bc", {"data": "x", "fold": "5"}, "such as 2/5"),
        ("bc", {"data": "x", "fold": "6/5"}, "such as 2/5"),
        ("bc", {"data": "x", "fold": "1/5", "held_out": "y"}, "give one"),
        ("hdr_ippo", {}, "bc=FILE"),
        ("hdr_ippo", {"bc": "x", "kl": 2}, "between 0 and 1"),
        ("hdr_ippo", {"bc": "x", "kl": "0.1;0.2"}, "several separated by commas"),
        ("hdr_ippo", {"bc": "x", "data_games": 0}, "data_games"),
        ("hdr_ippo", {"bc": "x,y", "data": "games"}, "near one clone"),
        ("hdr_ippo", {"bc": f"{CLONE},{CLONE}"}, "--seeds 2"),
        ("hdr_ippo", {"bc": CLONE, "data": str(GAMES)}, "games of hanabi for 3, not of hanabi for 2"),
        ("hdr_ippo", {"bc": CLONE, "start": "pool:hanabi-2p-ippo-0"}, "another shape"),
        ("br_bc", {"bc": "x", "begin": 0.9, "end": 0.1}, "begin < end"),
        ("br_bc", {"bc": f"{CLONE},{CLONE}"}, "--seeds 2"),
        ("best_response", {}, "partner=smartbot"),
        ("best_response", {"partner": "hgroup"}, "plain agent"),
        ("best_response", {"partner": "random,iggi", "each": True}, "--seeds 2"),
        ("best_response", {"partner": "random", "start": "iggi"}, "not a trained player"),
        ("best_response", {"partner": "random", "start": "iggi,iggi"}, "2 players for 1 learners"),
        ("fcp", {"population": "nowhere"}, "no snapshots"),
        ("other_play", {"critic_sees": "all"}, "critic_sees=own"),
    ],
)
def test_what_is_missing_is_said(recipe: str, settings: dict, words: str, tmp_path: Path):
    with pytest.raises(TrainError, match=words):
        train(recipe, make("hanabi"), tmp_path / "out", progress=False, **settings)


def test_a_clone_at_the_table_thinks_what_it_thought_in_class(bc):
    """Step by step through a recorded game, a policy gives the probabilities that training and examining compute."""
    import equinox as eqx

    from coplay.worlds.hanabi.recordings import replay_views

    game, policy, games = bc.agent.game, bc.agent, load_games(GAMES)[:1]
    expected = clone.log_probs(game, policy.network, clone.lessons(game, policy.network.design, to_episodes(games)))
    views, _ = replay_views(game, games.decks[0], games.actions[0], games.lengths[0], "all")
    think = eqx.filter_jit(lambda memory, view: policy.think(memory, view))
    memory = policy.start()
    for turn in range(9):
        memory, logits = think(memory, jax.tree.map(lambda leaf, turn=turn: leaf[turn, 1], views))
        if turn % 3 == 1:
            legal = np.asarray(game.legal(jax.tree.map(lambda leaf, turn=turn: leaf[turn, 1], views)))
            found = np.asarray(jax.nn.log_softmax(logits))
            np.testing.assert_allclose(found[legal], np.asarray(expected)[0, turn, 1][legal], atol=1e-4)
