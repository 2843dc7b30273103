"""Values to JSON and back: the one codec of all that is stored, or handed to another process.

A value is a frozen dataclass of strings, numbers, enums, tuples, mappings and such dataclasses.
What comes back is never believed: each field must have its type. `stored` says where the JSON form
of a field differs from the field.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache
from typing import Any, ClassVar, Generic, Protocol, TypeVar, Union, cast, get_args, get_origin

Value = TypeVar("Value")
_Read = Callable[[Any], Any]
_MISSING = dataclasses.MISSING
_NUMBERS: Mapping[Any, tuple[type, ...]] = {int: (int,), float: (int, float)}


class UnknownTypeError(ValueError):
    """This version doesn't know the `type` of a value."""


def stored(*, key: str = "", absent: object = _MISSING) -> Mapping[str, object]:
    """Give the metadata of a dataclass field whose JSON form differs from the field.

    Args:
        key: Its name in JSON, where that isn't the field's.
        absent: What a missing field reads as, where that isn't the field's default. For a field
            that restricts something it is the strict value: what is missing never widens anything.
    """
    return {"key": key, "absent": absent}


def to_json(value: Any) -> Any:
    """Give a value as JSON types: tuples become lists, enums their values."""
    if dataclasses.is_dataclass(value):
        return {
            key: to_json(getattr(value, name)) for name, key in _names(cast("Any", type(value)))
        }
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return value.value if isinstance(value, Enum) else value


def from_json(cls: type[Value], data: object, *, exact: bool = False) -> Value:
    """Rebuild a value.

    Without `exact` unknown fields are ignored and missing ones read as their defaults. With it,
    unknown fields are refused, and so are missing ones but those that say what absence means.

    Raises:
        ValueError: a field is missing or has another type, or the data is no object.
    """
    return cast("Value", _reader(cast("Any", cls), exact)(data))


class Typed(Protocol):
    """A value whose class has a name in JSON."""

    type: ClassVar[str]


Kind = TypeVar("Kind", bound=Typed)


class Variants(Generic[Kind]):
    """Values of several classes; the `type` in their JSON form tells which."""

    def __init__(self, classes: Iterable[type[Kind]], *, exact: bool = False) -> None:
        self._classes = {cls.type: cls for cls in classes}
        self._exact = exact

    def to_json(self, value: Kind) -> dict[str, Any]:
        """Give the value as a JSON object, `type` first."""
        return {"type": value.type, **to_json(value)}

    def from_json(self, data: object) -> Kind:
        """Rebuild a value.

        Raises:
            UnknownTypeError: no class has this `type`.
            ValueError: a field is missing or has another type.
        """
        name = data.get("type") if isinstance(data, Mapping) else None
        if not isinstance(data, Mapping) or not isinstance(name, str) or name not in self._classes:
            raise UnknownTypeError(f"there is no type {name!r} here")
        rest = {key: item for key, item in data.items() if key != "type"}
        return from_json(self._classes[name], rest, exact=self._exact)


@cache
def _names(cls: Any) -> tuple[tuple[str, str], ...]:
    """The fields of a dataclass, each with its name in JSON."""
    return tuple((f.name, f.metadata.get("key") or f.name) for f in dataclasses.fields(cls))


@cache
def _reader(hint: Any, exact: bool) -> _Read:
    """What reads a value of a type; made once for each."""
    origin, args = get_origin(hint), get_args(hint)
    if hint in (Any, object):
        return lambda value: value
    if origin in (Union, types.UnionType):
        return _optional(args, exact)
    if origin is tuple:
        return _tuple(args, exact)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(args[1], exact)
    if dataclasses.is_dataclass(hint):
        return _dataclass(hint, exact)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    return _plain(hint)


def _plain(hint: type) -> _Read:
    wanted = _NUMBERS.get(hint, (hint,))

    def read(value: object) -> object:
        if not isinstance(value, wanted) or (isinstance(value, bool) and hint is not bool):
            raise ValueError(f"{hint.__name__} was expected, not {type(value).__name__}")
        return value

    return read


def _optional(args: tuple[Any, ...], exact: bool) -> _Read:
    read_some = _reader(next(arg for arg in args if arg is not type(None)), exact)
    return lambda value: None if value is None else read_some(value)


def _tuple(args: tuple[Any, ...], exact: bool) -> _Read:
    of_any_length = args[-1] is Ellipsis
    readers = [_reader(arg, exact) for arg in args if arg is not Ellipsis]

    def read(value: object) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise ValueError(f"a list was expected, not {type(value).__name__}")
        if of_any_length:
            return tuple(map(readers[0], value))
        if len(value) != len(readers):
            raise ValueError(f"{len(readers)} items were expected, not {len(value)}")
        return tuple(read_one(item) for read_one, item in zip(readers, value, strict=True))

    return read


def _mapping(hint: Any, exact: bool) -> _Read:
    read_item = _reader(hint, exact)

    def read(value: object) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise ValueError(f"an object was expected, not {type(value).__name__}")
        return {str(key): read_item(item) for key, item in value.items()}

    return read


def _dataclass(cls: Any, exact: bool) -> _Read:
    hints = typing.get_type_hints(cls)
    fields = {key: (name, _reader(hints[name], exact)) for name, key in _names(cls)}
    absent = {f.name: f.metadata.get("absent", _MISSING) for f in dataclasses.fields(cls)}
    absent = {name: value for name, value in absent.items() if value is not _MISSING}

    def read(data: object) -> Any:
        if not isinstance(data, Mapping):
            raise ValueError(f"{cls.__name__} is an object, not {type(data).__name__}")
        found = {fields[key][0]: fields[key][1](data[key]) for key in data if key in fields}
        values = {**absent, **found}
        if exact and (set(data) - set(fields) or len(values) < len(fields)):
            odd = sorted(map(str, set(data) ^ set(fields)))
            raise ValueError(f"{cls.__name__} has missing or unknown fields: {', '.join(odd)}")
        try:
            return cls(**values)
        except TypeError as error:
            raise ValueError(f"{cls.__name__} is incomplete: {error}") from None

    return read
