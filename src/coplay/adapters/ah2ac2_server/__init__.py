"""The three addresses of the AH2AC2 evaluation server, over our challenges: its official client plays here unchanged.

GET       /evaluation-info/KEY                where the key's attempt stands
WebSocket /play-next?submission_key=KEY       the next game of the attempt
WebSocket /play-random-agent?num_players=N&candidate_positions=I&test_submission_key=KEY
                                              a game with players who move at random

That client knows nothing but the address, so these are the only ones where a key may be in it. See
docs/ah2ac2-compatibility.md.
"""

from coplay.adapters.ah2ac2_server.routes import install

__all__ = ["install"]
