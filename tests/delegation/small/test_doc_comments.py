"""A doc comment stands where its language wants it."""

from __future__ import annotations

import pytest

from secretary_tui.delegation.small.doc_comments import comment_grammar, with_comment

PYTHON = ["    def load(", "        self, path: str", "    ) -> str:", "        return path"]
SCRIPT = ["  load(path: string) {", "    return path;", "  }"]


def test_in_python_it_stands_below_the_whole_head() -> None:
    found = with_comment("a.py", PYTHON, '"""Load a file.\n\npath: which one"""')
    assert found == [
        *PYTHON[:3],
        '        """Load a file.',
        "",
        "        path: which one",
        '        """',
        PYTHON[3],
    ]


@pytest.mark.parametrize(
    ("path", "comment"),
    [
        ("a.ts", "/**\n * Load a file.\n */"),
        ("a.go", "// Load a file."),
        ("a.rb", "# Load a file."),
    ],
)
def test_elsewhere_it_stands_above_with_the_same_indentation(path: str, comment: str) -> None:
    lines = comment.split("\n")
    assert with_comment(path, SCRIPT, comment) == [*(f"  {line}" for line in lines), *SCRIPT]


def test_one_that_is_there_stays() -> None:
    lines = ["def load():", '    """Load."""', "    return 1"]
    assert with_comment("a.py", lines, '"""Other."""') == lines


def test_a_language_without_known_comments_has_no_grammar() -> None:
    assert comment_grammar("a.toml") == ""
    assert comment_grammar("a.py") and comment_grammar("a.ts") and comment_grammar("a.go")
