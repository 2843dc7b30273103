"""The library of one project as a service: its agents, and which of them fits a request locally.

Every import that is heavy or not always needed is made where it is used, since the hook and
`match --offline` come through here too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from secretary_tui.config import Config
    from secretary_tui.delegation.call_limits import CallableLibrary
    from secretary_tui.delegation.workspace.project_files import ProjectFiles
    from secretary_tui.people import AgentMatch, Answer, Recommendation
    from secretary_tui.registry.agent_index import AgentIndex, IndexChange, LiveIndex
    from secretary_tui.registry.definition.spec import AgentSpec
    from secretary_tui.registry.sources.library_options import LibraryOptions
    from secretary_tui.routing.match.lessons import Lesson, LessonBook
    from secretary_tui.routing.match.matcher import LocalMatcher
    from secretary_tui.routing.match.sentence_indexer import SentenceIndexer
    from secretary_tui.routing.recommend.workflows import WorkflowMatcher


DRAFT_S = 0.5
"""Seconds that the meaning of a draft's description may take."""


class LibraryService:
    """The index of agents, live, and the matchers over it."""

    def __init__(
        self,
        project: Path,
        config: Config,
        agents_dirs: Sequence[Path] = (),
        given_agents: str = "",
    ) -> None:
        self.project = project
        self.config = config
        self._agents_dirs = tuple(agents_dirs)
        self._given_agents = given_agents
        self._live: LiveIndex | None = None
        self._matcher: tuple[AgentIndex, LocalMatcher] | None = None
        self._workflows: WorkflowMatcher | None = None
        self._building = threading.Lock()
        self._indexing = threading.Lock()
        self._lesson_book: LessonBook | None = None
        self._sentences: SentenceIndexer | None = None
        self.fetching = ""
        """How far the download of a sentence model is, empty when there is none."""
        self._files: ProjectFiles | None = None

    def take_config(self, config: Config) -> None:
        """Let new settings take effect."""
        changed = config.semantic != self.config.semantic
        self.config = config
        if changed and self._sentences is not None and self._matcher is not None:
            self.learn_sentences()
        if self._live is not None:
            self._live.configure(self._library_options())

    def close(self) -> None:
        """Stop what works in the background; blocking."""
        if self._sentences is not None:
            self._sentences.close()

    # ------------------------------------------------------------------ agents

    @property
    def live(self) -> LiveIndex:
        """The index that can be scanned again and watched."""
        if self._live is None:
            from secretary_tui.registry.agent_index import LiveIndex

            self._live = LiveIndex(self.project, options=self._library_options())
        return self._live

    def _library_options(self) -> LibraryOptions:
        from secretary_tui import paths
        from secretary_tui.registry.sources.library_options import LibraryOptions

        config = self.config
        return LibraryOptions(
            agents_dirs=self._agents_dirs,
            given=self._given_agents,
            bundled=config.bundled_agents,
            agents_dir=config.agents_dir,
            agents_folders=tuple(map(Path, config.agents_folders)),
            disabled_agents=frozenset(config.disabled_agents),
            disabled_sources=frozenset(config.disabled_sources),
            watch=config.watch,
            cache=paths.agents_cache_dir(),
        )

    def load(self) -> AgentIndex:
        """Scan all sources; blocking, tens of milliseconds for 200 agents."""
        return self.reload().index

    def reload(self) -> IndexChange:
        """Scan again; files that did not change are not read."""
        change = self.live.refresh()
        # Not waited for: the next start is quicker by it, this one would be slower.
        threading.Thread(target=self.live.save_cache, name="agents-cache").start()
        return change

    @property
    def index(self) -> AgentIndex:
        """The index as of the last scan."""
        return self.live.snapshot

    @property
    def matcher(self) -> LocalMatcher:
        """The local matcher over the active agents, rebuilt when the index changed.

        It knows what was chosen until now.
        """
        index = self.index
        with self._building:
            if self._matcher is None or self._matcher[0] is not index:
                from secretary_tui.routing.match.matcher import LocalMatcher

                previous = self._matcher[1] if self._matcher else None
                self._matcher = (index, LocalMatcher(index.active, previous))
                if self._sentences is not None and self.config.semantic != "off":
                    self._sentences.start(self._matcher[1])
            self._matcher[1].learn(self._lessons())
            return self._matcher[1]

    def _lessons(self) -> tuple[Lesson, ...]:
        if self._lesson_book is None:
            from secretary_tui.routing.match.lessons import LessonBook

            self._lesson_book = LessonBook(self.project)
        return self._lesson_book.lessons()

    @property
    def sentences(self) -> SentenceIndexer:
        """What gives matchers the meaning of sentences, when the model for it is here."""
        if self._sentences is None:
            from secretary_tui.routing.match.sentence_indexer import SentenceIndexer

            self._sentences = SentenceIndexer()
        return self._sentences

    @property
    def unread_descriptions(self) -> int:
        """How many descriptions are being read for their meaning just now."""
        return self._sentences.unread if self._sentences is not None else 0

    def learn_sentences(
        self, within_s: float | None = None, tell: Callable[[int, int], None] = lambda _, __: None
    ) -> None:
        """Let this and later matchers rank by the meaning of sentences too, where that is here.

        In the background, and each matcher ranks by words until then; with `within_s`, blocking
        for at most about so long: for a program that ranks once. `tell` is told how many
        descriptions are left and were to be read, before that takes its time and while it does.
        """
        if self.config.semantic == "off":
            self.matcher.sentences = None
        elif within_s is None:
            self.sentences.start(self.matcher)
        else:
            matcher = self.matcher  # First: with the indexer there, it would begin by itself.
            self.sentences.build(matcher, within_s, tell)

    @property
    def workflows(self) -> WorkflowMatcher:
        """The matcher over commands and skills, made anew when one of them changed."""
        index = self.index
        with self._building:
            if self._workflows is None or not self._workflows.is_for(index):
                from secretary_tui.routing.recommend.workflows import WorkflowMatcher

                self._workflows = WorkflowMatcher(index, self._workflows)
            return self._workflows

    @property
    def files(self) -> ProjectFiles:
        """The project's files by name, for questions about what is meant."""
        if self._files is None:
            from secretary_tui.delegation.workspace.project_files import ProjectFiles

            self._files = ProjectFiles(self.project)
        return self._files

    def warm_up(self) -> None:
        """Build what the first request would have to wait for; blocking."""
        self.route_local("warm up")
        self.workflows.nearest("warm up")
        self.files.paths()

    def definition(self, reference: str, arguments: str = "") -> AgentSpec:
        """The agent of that id, or for `/id` the command or skill as one, filled with `arguments`.

        Raises:
            AgentNotFoundError: there is none, it is switched off, or its file can't be read.
        """
        if not reference.startswith("/"):
            return self._read_again(self.index.choose(reference))
        from secretary_tui.registry.workflow_agent import find_workflow, workflow_agent

        return workflow_agent(find_workflow(self.index, reference), arguments)

    def callable(self) -> CallableLibrary:
        """The agents and skills that an agent at work may call upon, read again when it does."""
        from secretary_tui.delegation.call_limits import CallableLibrary

        return CallableLibrary(self.index.active, self.index.skills, self._read_again)

    def _read_again(self, spec: AgentSpec) -> AgentSpec:
        from secretary_tui.registry.reread import as_in_its_file

        broken = any(problem.path == spec.path for problem in self.index.problems)
        return as_in_its_file(spec, known_broken=broken)

    # ----------------------------------------------------------------- routing

    def route_local(
        self, request: str, answers: Sequence[Answer] = (), typed: str = ""
    ) -> Recommendation:
        """Rank on this machine alone: milliseconds, no network.

        `typed` is the request without what it refers to.
        """
        from secretary_tui.routing.recommend.recommender import route_local

        matcher = self.matcher
        with self._indexing:  # Whoever comes second waits, and doesn't build the same again.
            _ = matcher.index
        return route_local(
            matcher,
            request,
            self.config,
            answers,
            self.workflows,
            project=self.files,
            typed=typed,
        )

    def route_with(self, draft: AgentSpec, request: str) -> tuple[AgentMatch, ...]:
        """Rank a request as if an agent that isn't written yet were in the library."""
        from secretary_tui.routing.match.matcher import LocalMatcher

        others = [spec for spec in self.index.active if spec.id != draft.id]
        matcher = LocalMatcher((*others, draft), self.matcher)
        if self.matcher.sentences is not None:
            self.sentences.build(matcher, DRAFT_S)
        return matcher.rank(request, limit=10)
