"""The embedded model asked by completions, for real: grammars, progress, prompts kept on disk."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest
import pytest_asyncio

from secretary_tui import paths
from secretary_tui.config import Config
from secretary_tui.delegation.small.edit_blocks import code_grammar, edit_grammar, read_block
from secretary_tui.delegation.small.needs import Need, NeedOf, need_grammar, read_need
from secretary_tui.engines.base import EngineError
from secretary_tui.engines.local import local_engine
from secretary_tui.engines.local.completions import Completion, CompletionEnd
from secretary_tui.engines.local.local_engine import LocalEngine
from secretary_tui.engines.local.local_process import LocalProcess
from secretary_tui.engines.prompt_reading import ReadingProgress
from tests.servers.gbnf import Grammar

SYSTEM = "You are a patient gardener who answers in short sentences. " * 12
_ENDLESS = re.compile(r"(\[\^?(?:[^\]\\]|\\.)+\])[*+]")
"""What a model of this size would go on with until it is cut off."""
LINES = ["def mean(items):", r'    found = re.match(r"\bsum\b", "x")', "    return sum(items)", "}"]

pytestmark = [pytest.mark.model, pytest.mark.asyncio(loop_scope="module")]


@dataclass
class Answer:
    """One answer, and what was heard on its way."""

    pieces: list[str] = field(default_factory=list)
    readings: list[ReadingProgress] = field(default_factory=list)
    ends: list[CompletionEnd] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def end(self) -> CompletionEnd:
        (end,) = self.ends
        return end


async def ask(
    engine: LocalEngine, words: str, most: int = 12, grammar: str = "", system: str = SYSTEM
) -> Answer:
    answer = Answer()
    asked = Completion(system, ({"role": "user", "content": words},), most, grammar)
    async with (
        asyncio.timeout(120),
        aclosing(engine.complete(asked, answer.readings.append)) as got,
    ):
        async for piece in got:
            if isinstance(piece, CompletionEnd):
                answer.ends.append(piece)
            else:
                answer.pieces.append(piece)
    return answer


@pytest.fixture(scope="module", autouse=True)
def quiet() -> Iterator[None]:
    """The machine is as busy as ever: what other tests do doesn't count."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_engine, "writing_threads", lambda now=0: 1)
        yield


@pytest.fixture(scope="module")
def config(smollm2: Path) -> Config:
    return Config(local_model=str(smollm2))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(config: Config) -> AsyncIterator[LocalEngine]:
    made = LocalEngine(config)
    yield made
    await made.aclose()


def kept() -> list[Path]:
    """The prompts that are kept on disk."""
    return sorted((paths.cache_dir() / "prompts").iterdir())


async def test_an_answer_comes_in_pieces_and_tells_what_it_took(engine: LocalEngine) -> None:
    answer = await ask(engine, "Say hello.")
    assert len(answer.pieces) > 1
    assert answer.end.usage.output_tokens >= len(answer.pieces) - 1
    assert answer.end.usage.input_tokens > 0
    assert answer.readings
    last = answer.readings[-1]
    assert last.tokens == last.total


async def test_an_answer_that_is_cut_off_is_known_to_be(engine: LocalEngine) -> None:
    assert not (await ask(engine, "Tell a long story.", most=2)).end.is_whole
    assert (await ask(engine, "Yes?", grammar='root ::= "yes"')).end.is_whole


@pytest.mark.parametrize(
    "grammar",
    [
        'root ::= "yes" | "no" [.!]?',
        edit_grammar(LINES),
        code_grammar("guide.md"),
        need_grammar(["app.py", 'odd"name.md']),
        need_grammar(["app.py"], must=True),
    ],
    ids=["words", "edit", "code", "need", "must"],
)
async def test_an_answer_obeys_the_grammar(engine: LocalEngine, grammar: str) -> None:
    short = _ENDLESS.sub(r"\1{1,4}", grammar).replace("rline*", "rline").replace("120", "2")
    answer = await ask(engine, "Do it.", most=120, grammar=short)
    assert answer.end.is_whole
    assert Grammar(short).allows(answer.text)
    assert Grammar(grammar).allows(answer.text)


@pytest.mark.parametrize("line", LINES[:3])
async def test_every_sign_of_a_line_is_spelled_in_the_grammar(
    engine: LocalEngine, line: str
) -> None:
    grammar = _ENDLESS.sub(r"\1", edit_grammar([line])).replace("rline*", "")
    block = read_block((await ask(engine, "Do it.", most=120, grammar=grammar)).text)
    assert block is not None
    assert block.old == f"{line}\n"


async def test_a_need_that_must_be_is_read(engine: LocalEngine) -> None:
    grammar = 'root ::= "NEED FILE " ("app.py")'
    assert read_need((await ask(engine, "x", 30, grammar)).text) == Need(NeedOf.FILE, "app.py")


async def test_a_grammar_that_is_none_is_refused_in_a_sentence(engine: LocalEngine) -> None:
    with pytest.raises(EngineError, match=r"The local model refused this: .*grammar"):
        await ask(engine, "Do it.", grammar="root ::= (")


async def test_a_prompt_that_is_too_long_is_refused_in_a_sentence(engine: LocalEngine) -> None:
    with pytest.raises(EngineError, match="context size"):
        await ask(engine, "word " * 9000)


async def test_one_answer_is_written_at_a_time(engine: LocalEngine) -> None:
    answers = await asyncio.gather(ask(engine, "One."), ask(engine, "Two."))
    assert all(answer.ends for answer in answers)


async def test_closing_an_answer_stops_the_model(engine: LocalEngine) -> None:
    asked = Completion(SYSTEM, ({"role": "user", "content": "Tell a long story."},), 2000)
    async with asyncio.timeout(120):
        async with aclosing(engine.complete(asked, lambda _: None)) as pieces:
            async for _ in pieces:
                break
        assert (await ask(engine, "Yes?", grammar='root ::= "yes"')).text == "yes"


async def test_a_prompt_once_read_is_kept_on_disk_for_the_next_start(config: Config) -> None:
    usages = []
    for _ in range(2):
        engine = LocalEngine(config)
        usages.append((await ask(engine, "Say hello.")).end.usage)
        await engine.aclose()
    (file,) = kept()
    assert file.suffix == ".state"
    assert usages[1].cache_read_tokens > len(SYSTEM.split())
    assert usages[1].input_tokens < 40


async def test_what_is_read_ahead_is_known_when_it_is_asked(engine: LocalEngine) -> None:
    await engine.warm_up(SYSTEM)
    usage = (await ask(engine, "Say hello.")).end.usage
    assert usage.cache_read_tokens > len(SYSTEM.split())
    assert usage.input_tokens < 40


async def test_a_damaged_file_is_read_anew_and_mended(config: Config) -> None:
    engine = LocalEngine(config)
    await engine.warm_up(SYSTEM)
    await engine.aclose()
    (file,) = kept()
    whole = file.read_bytes()
    file.write_bytes(b"damaged")
    engine = LocalEngine(config)
    assert (await ask(engine, "Say hello.")).text
    await engine.aclose()
    assert kept() == [file]
    assert len(file.read_bytes()) == len(whole)


async def test_the_threads_change_between_two_answers_and_the_prompt_stays_known(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []
    start = LocalProcess.start

    async def note(model: Path, alias: str, *, threads: int, prompts: Path) -> LocalProcess:
        started.append(threads)
        return await start(model, alias, threads=threads, prompts=prompts)

    monkeypatch.setattr(LocalProcess, "start", note)
    engine = LocalEngine(config)
    await ask(engine, "Say hello.")
    monkeypatch.setattr(local_engine, "writing_threads", lambda now=0: 2)
    usage = (await ask(engine, "Say hello.")).end.usage
    await ask(engine, "Say hello again.")
    await engine.aclose()
    assert started == [1, 2]
    assert usage.input_tokens < 40


async def test_a_connection_that_broke_is_an_error_and_the_next_answer_comes(
    engine: LocalEngine,
) -> None:
    asked = Completion(SYSTEM, ({"role": "user", "content": "Tell a long story."},), 2000)
    process = (await engine._running()).process._process
    with pytest.raises((httpx2.HTTPError, ValueError)):
        async with aclosing(engine.complete(asked, lambda _: None)) as pieces:
            async for _ in pieces:
                if process.returncode is None:
                    process.kill()
    await process.wait()
    assert (await ask(engine, "Yes?", grammar='root ::= "yes"')).text == "yes"
