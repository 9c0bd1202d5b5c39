"""What a seat may know, brought to players outside the compiled loop: on this machine, or over a wire.

| others use | for |
|---|---|
| `host` | views as numpy, for plain agents and people |
| `packed` | views as bytes, for the wire and for logs |
"""
