"""Converts Python values to SQLite values. Every value for SQLite passes through plain() or argument()."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import numbers
import os
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

PLAIN = (int, float, str, bytes, type(None))  # as sqlite3 stores them; NaN becomes NULL there


def _of_numpy(value: Any) -> Any:
    """A scalar of NumPy that Python's numbers do not include."""
    kind = getattr(value.dtype, "kind", "")
    if kind not in ("m", "M"):
        return plain(value.item())
    text = str(value)
    if text == "NaT":
        return None
    if kind == "M":
        return text.rstrip("0").rstrip(".") if "." in text else text
    nanoseconds = int(value.astype("timedelta64[ns]").astype("int64"))
    return _number(decimal.Decimal(nanoseconds).scaleb(-9))


def _number(value: Any) -> int | float | None:
    """The value of a Decimal: an integer if it is whole, so that long ids keep all their digits."""
    if value.is_nan():
        return None
    return int(value) if value.is_finite() and value == value.to_integral_value() else float(value)


def plain(value: Any) -> Any:
    """The value as one of PLAIN. Numbers of any library become numbers, missing values None, dates and times texts of ISO 8601,
    and durations seconds."""
    if type(value) in PLAIN:
        return value
    if type(value).__name__ in ("NAType", "NaTType"):  # pandas.NA, pandas.NaT
        return None
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return _number(decimal.Decimal(value // datetime.timedelta(microseconds=1)).scaleb(-6))
    if isinstance(value, decimal.Decimal):
        return _number(value)
    if getattr(value, "shape", None) == () and hasattr(value, "dtype"):
        return _of_numpy(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, (uuid.UUID, os.PathLike)):
        return str(value)
    if hasattr(value, "as_py"):  # pyarrow
        return plain(value.as_py())
    raise TypeError(f"gpugraph: {value!r:.60} is a {type(value).__name__}, which SQLite cannot store; make it a number, a text, a date or None")


def collection(value: Any) -> Any:
    """The values of a list, an array, a column or a set as a list, and of a mapping as a dict. None: a single value."""
    if isinstance(value, (str, bytes, bytearray, memoryview)) or getattr(value, "shape", None) == () or not isinstance(value, Iterable):
        return None
    if isinstance(value, Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    return [_nested(item) for item in value]


def _nested(item: Any) -> Any:
    inner = collection(item)
    return plain(item) if inner is None else inner


def argument(value: Any) -> Any:
    """A value as an argument of a search. Several values become a JSON array, and a mapping a JSON object."""
    several = collection(value)
    return plain(value) if several is None else json.dumps(several)
