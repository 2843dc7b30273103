"""What was spent, tokens and money, as one value that adds up; every sum of the product is one.

An unknown price is never zero: a sum that holds one keeps saying so.
"""

from __future__ import annotations

from dataclasses import dataclass

from secretary_tui.events import Usage
from secretary_tui.number_format import dollars

_NO_TOKENS = Usage()


@dataclass(frozen=True, slots=True)
class Spend:
    """Tokens and US dollars of some model answers or runs; nothing by default."""

    usd: float = 0.0
    """US dollars, as far as the prices are known."""
    unpriced: int = 0
    """How many answers or runs have an unknown price, which `usd` doesn't hold."""
    usage: Usage = _NO_TOKENS
    """Tokens by kind."""
    other_tokens: int = 0
    """Tokens that were stored as one number, without their kinds."""

    @classmethod
    def of(
        cls, cost_usd: float | None, usage: Usage = _NO_TOKENS, *, other_tokens: int = 0
    ) -> Spend:
        """What one answer or run took; a cost of None is an unknown price."""
        return cls(cost_usd or 0.0, int(cost_usd is None), usage, other_tokens)

    def __add__(self, other: Spend) -> Spend:
        """Both together."""
        return Spend(
            self.usd + other.usd,
            self.unpriced + other.unpriced,
            self.usage + other.usage,
            self.other_tokens + other.other_tokens,
        )

    @property
    def tokens(self) -> int:
        """All tokens, of any kind."""
        return self.usage.total + self.other_tokens

    @property
    def is_exact(self) -> bool:
        """Whether `usd` is all of it: no price is unknown."""
        return self.unpriced == 0

    @property
    def cost_usd(self) -> float | None:
        """The whole cost in US dollars; None when a part of it is unknown."""
        return self.usd if self.is_exact else None


def said_cost(spend: Spend) -> str:
    """Say the money: `$0.12`; `$0.12 + ?` or `$?` where a price is unknown."""
    if spend.is_exact:
        return dollars(spend.usd)
    return f"{dollars(spend.usd)} + ?" if spend.usd else "$?"


def cost_json(spend: Spend) -> dict[str, object]:
    """The money as `--json` prints it, in dollars to six decimals."""
    return {"usd": round(spend.usd, 6), "unpriced": spend.unpriced}
