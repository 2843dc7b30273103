"""One value of a setting: checked and brought into its type, and said on one line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from secretary_tui.settings import ActivationMode, Setting

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


def parse_value(setting: Setting, raw: object) -> Any:
    """Check one value against its setting and give it in the setting's type.

    Raises:
        ValueError: it doesn't fit; the message names what does.
    """
    if setting.choices:
        text = str(raw).strip().lower() if not isinstance(raw, bool) else str(raw)
        if setting.open_choices and _NAME.fullmatch(text):
            return text
        if text not in setting.choices:
            raise ValueError(f"{setting.key} must be one of {', '.join(setting.choices)}")
        return ActivationMode(text) if setting.key == "activation_mode" else text
    if setting.nested:
        return _parse_tables(setting, raw)
    return _PARSERS[type(setting.default)](setting, raw)


def typed_value(setting: Setting, text: str) -> Any:
    """Check one value as a person types it: lists are `a, b`, tables YAML or JSON.

    Unlike in a file, a space doesn't part the items of a list: folders have spaces in their names.

    Raises:
        ValueError: it doesn't fit; the message names what does.
    """
    if isinstance(setting.default, Mapping):
        from secretary_tui.strict_yaml import StrictYamlError, load_value

        try:
            return parse_value(setting, load_value(text))
        except StrictYamlError as error:
            raise ValueError(f"{setting.key} wants a table in YAML or JSON ({error})") from None
    if isinstance(setting.default, tuple):
        return parse_value(setting, [part for part in map(str.strip, text.split(",")) if part])
    return parse_value(setting, text.strip())


def _parse_bool(setting: Setting, raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    words = {"true": True, "yes": True, "on": True, "1": True}
    words |= {"false": False, "no": False, "off": False, "0": False}
    try:
        return words[str(raw).strip().lower()]
    except KeyError:
        raise ValueError(f"{setting.key} must be true or false") from None


def _parse_number(setting: Setting, raw: object) -> int | float:
    kind = type(setting.default)
    try:
        number = float(str(raw))
    except ValueError:
        raise ValueError(f"{setting.key} must be a number") from None
    low, high = setting.low, setting.high
    if isinstance(raw, bool) or not (
        (low is None or number >= low) and (high is None or number <= high)
    ):
        raise ValueError(f"{setting.key} must be a number from {low:g} to {high:g}")
    return int(number) if kind is int else number


def _parse_list(setting: Setting, raw: object) -> tuple[str, ...]:
    if raw is None:
        return ()
    if isinstance(raw, str):
        raw = [part for part in re.split(r"[,\s]+", raw) if part]
    if not isinstance(raw, (list, tuple)) or not all(isinstance(item, str) for item in raw):
        raise ValueError(f"{setting.key} must be a list of names")
    return tuple(raw)


def _parse_table(setting: Setting, raw: object) -> dict[str, str]:
    if not isinstance(raw, Mapping):
        raise ValueError(f"{setting.key} must be a table of names and values")
    return {
        str(name).lower(): ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in raw.items()
    }


def _parse_tables(setting: Setting, raw: object) -> dict[str, dict[str, Any]]:
    """Read a table of tables; what stands in those is checked where it is used."""
    if not isinstance(raw, Mapping) or not all(isinstance(one, Mapping) for one in raw.values()):
        raise ValueError(f"{setting.key} must be a table of names, each with its own settings")
    return {
        str(name).lower(): {str(key): value for key, value in one.items()}
        for name, one in raw.items()
    }


def _parse_text(setting: Setting, raw: object) -> str:
    return "" if raw is None else str(raw)


_PARSERS = {
    bool: _parse_bool,
    int: _parse_number,
    float: _parse_number,
    str: _parse_text,
    tuple: _parse_list,
    dict: _parse_table,
}


def shown_value(value: object, empty: str = "–") -> str:
    """Say a value on one line; `empty` stands for one that holds nothing. It is not cleaned."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (tuple, list, Mapping)):
        return ", ".join(map(str, value)) or empty
    return f"{value:g}" if isinstance(value, float) else str(value) or empty
