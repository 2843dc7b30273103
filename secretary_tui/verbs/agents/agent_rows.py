"""What every sub-verb of `agents` shares: the library it is about, and an agent as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from secretary_tui import config
from secretary_tui.registry.definition.spec import Finding, IndexEntry
from secretary_tui.secretary import Secretary
from secretary_tui.verbs.options import Options


def load_secretary(options: Options) -> Secretary:
    """The service over the library that the command line names."""
    return options.secretary(config.load(options.project))


def entry_as_json(
    entry: IndexEntry, warnings: Sequence[Finding] | None = None
) -> dict[str, object]:
    """An agent in the shape of `agents --json`, by default with what reading it found."""
    spec = entry.spec
    return {
        "id": spec.id,
        "plugin": spec.source.plugin,
        "name": spec.name,
        "description": spec.description,
        "tools": None if spec.tools is None else list(spec.tools),
        "disallowed_tools": list(spec.disallowed_tools),
        "model": spec.model,
        "skills": list(spec.skills),
        "source": spec.source.label,
        "dialect": str(spec.dialect),
        "path": str(spec.path),
        "status": str(entry.status),
        "shadowed_by": str(entry.shadowed_by) if entry.shadowed_by else None,
        "warnings": [
            finding_as_json(finding)
            for finding in (spec.findings if warnings is None else warnings)
        ],
    }


def finding_as_json(finding: Finding) -> dict[str, object]:
    """What is wrong with a file, where, and what to do."""
    return {
        "path": str(finding.path),
        "line": finding.line,
        "message": finding.message,
        "action": finding.action,
    }
