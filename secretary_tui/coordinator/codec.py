"""Values to JSON types and back, checked: what a checkpoint holds is never believed."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin

Value = TypeVar("Value")


def to_json(value: Any) -> Any:
    """Give a frozen dataclass as JSON types; tuples become lists."""
    return _plain(dataclasses.asdict(value))


def from_json(cls: type[Value], data: object) -> Value:
    """Rebuild a dataclass of strings, numbers, enums, tuples and dataclasses.

    Raises:
        ValueError: a field is missing, has another type, or the data is no object.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"{cls.__name__} is an object, not {type(data).__name__}")
    hints = _hints(cast("Any", cls))
    try:
        return cls(**{key: _read(hints[key], data[key]) for key in data if key in hints})
    except TypeError as error:
        raise ValueError(f"{cls.__name__} is incomplete: {error}") from None


@cache
def _hints(cls: Any) -> Mapping[str, Any]:
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def _read(hint: Any, value: object) -> Any:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in get_args(hint):
            return None
        return _read(next(arg for arg in get_args(hint) if arg is not type(None)), value)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise ValueError(f"a list was expected, not {type(value).__name__}")
        return tuple(_read(get_args(hint)[0], item) for item in value)
    if dataclasses.is_dataclass(hint):
        return from_json(cast("type[Any]", hint), value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    wanted = (int, float) if hint is float else hint
    if not isinstance(value, wanted) or (isinstance(value, bool) and hint is not bool):
        raise ValueError(f"{hint.__name__} was expected, not {type(value).__name__}")
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.value if isinstance(value, Enum) else value
