"""Networks that play: layers, the network, the policy around it, and its file.

| others use | for |
|---|---|
| `network` | `Network`, and the `Design` that says its shape |
| `policy` | `NetPolicy`: a network that plays; how it reads a game |
| `file` | agents as safetensors files |
| `belief` | networks that guess what a seat cannot see |

`layers`, `recur`, `whole` and `fused` are what networks are made of.
"""
