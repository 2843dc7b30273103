"""One structured question over the Messages API, the same for every engine."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from secretary_tui.engines.base import EngineError, StructuredAnswer
from secretary_tui.engines.faults import engine_error
from secretary_tui.events import Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import Message, TextBlockParam

CACHED_FROM = 4_000
"""Characters of a prefix, some 1,000 tokens, below which the API keeps next to none of them: the
shortest prefix that is cached has 512 to 4,096 tokens, by model."""
_ASK_JSON = "Answer with one JSON object, and nothing else, that follows this schema:"
_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?```\s*\Z", re.S)


async def ask_structured(
    client: AsyncAnthropic,
    *,
    model: str,
    system: str,
    prompt: str,
    schema: Mapping[str, Any] | None,
    max_tokens: int,
    price: Callable[[str, Usage], float | None],
    constant: str = "",
) -> StructuredAnswer:
    """Ask for one JSON object that follows `schema`, in one HTTP round trip.

    `constant` is sent before `prompt`; with `system` it is marked for the API's cache when the two
    are long enough to be kept there. Without a `schema` the instructions must hold
    it: see `in_words`.

    Raises:
        EngineError: a fault, a refusal, or an answer that is no JSON object.
        TimeoutError: never of its own; the caller sets the time-out.
    """
    import anthropic

    wanted: dict[str, Any] = {}
    if schema is not None:
        # The API refuses keywords such as `minimum`; they move into descriptions.
        form = anthropic.transform_schema(dict(schema))
        wanted = {"output_config": {"format": {"type": "json_schema", "schema": form}}}
    try:
        message = await client.messages.create(
            model=model,
            max_tokens=max_tokens,
            system=system,
            messages=[{"role": "user", "content": _content(system, constant, prompt)}],
            **wanted,
        )
    except asyncio.CancelledError:
        raise
    except Exception as error:  # Whatever it is, `explain_fault` has a sentence for it.
        raise engine_error(error) from None
    usage = usage_of(message)
    cost_usd = price(message.model, usage)
    try:
        data = _json_object(message)
    except EngineError as error:  # Paid for all the same.
        error.usage, error.cost_usd = usage, cost_usd
        raise
    return StructuredAnswer(data, usage, message.model, cost_usd)


def in_words(system: str, schema: Mapping[str, Any]) -> str:
    """Give instructions that ask for the schema, for servers that ignore it as a parameter."""
    return f"{system}\n\n{_ASK_JSON}\n{json.dumps(schema)}"


def _content(system: str, constant: str, prompt: str) -> str | list[TextBlockParam]:
    """The user's message: one text, or two with the end of what is cached between them."""
    if not constant:
        return prompt
    first: TextBlockParam = {"type": "text", "text": constant}
    if len(system) + len(constant) >= CACHED_FROM:
        first["cache_control"] = {"type": "ephemeral"}
    return [first, {"type": "text", "text": prompt}]


def usage_of(message: Message) -> Usage:
    """The tokens that a message says it cost."""
    counted = message.usage
    return Usage(
        counted.input_tokens or 0,
        counted.output_tokens or 0,
        counted.cache_read_input_tokens or 0,
        counted.cache_creation_input_tokens or 0,
    )


def _json_object(message: Message) -> dict[str, Any]:
    if message.stop_reason == "refusal":
        raise EngineError("The model declined to answer.", "Rephrase the request.")
    if message.stop_reason == "max_tokens":
        raise EngineError("The model's answer was longer than allowed and was cut off.")
    text = "".join(block.text for block in message.content if block.type == "text")
    fenced = _FENCE.match(text)
    try:
        data = json.loads(fenced[1] if fenced else text)
    except ValueError:
        raise EngineError("The model's answer is no valid JSON.") from None
    except RecursionError:
        raise EngineError("The model's answer is nested too deeply.") from None
    if not isinstance(data, dict):
        raise EngineError("The model's answer is no JSON object.")
    return data
