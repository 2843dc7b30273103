"""Definition files made to run code, to hang the reader or to grow beyond measure."""

M = 1 << 20
_HEAD = "name: a\ndescription: b\n"
_BOMB = "".join(
    f"k{n}: &k{n} [{', '.join([f'*k{n - 1}'] * 9) if n else 'lol'}]\n" for n in range(9)
)


def _file(frontmatter: str, body: str = "Body") -> str:
    return f"---\n{_HEAD}{frontmatter}\n---\n{body}\n"


HOSTILE: dict[str, str] = {
    "alias bomb": _file(_BOMB),
    "python tag": _file("x: !!python/object/apply:os.mkdir [made]"),
    "5000 brackets": _file("x: " + "[" * 5000),
    "60000 brackets": _file("x: " + "[" * 60_000),
    "braces": _file("x: " + "{a: " * 250),
    "dashes": _file("x:\n  " + "- " * 15_000),
    "indents": _file("".join(" " * depth + "a:\n" for depth in range(240))),
    "tools that are no words": _file("tools: [no, on]"),
    "unquoted colon": "---\nname: a\ndescription: Use when: x\n---\nBody",
    "duplicate keys": _file("name: c\nname: d"),
    "7000 duplicate keys": _file("description: v\n" * 7000),
    "cycle": _file("x: &x [*x]"),
    "path as name": "---\nname: ../x\ndescription: b\n---\nBody",
    "byte order mark": "\ufeff" + _file(""),
    "newlines": "---" + "\n" * 16_000,
    "newlines, then text": "---" + "\n" * (M - 10) + "x: y",
    "blanks": "---" + " " * (M - 10) + "x",
    "hyphens": "-" * (M - 2),
    "rules": "---\n" * (M // 4 - 1),
    "rules and blanks": "---\n \n" * (M // 6 - 1),
    "rules with words in the body": _file("", "--- x\n" * 150_000),
    "indented fence": "    ---\n    name: a\n    description: b\n    ---\n" + "    x\n" * 150_000,
    "blank lines first": " \n" * 500_000 + _file(""),
    "a flood of values": _file("x: {" + "a," * 15_000 + "}"),
    "many keys": _file("".join(f"k{n}: v\n" for n in range(12_000))),
    "many broken keys": _file("".join(f"k{n}: [\n" for n in range(10_000))),
    "195 broken keys": _file("".join(f"k{n}: [{'x' * 150}\n" for n in range(195))),
    "many aliases": _file("a: &a v\n" + "".join(f"b{n}: *a\n" for n in range(2500))),
    "long name": "---\nname: " + "/" * 100_000 + "\ndescription: b\n---\n",
    "hidden name": "---\nname: " + "\u200b." * 15_000 + "\ndescription: b\n---\n",
    "open examples": "---\nname: a\ndescription: '" + "<example>" * 3000 + "'\n---\n",
    "commas": _file("tools: " + "," * 30_000),
    "parentheses": _file("tools: " + "(" * 30_000),
    "escapes": _file("x: " + "\x1b]" * 10_000),
    "escapes in the body": _file("", "x" * 30 + "\x1b[" + "0;" * 400_000),
    "controls in the body": _file("", ("x" * 20 + "\x07") * 40_000),
    "bidi in the body": _file("", "\u202e" * 300_000),
    "carriage returns": _file("x: y\r" * 10_000),
    "headings for a description": "---\nname: a\n---\n" + "#" * (M - 40),
}
"""By what is wrong with them; none is longer than the megabyte that is read."""
