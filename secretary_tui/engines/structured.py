"""One structured question over the Messages API, the same for every engine."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from secretary_tui.engines.base import Engine, EngineError, StructuredAnswer
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
    engine: Engine,
    *,
    system: str,
    prompt: str,
    schema: Mapping[str, Any],
    constant: str = "",
    model: str | None = None,
    max_tokens: int = 1500,
    timeout_s: float = 5.0,
) -> StructuredAnswer:
    """Ask for one JSON object that follows `schema`, in one HTTP round trip.

    `constant` is sent before `prompt` and is the same from call to call: with `system` it is marked
    for the API's cache when the two are long enough to be kept there. `model` is an alias or an id,
    as in an agent's `model` field.

    Raises:
        EngineError: time-out, fault, refusal, or an answer that is no JSON object.
    """
    form = engine.structured_output
    instructions = _with_schema(system, schema) if form.schema_in_prompt else system
    question = {"role": "user", "content": _content(instructions, constant, prompt)}
    try:
        async with asyncio.timeout(timeout_s):
            await engine.prepare()
            client = await engine.client()
            message = await _create(
                client,
                model=engine.resolve_model(model).id,
                max_tokens=min(max_tokens, engine.max_tokens),
                system=instructions,
                messages=[question],
                **({} if form.schema_in_prompt else {"output_config": _output_config(schema)}),
            )
    except TimeoutError:
        sentence = f"{form.speaker} did not answer within {timeout_s:g} s."
        raise EngineError(sentence, form.slow_hint) from None
    usage = usage_of(message)
    cost_usd = engine.price(message.model, usage)
    try:
        data = _json_object(message)
    except EngineError as error:  # Paid for all the same.
        error.usage, error.cost_usd = usage, cost_usd
        raise
    return StructuredAnswer(data, usage, message.model, cost_usd)


async def _create(client: AsyncAnthropic, **request: Any) -> Message:
    try:
        message: Message = await client.messages.create(**request)
    except Exception as error:  # Whatever it is, `explain_fault` has a sentence for it.
        raise engine_error(error) from None
    return message


def _output_config(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    import anthropic

    # The API refuses keywords such as `minimum`; they move into descriptions.
    form = anthropic.transform_schema(dict(schema))
    return {"format": {"type": "json_schema", "schema": form}}


def _with_schema(system: str, schema: Mapping[str, Any]) -> str:
    """Instructions that ask for the schema, for servers that ignore it as a parameter."""
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
        raise EngineError("The model's answer is not valid JSON.") from None
    except RecursionError:
        raise EngineError("The model's answer is nested too deeply.") from None
    if not isinstance(data, dict):
        raise EngineError("The model's answer is not a JSON object.")
    return data
