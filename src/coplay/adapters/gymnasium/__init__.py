"""Our games as Gymnasium environments: one seat is yours, any agents sit in the others.

`make` gives one environment, `make_vec` many that step together in one compiled program.
"""

try:
    import gymnasium as _needed  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"coplay.adapters.gymnasium needs Gymnasium ({error}); run: pip install 'coplay[gymnasium]'"
    ) from error

from coplay.adapters.gymnasium.env import SeatEnv, make
from coplay.adapters.gymnasium.vector import SeatVectorEnv, make_vec

__all__ = ["SeatEnv", "SeatVectorEnv", "make", "make_vec"]
