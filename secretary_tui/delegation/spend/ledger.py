"""What a run has used so far, tokens and money, told as it is counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple

from secretary_tui.delegation.spend.budget import Budget, BudgetStoreError, Reservation
from secretary_tui.engines.base import Engine
from secretary_tui.events import Notice, RunEvent, Usage, UsageAdded
from secretary_tui.spend import Spend

SEARCH_PRICE_USD = 0.01
"""One search of the server's, as published for the API: 10 US dollars a thousand."""

_MOST_TOKENS = 10**9
"""More in one answer is no count: no context is nearly that long."""
_FRAME_TOKENS = 4
"""What stands around a text of a prompt: quotes, commas, the marks between messages."""
_MEDIA_TOKENS = 5_000
"""More than an image has of any size, which services scale down."""
_MEDIA_BYTES_PER_TOKEN = 8
"""Of base64; a document of text and pictures has fewer tokens."""


def is_counted(usage: Usage) -> bool:
    """Whether all counts of a server are plausible: whole numbers, neither negative nor absurd."""
    return all(type(count) is int and 0 <= count <= _MOST_TOKENS for count in astuple(usage))


def most_tokens(content: object) -> int:
    """How many tokens a part of a prompt in API form has at most: none is shorter than a byte.

    An image or a document counts by its own rule, since the model doesn't read its base64.
    """
    match content:
        case {"type": "base64", "data": str(data)}:
            return max(_MEDIA_TOKENS, len(data) // _MEDIA_BYTES_PER_TOKEN)
        case Mapping():
            return sum(map(most_tokens, (*content, *content.values())))
        case list() | tuple():
            return sum(map(most_tokens, content))
        case _:
            return len(str(content).encode("utf-8", "surrogatepass")) + _FRAME_TOKENS


class Ledger:
    """Adds up what the answers of one run cost, and takes it from the budget."""

    def __init__(
        self, engine: Engine, model: str, budget: Budget, emit: Callable[[RunEvent], None]
    ) -> None:
        self._engine = engine
        self._model = model
        self._budget = budget
        self._emit = emit
        self._reserved: Reservation | None = None
        """What is set aside for the answer that is asked for."""
        self._most_tokens = 0
        """Of its prompt."""
        self._known = (0, 0)
        """`most_tokens` of the last prompt, and how many a server counted."""
        self.spent = Spend()
        """By all answers so far, those of the runs that this one started among them."""

    @property
    def usage(self) -> Usage:
        """All tokens so far."""
        return self.spent.usage

    @property
    def cost_usd(self) -> float | None:
        """All costs so far; None as soon as one of them is unknown."""
        return self.spent.cost_usd

    @property
    def counted(self) -> int:
        """Tokens that count against a budget; what comes from the cache is nearly free."""
        usage = self.usage
        return usage.input_tokens + usage.output_tokens + usage.cache_write_tokens

    def reserve(self, prompt: Callable[[], object], max_tokens: int) -> None:
        """Set aside what the next answer can cost at most; `add` settles it.

        `prompt` gives all that is sent, in API form. What the last prompt held was counted by the
        server; what came to it since counts as `most_tokens`. What a search of the server's own
        adds isn't known before: the answer's count has it.

        Raises:
            BudgetSpentError: less is left of a budget that processes share.
            BudgetStoreError: that budget can't be read or written.
        """
        if not self._budget.is_shared:
            return
        self._most_tokens = most_tokens(prompt())
        before, counted = self._known
        grown = self._most_tokens >= before
        tokens = self._most_tokens - before + counted if grown else self._most_tokens
        self._reserved = self._budget.reserve(self._highest_price(tokens, max_tokens))

    def add(self, usage: Usage, *, whole: bool = False) -> None:
        """Count one answer, or the part of one that came; warn when that is much by now.

        `whole`: it came to its end, so a server that counted nothing doesn't count.
        """
        is_known = whole and is_counted(usage) and usage.prompt_tokens > 0
        self._known = (self._most_tokens, usage.prompt_tokens) if is_known else (0, 0)
        if usage != Usage() or whole:
            self._count(usage)
        elif self._reserved is not None:
            self._pay(0.0)
        if warning := self._budget.warning():
            self._emit(Notice(warning, "warning"))

    def take_over(self, paid: UsageAdded) -> None:
        """Count an answer that another run, started by this one, took from the budget already."""
        self.spent += Spend.of(paid.cost_usd, paid.usage)
        self._emit(paid)

    def _count(self, usage: Usage) -> None:
        if not is_counted(usage):
            # What it cost is not known, and what was spent before must not shrink.
            usage, cost = Usage(), None
        else:
            cost = self._price(usage)
        self._pay(cost)
        self.take_over(UsageAdded(usage, cost))

    def _highest_price(self, prompt_tokens: int, max_tokens: int) -> float | None:
        """Of one answer, whether its prompt is written to the cache or not."""
        ways = (Usage(input_tokens=prompt_tokens), Usage(cache_write_tokens=prompt_tokens))
        answer = Usage(output_tokens=max_tokens)
        costs = [self._engine.price(self._model, prompt + answer) for prompt in ways]
        return max((cost for cost in costs if cost is not None), default=None)

    def _price(self, usage: Usage) -> float | None:
        if usage == Usage() and self._engine.price(self._model, Usage(1)) != 0:
            return None
        cost = self._engine.price(self._model, usage)
        return None if cost is None else cost + usage.web_searches * SEARCH_PRICE_USD

    def _pay(self, cost_usd: float | None) -> None:
        reserved, self._reserved = self._reserved, None
        try:
            self._budget.pay(cost_usd, reserved)
        except BudgetStoreError as error:
            # The answer is here: nothing more is asked for until the budget can be written.
            self._emit(Notice(f"{error} {error.suggestion}", "warning"))
