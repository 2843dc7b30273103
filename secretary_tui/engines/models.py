"""Which model an agent's `model` field means, and what its tokens cost."""

from __future__ import annotations

import re

from secretary_tui.config import Config
from secretary_tui.engines.base import ResolvedModel
from secretary_tui.events import Usage
from secretary_tui.sanitize import clean_line
from secretary_tui.settings import DEFAULT_MODEL_ALIASES

_PLAUSIBLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{1,99}")
_VARIANT = re.compile(r"\[[^\]]*\]\Z")
_MAX_HOPS = 5


def resolve_model(wanted: str | None, config: Config, *, only_claude: bool) -> ResolvedModel:
    """Resolve an alias, a full id, `inherit` or None; junk gives the default with a warning.

    `only_claude` accepts no other full ids than Claude's: the Anthropic API serves nothing else.
    A variant suffix such as `[1m]` is dropped with a warning.
    """
    default = _lookup(config.default_model, config, only_claude)
    fallback = default or DEFAULT_MODEL_ALIASES["sonnet"]
    text = clean_line(wanted or "")
    if text.lower() in {"", "inherit", "default"}:
        if default is None:
            shown = clean_line(config.default_model)[:60]
            return ResolvedModel(
                fallback, f"The default model {shown!r} is unknown; {fallback} answers."
            )
        return ResolvedModel(fallback)
    base = _VARIANT.sub("", text)
    model = _lookup(base, config, only_claude)
    if model is None:
        return ResolvedModel(fallback, f"The model {text[:60]!r} is unknown; {fallback} answers.")
    if base != text:
        return ResolvedModel(model, f"{text[:60]!r} runs as {model}, without the variant.")
    return ResolvedModel(model)


def is_plausible(name: str) -> bool:
    """Whether a text could be the id of a model."""
    return _PLAUSIBLE.fullmatch(name) is not None


def price(model: str, usage: Usage, provider: str = "anthropic") -> float | None:
    """The cost of `usage` in US dollars; None for a model without a published price.

    From the price data that ships with `genai-prices`, without the network.
    """
    import genai_prices

    counted = genai_prices.Usage(
        # There cached tokens are a part of the input, here they stand beside it.
        input_tokens=usage.prompt_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
    )
    try:
        return float(genai_prices.calc_price(counted, model, provider_id=provider).total_price)
    except LookupError:
        return None


def _lookup(name: str, config: Config, only_claude: bool) -> str | None:
    name = name.strip()
    for _ in range(_MAX_HOPS):  # An alias may name another alias, by mistake even itself.
        target = config.model_aliases.get(name.lower())
        if target is None or target == name:
            break
        name = target.strip()
    if not _PLAUSIBLE.fullmatch(name) or name.lower() in config.model_aliases:
        return None
    return None if only_claude and not name.startswith("claude-") else name
