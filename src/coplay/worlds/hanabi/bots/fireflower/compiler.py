"""numba's compiler as this package uses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import numba
    from numba import types
except ImportError as error:
    raise ImportError("FireFlower is compiled by numba, which is not installed: pip install coplay[bots]") from error


def njit(function: Callable) -> Any:
    """Compiles lazily, one version per argument type.

    numba would also make versions for constant arguments (`look(s)` next to `look(s, seat)`), which doubles the time
    of the first run; here constants count as their type.
    """
    compiled = numba.njit(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")  # pyright: ignore[reportCallIssue]
    resolve = getattr(compiled, "get_call_template", None)
    if resolve is not None:  # None where NUMBA_DISABLE_JIT leaves the function as it is
        compiled.get_call_template = lambda args, kws: resolve(tuple(types.unliteral(arg) for arg in args), kws)
    return compiled
