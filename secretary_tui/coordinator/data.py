"""Structured data that messages refer to (seed 001), checked when it comes back from disk.

Scores go from 0 to 10. The origin's weights sum to 1.20, so they are normalised here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError, computed_field

_Score = Annotated[float, Field(ge=0, le=10)]

WEIGHTS: Mapping[str, float] = {
    "maturity": 0.15,
    "activity": 0.25,
    "documentation": 0.20,
    "community": 0.15,
    "ease_of_use": 0.15,
    "maintenance": 0.10,
    "relevance": 0.20,
}
"""How much each dimension counts, before normalising."""


class Repository(BaseModel):
    """A repository as a search knows it; all but the name may be unknown."""

    full_name: str
    name: str = ""
    owner: str = ""
    description: str = ""
    stars: int = 0
    forks: int = 0
    language: str | None = None
    topics: list[str] = []
    created_at: str = ""
    updated_at: str = ""
    pushed_at: str = ""
    has_readme: bool = False
    is_archived: bool = False
    is_fork: bool = False
    license: str | None = None
    open_issues_count: int = 0
    default_branch: str = ""
    html_url: str = ""


class DimensionScores(BaseModel):
    """Seven scores from 0 to 10, and their weighted mean."""

    maturity: _Score
    activity: _Score
    documentation: _Score
    community: _Score
    ease_of_use: _Score
    maintenance: _Score
    relevance: _Score

    @computed_field  # type: ignore[prop-decorator]
    @property
    def overall(self) -> float:
        """The weighted mean, 0–10."""
        total = sum(WEIGHTS.values())
        weighted = [float(getattr(self, name)) * weight for name, weight in WEIGHTS.items()]
        return sum(weighted) / total


class ScoredRepository(Repository):
    """A repository with what speaks for it."""

    scores: DimensionScores | None = None
    reasoning: str = ""


class RepositoryDetail(ScoredRepository):
    """A repository that was looked at closely."""

    analysis: str = ""
    findings: list[str] = []
    recommendations: list[str] = []
    readme_content: str = ""
    recent_commits: list[str] = []
    open_issues: list[str] = []


class ComparisonRow(BaseModel):
    """One side of a comparison."""

    repo: Repository
    highlights: list[str] = []
    warnings: list[str] = []
    assessment: str = ""


class RepoList(BaseModel):
    """What a search found."""

    type: Literal["repo_list"] = "repo_list"
    items: list[ScoredRepository]
    total_candidates: int | None = None
    search_mode: Literal["focused", "balanced", "exploratory"] | None = None


class RepoDetail(BaseModel):
    """What an analysis says."""

    type: Literal["repo_detail"] = "repo_detail"
    repo: RepositoryDetail
    analysis: str = ""


class Comparison(BaseModel):
    """What a comparison says."""

    type: Literal["comparison"] = "comparison"
    items: list[ComparisonRow]
    winner: str | None = None
    summary: str = ""


class Clarification(BaseModel):
    """A question and the answers it offers."""

    type: Literal["clarification"] = "clarification"
    question: str
    options: list[str] = []
    context: str | None = None


StructuredData = Annotated[
    RepoList | RepoDetail | Comparison | Clarification, Field(discriminator="type")
]
"""What a message can carry besides its text."""

_ADAPTER: TypeAdapter[StructuredData] = TypeAdapter(StructuredData)


def read_data(data: object) -> StructuredData | None:
    """Check data in JSON form; None for none, or for anything else."""
    try:
        return _ADAPTER.validate_python(data)
    except ValidationError:
        return None


def named_items(data: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The names that "the second one" can mean, in their order."""
    match read_data(data):
        case RepoList(items=items):
            return tuple(item.full_name for item in items)
        case RepoDetail(repo=repo):
            return (repo.full_name,)
        case Comparison(items=rows):
            return tuple(row.repo.full_name for row in rows)
        case Clarification(options=options):
            return tuple(options)
    return ()
