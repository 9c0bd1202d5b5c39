"""Results as frozen dataclasses: as JSON, as rows of a table, and short to look at."""

from __future__ import annotations

import dataclasses
import json
import math
import typing
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from coplay.files import write_whole
from coplay.measure import MeasureError
from coplay.measure.study.table_text import latex, markdown

Kind = TypeVar("Kind")
Rows = list[dict[str, Any]]  # a table: all rows have the same names
NOT_IN_JSON = {"json": False}  # `metadata` of a field that is large, or that other files hold


def to_json(value: Any) -> Any:
    """A result as JSON holds it: records by name, NaN as null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kept = [field.name for field in dataclasses.fields(value) if field.metadata.get("json", True)]
        return {name: to_json(getattr(value, name)) for name in kept}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: to_json(getattr(value, name)) for name in value._fields}  # pyright: ignore[reportAttributeAccessIssue]
    if isinstance(value, Mapping):
        return {_key(key): to_json(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return to_json(value.tolist())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [to_json(one) for one in value]
    if isinstance(value, np.generic):
        return to_json(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value


def _key(key: Any) -> str:
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def from_json(kind: type[Kind], found: Mapping[str, Any]) -> Kind:
    """A record of settings again; names it does not know are left out, those it lacks have their defaults."""
    hints = typing.get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]  # pyright: ignore[reportArgumentType]
    return kind(**{name: _typed(hints[name], found[name]) for name in names if name in found})


def _typed(kind: Any, value: Any) -> Any:
    inner = next((one for one in (kind, *typing.get_args(kind)) if dataclasses.is_dataclass(one)), None)
    if isinstance(value, Mapping) and inner is not None:
        return from_json(inner, value)  # pyright: ignore[reportArgumentType]
    return tuple(_typed(None, one) for one in value) if isinstance(value, list) else value


class Result:
    """What every result can do; a kind of it says which rows it has (`rows`) and what they are about (`title`)."""

    @property
    def title(self) -> str:
        raise NotImplementedError

    def rows(self) -> Rows:
        """A table of what was found."""
        raise NotImplementedError

    def to_json(self, path: str | Path | None = None) -> str:
        """The whole as JSON text, written to a file if one is named."""
        text = json.dumps(to_json(self), indent=1) + "\n"
        if path is not None:
            write_whole(Path(path), text)
        return text

    def to_latex(self) -> str:
        """`rows` as a table for a paper."""
        return latex(self.rows(), self.title)

    def to_markdown(self) -> str:
        """`rows` as a table for a page of Markdown."""
        return markdown(self.rows(), self.title)

    def to_dataframe(self) -> Any:
        """`rows` as a pandas table."""
        return dataframe(self.rows())

    def __repr__(self) -> str:
        return f"<{self.title}>"

    def _repr_html_(self) -> str:
        rows = self.rows()
        if not rows:
            return f"<p>{escape(self.title)}</p>"
        head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
        lines = ["".join(f"<td>{escape(_shown(value))}</td>" for value in row.values()) for row in rows]
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        return f"<table><caption>{escape(self.title)}</caption><tr>{head}</tr>{body}</table>"


def dataframe(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as a pandas table; pandas is not needed for anything else."""
    try:
        import pandas  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise MeasureError("to_dataframe needs pandas; get it with `pip install pandas`, or take `rows()`.") from error
    return pandas.DataFrame(list(rows))


def _shown(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
