"""The trained partners, wherever they are installed: this package reads them and holds none.

| module | what it answers |
|---|---|
| `sources` | which pools are installed, and how to get ours |
| `pool` | who is in them: `pool:NAME`, checked by hash; who plays a game |
| `sets` | partners to be met together, with their best responses: `set:NAME` |
| `ceilings` | how much can be scored with a partner at all |
| `reference` | who scores what with whom |
"""
