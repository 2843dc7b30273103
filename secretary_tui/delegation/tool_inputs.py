"""What the model may send to each tool: the schemas it reads and the checks its calls pass.

Names and meanings are Claude Code's, which models know.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, Field

from secretary_tui.delegation.tool_names import BASH, EDIT, GLOB, GREP, READ, WRITE


class ReadInput(BaseModel):
    """Input of Read."""

    file_path: str = Field(description="The file, relative to the working directory or absolute.")
    offset: int | None = Field(None, ge=1, description="First line to read, from 1.")
    limit: int | None = Field(None, ge=1, description="How many lines to read.")


class WriteInput(BaseModel):
    """Input of Write."""

    file_path: str = Field(description="The file to create or replace.")
    content: str = Field(description="All of its new content.")


class EditInput(BaseModel):
    """Input of Edit."""

    file_path: str = Field(description="The file to change.")
    old_string: str = Field(description="The exact text to replace; it must occur exactly once.")
    new_string: str = Field(description="The text to put there.")
    replace_all: bool = Field(False, description="Replace every occurrence.")


class GlobInput(BaseModel):
    """Input of Glob."""

    pattern: str = Field(description="A relative glob pattern, such as `src/**/*.py`.")
    path: str | None = Field(None, description="The folder to look in; default: all.")


class GrepInput(BaseModel):
    """Input of Grep."""

    pattern: str = Field(description="A regular expression.")
    path: str | None = Field(None, description="The file or folder to search; default: all.")


class BashInput(BaseModel):
    """Input of Bash."""

    command: str = Field(min_length=1, description="The command, in Bash syntax.")
    timeout: int | None = Field(
        None, ge=1, description="Time limit in milliseconds; default 120000, at most 600000."
    )


INPUTS: Mapping[str, type[BaseModel]] = {
    READ: ReadInput,
    WRITE: WriteInput,
    EDIT: EditInput,
    GLOB: GlobInput,
    GREP: GrepInput,
    BASH: BashInput,
}
DESCRIPTIONS: Mapping[str, str] = {
    READ: "Read a text file, an image or a PDF of the project. Files over 256 kB need offset and "
    "limit.",
    WRITE: "Create a file or replace all of it. The user sees the difference and may refuse. To "
    "change a part of a file, use Edit.",
    EDIT: "Replace exact text in a file. Read the file first. The user sees the difference and may "
    "refuse.",
    GLOB: "List files whose path matches a glob pattern, newest first, at most 200.",
    GREP: "Search the content of files for a regular expression; gives path:line:text.",
    BASH: "Run one command in the working directory. Each call is a shell of its own: no state and "
    "no background process stays. No input, and usually no network. git can look, but not add, "
    "commit or switch. The user sees the command and may refuse.",
}


def input_schema(tool: str) -> dict[str, object]:
    """Give the JSON schema of a tool's input, without the titles that only cost tokens."""
    schema = INPUTS[tool].model_json_schema()
    properties = {
        name: {key: value for key, value in described.items() if key != "title"}
        for name, described in schema["properties"].items()
    }
    required = schema.get("required", [])
    return {"type": "object", "properties": properties, "required": required}
