"""A form for a new agent, with a live preview of how a request would find it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

from secretary_tui import paths
from secretary_tui.config_file import ConfigError
from secretary_tui.registry.create import (
    DEFAULT_TOOLS,
    NewAgent,
    NewAgentError,
    create_agent,
    draft_agent,
    plan_agent,
)
from secretary_tui.registry.definition.fields import split_names
from secretary_tui.registry.definition.spec import PRIORITY, AgentSpec, Source, SourceKind
from secretary_tui.screens.editor import edit_file
from secretary_tui.secretary import Secretary
from secretary_tui.sessions.drafts import AgentDraft, load_agent_draft, save_agent_draft
from secretary_tui.widgets.key_bar import key_hints

_FIELDS = (
    ("name", "lower case, words joined by hyphens"),
    ("tools", "empty: all; `none`: none"),
    ("model", "empty: your default"),
)
_EMPTY = AgentDraft(tools=", ".join(DEFAULT_TOOLS))
"""The form as it opens."""


class NewAgentScreen(ModalScreen[Path | None]):
    """Ctrl+S writes the file; nothing is written before, and nothing is ever overwritten.

    What was typed is kept as a draft until then: Esc closes the form and loses nothing.
    """

    CSS_PATH = paths.bundled("styles") / "screens.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close"),
        Binding("ctrl+s", "write(False)", "Write", priority=True),
        Binding("ctrl+e", "write(True)", "Save and edit", priority=True),
        Binding("f2", "scope", "Project or user", priority=True),
        Binding("ctrl+n", "empty", "Clear the form", priority=True),
    ]

    def __init__(self, secretary: Secretary) -> None:
        super().__init__()
        self._secretary = secretary
        self._for_user = False

    def compose(self) -> ComposeResult:
        """The fields, a request to try, and the preview."""
        yield Static("New agent", classes="title", markup=False)
        with VerticalScroll(id="new-form", can_focus=False):
            yield Static("Name", classes="label", markup=False)
            yield Input(placeholder=_FIELDS[0][1], id="new-name", classes="field", compact=True)
            yield Static(id="new-name-fault", classes="fault", markup=False)
            yield Static(
                "Description: what it does and when to use it, in the words people type",
                classes="label",
                markup=False,
            )
            yield TextArea(id="new-description", soft_wrap=True, compact=True, tab_behavior="focus")
            yield Static("Tools", classes="label", markup=False)
            yield Input(
                _EMPTY.tools,
                placeholder=_FIELDS[1][1],
                id="new-tools",
                classes="field",
                compact=True,
            )
            yield Static(id="new-tools-fault", classes="fault", markup=False)
            yield Static("Model", classes="label", markup=False)
            yield Input(placeholder=_FIELDS[2][1], id="new-model", classes="field", compact=True)
            yield Static(id="new-model-fault", classes="fault", markup=False)
            yield Static("Try a request", classes="label", markup=False)
            yield Input(
                placeholder="what somebody might type", id="new-try", classes="field", compact=True
            )
        yield Static(id="new-preview", markup=False)
        yield Static(id="new-foot", classes="foot", markup=False)

    def on_mount(self) -> None:
        """Start with the name, and with what was typed the last time."""
        draft = load_agent_draft(self._secretary.project)
        if draft is not None:
            self._fill(draft)
        self.query_one("#new-name", Input).focus()
        self._show_fault(None)
        self._show_foot()

    @property
    def _folder(self) -> Path:
        if self._for_user:
            return paths.user_agents_dir()
        return self._secretary.project / ".claude" / "agents"

    def _show_foot(self) -> None:
        self.query_one("#new-foot", Static).update(
            Content.assemble(
                key_hints(
                    *(("Ctrl+S", "save"), ("Ctrl+E", "save and edit")),
                    *(("F2", "project/user"), ("Ctrl+N", "clear")),
                ),
                (f"\nSaves to {paths.shown(self._folder)}; Esc keeps a draft", "$foreground 60%"),
            )
        )

    def _fill(self, draft: AgentDraft) -> None:
        self.query_one("#new-name", Input).value = draft.name
        self.query_one("#new-description", TextArea).text = draft.description
        self.query_one("#new-tools", Input).value = draft.tools
        self.query_one("#new-model", Input).value = draft.model
        self.query_one("#new-try", Input).value = draft.request

    def _typed(self) -> AgentDraft | None:
        """What stands in the form; None when it is as it opens."""
        draft = AgentDraft(
            self.query_one("#new-name", Input).value,
            self.query_one("#new-description", TextArea).text,
            self.query_one("#new-tools", Input).value,
            self.query_one("#new-model", Input).value,
            self.query_one("#new-try", Input).value,
        )
        return None if draft == _EMPTY else draft

    def _described(self) -> tuple[str, str, Sequence[str] | None]:
        """The name, the description and the tools that stand in the form."""
        tools = self.query_one("#new-tools", Input).value.strip()
        return (
            self.query_one("#new-name", Input).value.strip(),
            self.query_one("#new-description", TextArea).text,
            () if tools == "none" else split_names(tools) if tools else None,
        )

    def _planned(self) -> NewAgent:
        return plan_agent(
            *self._described(),
            self.query_one("#new-model", Input).value.strip(),
            tuple(self._secretary.config.model_aliases),
        )

    def _draft(self, agent: NewAgent) -> AgentSpec:
        source = Source(SourceKind.PROJECT, self._folder)
        path = self._folder / f"{agent.name}.md"
        return AgentSpec(agent.name, agent.description, "", source, path, tools=agent.tools)

    # ----------------------------------------------------------------- preview

    def on_input_changed(self) -> None:
        """Look again at what would match."""
        self._preview()

    def on_text_area_changed(self) -> None:
        """Look again at what would match."""
        self._preview()

    @work(exclusive=True, group="preview")
    async def _preview(self) -> None:
        await asyncio.sleep(0.2)
        # Not in a thread: one that was late brought back a draft that had been thrown away since.
        save_agent_draft(self._secretary.project, self._typed())
        page = self.query_one("#new-preview", Static)
        self._show_fault(None)
        if not self.query_one("#new-name", Input).value.strip():
            page.update(Content.assemble(("Nothing is saved before Ctrl+S.", "$foreground 60%")))
            return
        praise = "Valid so far."
        try:
            agent = self._planned()
        except NewAgentError as error:
            praise = ""
            self._show_fault(error)
            if error.field == "name":
                page.update("")
                return
            # A tool or model that is half typed changes nothing about who would be found.
            agent = draft_agent(*self._described())
        rival = self._rival(agent.name)
        request = self.query_one("#new-try", Input).value.strip()
        if not request:
            page.update(rival or Content.assemble((praise, "$foreground 60%")))
            return
        found = await asyncio.to_thread(
            self._secretary.library.route_with, self._draft(agent), request
        )
        lines: list[Content | str | tuple[str, str]] = [rival, "\n"] if rival else []
        for place, match in enumerate(found[:5], start=1):
            mine = match.agent == agent.name
            style = "bold $accent" if mine else ""
            lines.append((f"{place}  {match.confidence:>3}  {match.agent}\n", style))
            if mine:
                lines.append((f"        {match.reason}\n", "$foreground 60%"))
        page.update(Content.assemble(*lines).rstrip())

    def _show_fault(self, error: NewAgentError | None) -> None:
        """Say below its field what is to be changed there."""
        for line in self.query(".fault").results(Static):
            mine = error is not None and line.id == f"new-{error.field}-fault"
            said = str(error) if mine else ""
            end = "" if said.endswith("?") else "."
            line.update(f"{said[:1].upper()}{said[1:]}{end}" if mine else "")
            line.display = mine

    def _rival(self, name: str) -> Content | None:
        """What there is of that name already; None when the name is free."""
        if (self._folder / f"{name}.md").exists():
            text = "That file exists already; it won't be overwritten."
        elif (entry := self._secretary.index.get(name)) is None:
            return None
        else:
            kind = SourceKind.USER if self._for_user else SourceKind.PROJECT
            hides = PRIORITY[kind] < PRIORITY[entry.spec.source.kind]
            what = "it will hide" if hides else "it will be hidden by"
            text = f"The name is taken: {what} the {entry.spec.source.label} agent {name}."
        return Content.assemble((text, "$text-warning"))

    # ----------------------------------------------------------------- actions

    def action_scope(self) -> None:
        """For this project, or for the user everywhere."""
        self._for_user = not self._for_user
        self._show_foot()
        self._preview()

    def action_close(self) -> None:
        """Close the form; F9 opens it as it is now."""
        save_agent_draft(self._secretary.project, self._typed())
        self.dismiss(None)

    def action_empty(self) -> None:
        """Begin anew."""
        self._fill(_EMPTY)
        self.query_one("#new-name", Input).focus()

    def action_write(self, edit: bool) -> None:
        """Write the file; it appears in the list by itself."""
        try:
            path = create_agent(self._planned(), self._folder)
        except NewAgentError as error:
            self.workers.cancel_group(self, "preview")  # Which would take the sentence away.
            self._show_fault(error)
            field = self.query_one(f"#new-{error.field}", Input)
            field.focus()
            return
        except ConfigError as error:
            self.notify(f"{error}.", severity="error", markup=False)
            return
        self.workers.cancel_group(self, "preview")  # Which would keep the draft.
        save_agent_draft(self._secretary.project, None)
        self.notify(f"Wrote {paths.shown(path)}.", markup=False)
        self.dismiss(path)
        if edit:
            edit_file(self.app, path)
