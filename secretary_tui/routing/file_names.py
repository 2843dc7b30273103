"""File names in a request: they say in which language something is, and nothing else.

No agent's description holds `calc.py`, so the name itself would only count against all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_FILE = re.compile(r"(?<![\w@])(?:[\w.~-]*/)*[\w-]+\.([A-Za-z0-9]{1,8})\b(?!\.\w)")
_LANGUAGES: Mapping[str, str] = {
    "c": "c", "h": "c", "cc": "c++", "cpp": "c++", "hpp": "c++", "cs": "csharp", "css": "css",
    "dart": "dart", "dockerfile": "docker", "ex": "elixir", "exs": "elixir", "go": "golang",
    "html": "html", "java": "java", "js": "javascript", "jsx": "react", "kt": "kotlin",
    "lua": "lua", "md": "markdown", "php": "php", "pl": "perl", "ps1": "powershell",
    "py": "python", "r": "r", "rb": "ruby", "rs": "rust", "scala": "scala", "scss": "css",
    "sh": "shell", "sol": "solidity", "sql": "sql", "svelte": "svelte", "swift": "swift",
    "tf": "terraform", "ts": "typescript", "tsx": "react", "vue": "vue", "yaml": "", "yml": "",
    "json": "", "toml": "", "txt": "", "csv": "", "log": "", "lock": "", "cfg": "", "ini": "",
    "xml": "", "pdf": "", "ipynb": "python",
}  # fmt: skip
"""What an ending says; empty for files of no language. Others are left as they are."""


def name_languages(request: str) -> str:
    """Put the language in the place of each file name of a known kind."""

    def language(found: re.Match[str]) -> str:
        return _LANGUAGES.get(found[1].lower(), found[0])

    return _FILE.sub(language, request)
