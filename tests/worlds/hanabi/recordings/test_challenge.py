"""The data-limited challenge: sizes, replay and decks that no two parts share."""

from __future__ import annotations

import numpy as np
import pytest

from coplay.data import DataError
from coplay.pool import sources
from coplay.worlds.hanabi.recordings.challenge import COMMUNITIES, challenge_file, challenge_games


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("community", COMMUNITIES)
def test_parts_have_their_sizes_and_share_no_deck(community: str, players: int):
    train, val = (challenge_games(community, players, part) for part in ("train", "val"))  # loading replays them
    assert (len(train), len(val), train.players, val.players) == (1000, 500, players, players)
    decks = np.concatenate([train.decks, val.decks]).reshape(1500, -1)
    assert len(np.unique(decks, axis=0)) == 1500


def test_an_unknown_community_is_refused():
    with pytest.raises(DataError, match="communities: community, hgroup, fireflower"):
        challenge_file("humans", 2, "train")


def test_without_the_pool_it_is_said_where_the_games_are(monkeypatch):
    monkeypatch.setattr(sources, "folders", lambda: ())
    with pytest.raises(DataError, match=r"the games of hgroup come with the pool.*pip install coplay-pool"):
        challenge_games("hgroup", 2, "val")
