"""What tokens cost, from the price data that ships with `genai-prices` (no network)."""

from __future__ import annotations

from secretary_tui.events import Usage


def price(model: str, usage: Usage, provider: str = "anthropic") -> float | None:
    """The cost of `usage` in US dollars; None for a model without a published price."""
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
