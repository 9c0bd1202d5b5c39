"""A challenge: a measure with a host, keys, hidden partners and a leaderboard.

It decides and knows neither HTTP nor SQL. The server uses all of it.

| others use | for |
|---|---|
| `rules` | a challenge's TOML file, read and checked |
| `schedule`, `scoring` | which games are played, and what they came to |
| `audit`, `verify` | the chain of hashes, and an export computed again |
| `enter` | playing in a challenge with an agent of this package |
| `errors` | `ChallengeError` |
"""
