"""Which models there are for this machine, how much of them is here, and which one is used."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from secretary_tui import paths
from secretary_tui.config import Config
from secretary_tui.config_file import ConfigError, save
from secretary_tui.engines.base import EngineError
from secretary_tui.engines.local.catalogue import CATALOGUE, SENTENCE_MODELS, ModelWeights
from secretary_tui.engines.local.gguf import GGUFError, check_whole


class ModelState(StrEnum):
    """How much of a model is on this machine."""

    MISSING = "missing"
    PARTIAL = "partial"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """One model of the catalogue, seen from this machine."""

    weights: ModelWeights
    state: ModelState
    path: Path
    """Where the file is, or would be."""
    bytes_here: int
    in_use: bool
    """Whether the local engine loads it, or agents are found with it."""


def list_models() -> tuple[ModelWeights, ...]:
    """Give the models that can be downloaded, the recommended one first."""
    return (*CATALOGUE, *SENTENCE_MODELS)


def find_model(model_id: str) -> ModelWeights:
    """Find a model of the catalogue by its id.

    Raises:
        EngineError: there is none; the message names those there are.
    """
    for weights in list_models():
        if weights.id == model_id.strip().lower():
            return weights
    known = ", ".join(weights.id for weights in list_models())
    raise EngineError(f"There is no model {model_id!r}.", f"Choose one of {known}.")


def model_path(weights: ModelWeights) -> Path:
    """Where a downloaded model lies."""
    return paths.models_dir() / weights.file_name


def is_whole(weights: ModelWeights) -> bool:
    """Whether all of a model is here; it was verified when it came."""
    return _size(model_path(weights)) == weights.size


def partial_path(weights: ModelWeights) -> Path:
    """Where an unfinished download lies; its state is beside it with `.json` appended."""
    return paths.models_dir() / f"{weights.file_name}.part"


def model_status(config: Config) -> tuple[ModelStatus, ...]:
    """Say of each model of the catalogue how much of it is here."""
    used = resolve_local_model(config)
    finder = best_sentence_model() if config.semantic != "off" else None
    found = []
    for weights in list_models():
        path = model_path(weights)
        here, state = _size(path), ModelState.READY
        if here != weights.size:
            here = partial_bytes(weights)
            state = ModelState.PARTIAL if here else ModelState.MISSING
        in_use = weights is finder if weights.finds_agents else used == path
        found.append(ModelStatus(weights, state, path, here, in_use))
    return tuple(found)


def best_sentence_model() -> ModelWeights | None:
    """The best downloaded model that finds agents."""
    return next((one for one in reversed(SENTENCE_MODELS) if is_whole(one)), None)


def partial_bytes(weights: ModelWeights) -> int:
    """Bytes of an unfinished download that are safely on disk; 0 when there is none."""
    archive = weights.archive
    return committed_bytes(weights) + (committed_bytes(archive) if archive else 0)


def committed_bytes(weights: ModelWeights) -> int:
    """The same of its own unfinished file, without a mirror's archive."""
    part = partial_path(weights)
    try:
        state = json.loads(part.with_name(f"{part.name}.json").read_text("utf-8"))
        if state["sha256"] != weights.sha256:
            return 0
        return min(int(state["bytes"]), _size(part), weights.size)
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def named_model(name: str) -> Path:
    """The file that `model use` means: a model of the catalogue by its id, else a path.

    Raises:
        EngineError: the model is not here yet.
    """
    weights = next((one for one in CATALOGUE if one.id == name.strip().lower()), None)
    if weights is None or Path(name).exists():
        return Path(name)
    if not is_whole(weights):
        raise EngineError(
            f"{weights.title} is not on this machine yet.",
            f"Fetch it with `secretary-tui model get {weights.id}`.",
        )
    return model_path(weights)


def use_model(path: Path) -> Path:
    """Let the local engine load this file from now on; gives its absolute path.

    Raises:
        EngineError: it is no GGUF file, or the settings can't be written.
    """
    path = paths.with_home(path).resolve()
    try:
        check_whole(path)
        save(paths.user_config(), {"local_model": str(path)})
    except GGUFError as error:
        raise EngineError(str(error), "Choose a file that ends in .gguf.") from None
    except ConfigError as error:
        raise EngineError(str(error), "Or name the file in SECRETARY_TUI_LOCAL_MODEL.") from None
    return path


def resolve_local_model(config: Config) -> Path | None:
    """Find the file that the local engine loads: the configured one, else a downloaded one.

    None when the configured file is missing, or nothing is configured and nothing downloaded.
    """
    if config.local_model:
        configured = paths.with_home(config.local_model)
        return configured if configured.is_file() else None
    for weights in CATALOGUE:
        path = model_path(weights)
        if _size(path) == weights.size:
            return path
    return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
