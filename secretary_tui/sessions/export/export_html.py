"""A run as one HTML file: no script, nothing fetched, all foreign text escaped, fit to print."""

from __future__ import annotations

import json
from html import escape

from secretary_tui.sessions.export.export_document import RunDocument
from secretary_tui.sessions.export.export_entries import EntryKind, ExportEntry
from secretary_tui.sessions.export.export_markdown import is_harmless_link, told_by_summary

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --dim: #777; --accent: #2563a8; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --accent: #7fb4f0; --dim: #999; --bad: #f2827a; } }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.35rem; line-height: 1.3; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; color: var(--dim); }
dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
section { margin: 1.4rem 0; overflow-wrap: anywhere; }
.user { border-left: 3px solid var(--accent); padding-left: .9rem; white-space: pre-wrap; }
.who { font-size: .8rem; font-weight: 600; color: var(--dim); margin: 0 0 .2rem; }
pre { background: #8881; border-radius: 4px; padding: .6rem .8rem; overflow-x: auto;
  font: 13px/1.45 ui-monospace, monospace; white-space: pre-wrap; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
details { border: 1px solid var(--line); border-radius: 4px; padding: .3rem .7rem;
  margin: .6rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; } summary b { color: var(--accent); }
.bad { color: var(--bad); } .note { color: var(--dim); font-style: italic; }
table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: .2rem .5rem; }
blockquote { border-left: 3px solid var(--line); margin-left: 0; padding-left: .9rem; }
@media print {
  body { font-size: 11pt; margin: 0; max-width: none; } a { color: inherit; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
  h1, .who, summary { break-after: avoid; } pre { break-inside: auto; }
}
"""


def to_html(document: RunDocument) -> str:
    """Write it: a head with the facts, then what happened."""
    facts = "".join(f"<dt>{label}</dt><dd>{_text(value)}</dd>\n" for label, value in document.rows)
    problem = f'<p class="note">{_text(document.problem)}</p>\n' if document.problem else ""
    body = "".join(map(_entry, document.entries))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="referrer" content="no-referrer">\n<title>{_text(document.title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{_text(document.title)}</h1>\n"
        f"<dl>\n{facts}</dl>\n{problem}{body}</body>\n</html>\n"
    )


def _text(text: str) -> str:
    return escape(text, quote=True)


def _entry(entry: ExportEntry) -> str:
    text = _text(entry.text.strip())
    match entry.kind:
        case EntryKind.USER:
            return f'<section><p class="who">User</p><div class="user">{text}</div></section>\n'
        case EntryKind.ANSWER:
            return f'<section><p class="who">Agent</p>{_rendered(entry.text)}</section>\n'
        case EntryKind.THINKING:
            return f"<details><summary>Thinking</summary><pre>{text}</pre></details>\n"
        case EntryKind.TOOL:
            return _tool(entry)
        case EntryKind.ERROR:
            return f'<p class="bad">{text}</p>\n'
    return f'<p class="note">{text}</p>\n'


def _tool(entry: ExportEntry) -> str:
    failed = "denied" if entry.denied else "failed" if entry.is_error else ""
    mark = f' <span class="bad">{failed}</span>' if failed else ""
    parts = [f"<summary><b>{_text(entry.tool)}</b> {_text(entry.text)}{mark}</summary>"]
    if entry.input and not told_by_summary(entry):
        parts.append(f"<pre>{_text(json.dumps(entry.input, indent=2, ensure_ascii=False))}</pre>")
    if entry.inner:
        inside = "".join(map(_entry, entry.inner))
        parts.append(f'<blockquote><p class="who">{_text(entry.agent)}</p>{inside}</blockquote>')
    if entry.output.strip():
        output = entry.output.strip("\n")
        parts.append(f"<pre>{_text(output)}</pre>")
    return f"<details>{''.join(parts)}</details>\n"


def _rendered(markdown: str) -> str:
    """Markdown as HTML: tags in it stay text, and a picture becomes a link, which fetches nothing.

    A link that could start a program stays text, too.
    """
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    reader.validateLink = is_harmless_link  # type: ignore[method-assign]
    return str(reader.disable("image").render(markdown))
