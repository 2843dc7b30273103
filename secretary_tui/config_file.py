"""Change a settings file: comments, order, unknown keys and the text below stay as they are."""

from __future__ import annotations

import difflib
import io
import json
import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from secretary_tui import paths
from secretary_tui.config import MAX_BYTES, read_layer, read_text, split
from secretary_tui.setting_values import parse_value
from secretary_tui.settings import BY_KEY

_COMMENT = re.compile(r"^[ \t]*#.*\n", re.M)


class ConfigError(Exception):
    """A settings file can't be changed as asked; the message says why and what to do."""


def save(path: Path, changes: Mapping[str, Any]) -> bool:
    """Write settings to a file; comments, order, unknown keys and the text below stay.

    Values are checked first. One that would be in force without the file is taken out of it, unless
    a comment belongs to it, and a file with nothing left in it is removed: switching something to
    and fro leaves a project as it was. Gives whether the file had to be created.

    Raises:
        ConfigError: a value doesn't fit, the file can't be read or written, or it is a project's
            and leads out of it.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap
    from ruamel.yaml.error import YAMLError

    from secretary_tui.strict_yaml import NotReadError, StrictYamlError, load_value

    checked = {key: _plain(_checked(key, value)) for key, value in changes.items()}
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    _check_place(path)
    created = not path.exists()
    spare = {key for key in checked if _is_spare(path, key, checked[key])}
    if created and len(spare) == len(checked):
        return False
    try:
        text = "---\n---\n" if created else read_text(path)
        opening, frontmatter, rest = split(text)
        if not opening:
            opening, rest = "---\n", "---\n" + rest
        load_value(frontmatter)  # Bounded: what is too deep or too much for it is so for ruamel.
        document = yaml.load(frontmatter)
        if document is None and frontmatter.strip():
            # Comments alone: a document without a mapping would lose them.
            wanted = {key: value for key, value in checked.items() if key not in spare}
            lines = "".join(_yaml_line(key, value) for key, value in wanted.items())
            _write(path, opening + frontmatter + lines + rest)
            return created
        document = CommentedMap() if document is None else document
        for key, value in checked.items():
            if key not in spare or key in document.ca.items:
                document[key] = value
            else:
                document.pop(key, None)
        if document:
            out = io.StringIO()
            yaml.dump(document, out)
            _write(path, opening + out.getvalue() + rest)
        elif comments := "".join(_COMMENT.findall(frontmatter)):
            paths.write_atomic(path, opening + comments + rest)
        elif rest.strip("- \t\r\n"):
            paths.write_atomic(path, opening + rest)
        else:
            path.unlink()
    except (OSError, UnicodeError) as error:
        hint = " Check its permissions." if isinstance(error, PermissionError) else ""
        raise ConfigError(f"{path} can't be changed: {error}.{hint}") from None
    except NotReadError as error:
        raise ConfigError(
            f"{path} is more than is read here, so it was left as it is: {error}. "
            "Simplify it or remove it."
        ) from None
    except (StrictYamlError, YAMLError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"{path} is not valid YAML, so it was left as it is: {error}. Repair it or remove it."
        ) from None
    return created


def unset(path: Path, key: str) -> bool:
    """Take a setting out of a file: its lines go, everything else stays as it is.

    A file with nothing left in it is removed. Gives whether the setting stood there.

    Raises:
        ConfigError: there is no such setting, the file can't be read or written, or it is a
            project's and leads out of it.
    """
    from secretary_tui.strict_yaml import StrictYamlError, load_value

    if key not in BY_KEY:
        raise ConfigError(unknown_setting(key))
    _check_place(path)
    try:
        text = read_text(path)
        opening, frontmatter, rest = split(text)
        before = load_value(frontmatter)
        if not isinstance(before, Mapping) or key not in before:
            return False
        after = _without(frontmatter, key, {k: v for k, v in before.items() if k != key})
        if after.strip() or rest.strip("- \t\r\n"):
            paths.write_atomic(path, opening + after + rest)
        else:
            path.unlink()
    except FileNotFoundError:
        return False
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} can't be changed: {error}. Check its permissions.") from None
    except (StrictYamlError, ValueError) as error:
        raise ConfigError(f"{path} was left as it is: {error}. Change it in an editor.") from None
    return True


def unknown_setting(key: str) -> str:
    """Say that there is no such setting, and which ones look like it."""
    near = ", ".join(difflib.get_close_matches(key, BY_KEY, n=3))
    hint = f"Did you mean {near}?" if near else f"Known are {', '.join(BY_KEY)}."
    return f"there is no setting {key!r}. {hint}"


def _without(frontmatter: str, key: str, left: Mapping[str, Any]) -> str:
    """Cut a key's lines out; comments and blank lines after its value belong to what follows.

    Raises:
        ValueError: it can't be cut out by lines, as in `{a: 1, b: 2}`.
    """
    from secretary_tui.strict_yaml import StrictYamlError, load_value

    lines = frontmatter.splitlines(keepends=True)
    begins = re.compile(rf"""(["']?){re.escape(key)}\1[ \t]*:""")
    start = next((n for n, line in enumerate(lines) if begins.match(line)), len(lines))
    end = start + 1
    while end < len(lines) and (lines[end][0] in " \t-\r\n" or _closes_flow(lines[end])):
        end += 1
    trailing = end
    while trailing > start + 1 and not lines[trailing - 1].strip():
        trailing -= 1
    for stop in (trailing, end):
        text = "".join((*lines[:start], *lines[stop:]))
        try:
            if (load_value(text) or {}) == left:
                return text
        except StrictYamlError:
            continue
    raise ValueError(f"the lines of {key} can't be told from the others")


def _closes_flow(line: str) -> bool:
    return line[0] in "]}"


def _is_spare(path: Path, key: str, value: object) -> bool:
    """Whether the setting would have this value without the file."""
    setting = BY_KEY[key]
    below = setting.default
    if not setting.adds_up and paths.project_of(path) is not None:
        raw = read_layer(paths.user_config()).get(key, below)
        try:
            below = parse_value(setting, raw)
        except ValueError:
            below = setting.default
    return bool(_plain(below) == value)


def _write(path: Path, text: str) -> None:
    """Write a file that can be read again: one that can't would take all other settings with it.

    Raises:
        ConfigError: it would hold more than is read, or what no file can hold.
        OSError: it can't be written.
    """
    from secretary_tui.strict_yaml import StrictYamlError, load_value

    try:
        size = len(text.encode())
        if size <= MAX_BYTES:
            load_value(split(text)[1])
    except (StrictYamlError, UnicodeError):
        raise ConfigError(f"{path} was left as it is: no file can hold that value.") from None
    if size > MAX_BYTES:
        raise ConfigError(
            f"{path} was left as it is: with that value it would have {size:,} bytes, and "
            f"{MAX_BYTES:,} are read."
        )
    paths.write_atomic(path, text)


def _check_place(path: Path) -> None:
    """Refuse a project's file that is a link to somewhere else: a repository can bring one."""
    project = paths.project_of(path)
    if project is not None and not paths.stays_inside(path, paths.repository_root(project)):
        raise ConfigError(
            f"{path} is a link that leads out of the project, so nothing was written. Remove the "
            "link, and a file takes its place"
        )


def _checked(key: str, value: object) -> Any:
    setting = BY_KEY.get(key)
    if setting is None:
        raise ConfigError(unknown_setting(key))
    try:
        return parse_value(setting, value)
    except ValueError as error:
        raise ConfigError(f"{error}, not {value!r}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, StrEnum):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def _yaml_line(key: str, value: object) -> str:
    return f"{key}: {value if isinstance(value, str) and value else json.dumps(value)}\n"
