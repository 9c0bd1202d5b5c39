"""Who plays: pure policies, plain Python agents, and the spec strings that name them.

| others use | for |
|---|---|
| `spec` | `agent(spec, game)`: a name, or an object, as a player; who plays a game |
| `contents` | the hashes of everything that a spec stands for |
| `random` | a random legal action |

The rest loads one kind of spec each.
"""
