"""Write the pages that are made from tables in the code: keys, configuration, the manual page.

python docs/generate.py            writes docs/keys.md, docs/configuration.md, docs/man
python docs/generate.py --check    exits with 1 when one of them is not up to date
"""

from __future__ import annotations

import sys
from pathlib import Path

from man_page import man_page

from secretary_tui.flow.actions import ACTIONS, FIXED_KEYS
from secretary_tui.setting_values import shown_value
from secretary_tui.settings import SETTINGS

DOCS = Path(__file__).parent


TYPING = """\
## Typing while a panel asks

- A key either acts or is typed into the request box; none is lost. The last line says which.
- Keys act on the panel while the request box is empty. Once it holds something, keys are text,
  Enter sends that text in the place of what was asked, and Ctrl+U clears it: the panel has the keys
  again. A panel that has the focus (a question, a permission) keeps them; Tab leads to it.
- A letter or digit acts when no other one follows within 0.15 seconds; else it is the beginning of
  a word, and the whole word is text.
- In the first half second of a panel letters are text, and Enter, Esc and arrows do nothing. A
  panel that was open when the last session ended takes keys at once.
- Enter never takes what is not marked. Where nothing is recommended the first Enter marks the first
  row, and the next one takes it.
- After Enter took an agent, what you type goes into the box and the choice stands; Esc takes it
  back. After a letter took it, a letter that follows says that a sentence was meant, and takes it
  back, too."""


KEYMAP = """\
Your own settings file gives other keys to these actions, by their names:

```yaml
keys:
  history: ctrl+y
  next_run: [f12, ctrl+right]
  stats: none
```

Help, palette and the last line show the keys as you set them. Two actions never share a key, and
keys that type or move (letters, Enter, Esc, Tab, arrows, Ctrl+C, Ctrl+D, Ctrl+J) can't be given
away: such a wish is said at the start, by `config` and by `doctor`, and the key stays as it was.
Keys inside panels and lists are fixed, for safety: `y` must not allow tomorrow what it denied
today. All keys below are of that sort.

In the request box the keys of readline move and delete. What several kills in a row take away is
one text; Ctrl+Y puts the newest back, Alt+Y right after it the one before. Ctrl+T and Alt+T of
readline: only Alt+T, since Ctrl+T is the app's.

With `editing: vi` the keys are those of vi. Motions: `h j k l w b e W B E 0 ^ $ % gg G`, `f F t T`
with `;` and `,`. Commands: `i a I A o O`, `x X D C s S Y`, `dd cc yy`, `d c y` with a motion or
with `iw aw`, `i" a"`, `i( a(` and the like, `p P`, `r`, `~`, `J`, `u`, Ctrl+R, `.`; counts before
and between. `v` and `V` select: motions move the end, `o` goes to the other one, then `d x y c s`,
`~ u U r J p`. The title of the box says which mode it is in, and what was typed of a command. Esc
leaves insert and visual mode; in normal mode, and in an empty box, it means what it means
everywhere: interrupt, or one step back."""


def keys_page() -> str:
    lines = [
        "# Keys and commands",
        "",
        "The last line of the screen names the keys that work right now; F1 shows all of them.",
        "",
        "| key | command | name | |",
        "|---|---|---|---|",
    ]
    for action in ACTIONS:
        slash = f"`/{action.slash}`" if action.slash else ""
        lines.append(f"| {action.label} | {slash} | `{action.id}` | {action.help} |")
    lines += ["", KEYMAP]
    for title, keys in FIXED_KEYS:
        lines += ["", f"## {title}", "", "| key | |", "|---|---|"]
        lines += [f"| {key.replace('|', chr(92) + '|')} | {does} |" for key, does in keys]
    lines += ["", TYPING]
    return "\n".join(lines) + "\n"


def configuration_page() -> str:
    lines = [
        "# Configuration",
        "",
        "Settings are the frontmatter of a markdown file. Weakest first:",
        "",
        "1. the default",
        "2. your own file: `~/.config/secretary-tui/config.md` "
        "(`secretary-tui config path` names it)",
        "3. the project's file: `.claude/secretary.local.md`",
        "4. the environment: `SECRETARY_TUI_` and the key in capitals",
        "5. the command line",
        "",
        "F2 in the app shows every value and where it comes from, and writes the right file; "
        "comments and keys it does not know stay as they are, and a value that holds without the "
        "file is taken out of it. "
        "[`config.example.md`](../config.example.md) is a file to start from.",
        "",
        "`knowledge.txt` beside your own file tells what names of yours stand for when agents are "
        "ranked, a row each: `shopcore, the core = java spring payments`.",
        "",
        "| key | default | | |",
        "|---|---|---|---|",
    ]
    for setting in SETTINGS:
        choices = (
            f" One of {', '.join(f'`{c}`' for c in setting.choices)}." if setting.choices else ""
        )
        scope = "your own file only" if setting.user_only else ""
        scope = "a project only raises it" if setting.project_raises else scope
        default = shown_value(setting.default)
        lines.append(f"| `{setting.key}` | {default} | {setting.help}{choices} | {scope} |")
    lines += [
        "",
        "Settings marked *your own file only* could loosen what you decided, so a repository's "
        "file can't set them; those marked *a project only raises it* can be raised there above "
        "your own value, never lowered.",
    ]
    return "\n".join(lines) + "\n"


PAGES = {
    "keys.md": keys_page,
    "configuration.md": configuration_page,
    "man/secretary-tui.1": man_page,
}


def main() -> int:
    stale = [n for n, make in PAGES.items() if _read(DOCS / n) != make()]
    if "--check" in sys.argv:
        for name in stale:
            print(f"docs/{name} is not up to date: run python docs/generate.py")
        return 1 if stale else 0
    for name in stale:
        (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"wrote docs/{name}")
    return 0


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    raise SystemExit(main())
