"""How the transcript streams beside Textual's own widgets, in a real pseudo-terminal.

    python -m benchmarks.transcript [--seconds 8] [--variants ours,richlog,blocks,toad,markdown]
        [--quick]

Each variant runs in a child process on a 120x40 terminal, loads a session (200 kB), then receives
4-character chunks at 400 characters a second while a key is pressed every 97 ms. Printed: the delay
from key press to handler (ms), the share of a core, that share over the share on an empty session,
terminal bytes per streamed character (those of the echoed keys among them), resident memory.
Then 1 MB offered at once: characters a second until all is rendered, keys answered, their delay,
what it costs of a core, and how much memory it leaves behind.

Read with care: ours shows a session before all of it is rendered (`load s`), and the two RichLog
variants show finished lines or blocks only, without a live tail. On a machine that does other work,
run it as root under `chrt -r 5`, or compare only what one run printed.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import gc
import json
import os
import pty
import resource
import select
import struct
import sys
import tempfile
import termios
import time
from functools import partial
from pathlib import Path

from rich.markdown import Markdown as RichMarkdown
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Input, Markdown, RichLog

from benchmarks.quick import add_quick
from secretary_tui import paths
from secretary_tui.terminal.painter import LeanDisplay
from secretary_tui.widgets.themes import ThemedApp
from secretary_tui.widgets.transcript.transcript import Transcript
from secretary_tui.widgets.transcript.transcript_blocks import AnswerBlock

PARAGRAPH = """\
## A heading for part {n}

The **quick** brown fox `jumps()` over the lazy dog, and then [some link](https://example.org/{n})
goes on about its *business* of being a fox, which is not a small business in these parts.

- item one of {n}
- item two with `code` and some more words to fill the line and to wrap it on small screens

```python
def part_{n}(values: list[int]) -> int:
    return sum(value * {n} for value in values if value)  # a comment
```

"""
KEY_EVERY_S = 0.097
CHUNK = 4
RATE = 400
POUR_S = 30
VARIANTS = {
    "ours": "our transcript",
    "richlog": "RichLog, plain lines",
    "blocks": "RichLog, rendered blocks",
    "toad": "a Markdown an answer, pruned",
    "markdown": "Textual MarkdownStream",
}
ANSWER = 4096
"""Characters of an answer, where each has a widget of its own."""
PRUNE_AT = 2500
"""Lines from which on the oldest answers are removed."""


def sample(size: int) -> str:
    parts = [PARAGRAPH.format(n=number) for number in range(size // (len(PARAGRAPH) - 20) + 1)]
    return "".join(parts)[:size]


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else float("nan")


class Feeder:
    """Puts text into one kind of widget; the base is our transcript."""

    def widget(self) -> Widget:
        self.transcript = Transcript()
        return self.transcript

    async def load(self, text: str) -> None:
        self.transcript.add(AnswerBlock(text))
        self.transcript.flush()

    async def feed(self, text: str) -> None:
        self.transcript.append_text(text)

    async def drain(self) -> None:
        # The others render all they take in, so the clock runs on until every part has been.
        while self.transcript.content.backlog or not self.transcript.content.index.settled:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        self.check()

    def check(self) -> None:
        source = self.transcript.excerpts.block()
        if source != sample(len(source)) or not source:
            raise SystemExit("text was lost")


class LogFeeder(Feeder):
    """Writes finished lines (or finished blocks, rendered) to a RichLog, 20 times a second."""

    def __init__(self, *, rendered: bool) -> None:
        self.rendered = rendered
        self.open, self.last = "", 0.0

    def widget(self) -> Widget:
        self.log = RichLog(wrap=True)
        return self.log

    async def load(self, text: str) -> None:
        await self.feed(text)

    async def feed(self, text: str) -> None:
        self.open += text
        if time.monotonic() - self.last >= 0.05:
            await self.drain()

    async def drain(self) -> None:
        self.last = time.monotonic()
        done, _, self.open = self.open.rpartition("\n\n" if self.rendered else "\n")
        if done:
            self.log.write(RichMarkdown(done) if self.rendered else done, expand=True)


class StreamFeeder(Feeder):
    """Textual's own way: a Markdown widget and its stream."""

    def widget(self) -> Widget:
        self.markdown = Markdown()
        self.scroll = VerticalScroll(self.markdown)
        return self.scroll

    async def load(self, text: str) -> None:
        await self.markdown.update(text)
        self.scroll.anchor()
        self.stream = Markdown.get_stream(self.markdown)

    async def feed(self, text: str) -> None:
        await self.stream.write(text)

    async def drain(self) -> None:
        await self.stream.stop()


class AnswersFeeder(StreamFeeder):
    """As toad has it: a streaming Markdown widget an answer, and the oldest are pruned."""

    def widget(self) -> Widget:
        self.scroll = VerticalScroll()
        self.scroll.styles.layout = "stream"
        self.taken = ANSWER
        return self.scroll

    async def load(self, text: str) -> None:
        self.scroll.anchor()
        for at in range(0, len(text), ANSWER):
            await self.scroll.mount(Markdown(text[at : at + ANSWER]))
            await asyncio.sleep(0.01)  # Until it has a height.
            await self.prune()

    async def feed(self, text: str) -> None:
        if self.taken >= ANSWER:
            if len(self.scroll.children) and hasattr(self, "stream"):
                await self.stream.stop()
            answer = Markdown()
            await self.scroll.mount(answer)
            self.stream = Markdown.get_stream(answer)
            self.taken = 0
            await self.prune()
        self.taken += len(text)
        await self.stream.write(text)

    async def prune(self) -> None:
        height = self.scroll.virtual_size.height
        for answer in self.scroll.children[:-1]:
            if height <= PRUNE_AT:
                break
            height -= answer.outer_size.height
            await answer.remove()


FEEDERS = {
    "ours": Feeder,
    "richlog": partial(LogFeeder, rendered=False),
    "blocks": partial(LogFeeder, rendered=True),
    "toad": AnswersFeeder,
    "markdown": StreamFeeder,
}


class Bench(ThemedApp):
    """One variant and an input, which takes the keys."""

    CSS_PATH = paths.bundled("styles") / "transcript.tcss"

    def __init__(self, variant: str, session: int, seconds: float, flood: int, out: Path) -> None:
        super().__init__()
        self.feeder = FEEDERS[variant]()
        self.session_size, self.seconds, self.flood, self.out = session, seconds, flood, out
        self.clock = out.with_suffix(".clock")
        self.delays: list[float] = []

    def compose(self) -> ComposeResult:
        yield self.feeder.widget()
        yield Input()

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self.run_worker(self.bench())

    def on_input_changed(self) -> None:
        """A key arrived: the parent has noted when it pressed it."""
        self.delays.append((time.monotonic() - float(self.clock.read_text())) * 1000)
        self.clock.unlink()

    async def bench(self) -> None:
        await asyncio.sleep(0.5)
        gc.freeze()  # As the app does: what it consists of is not garbage.
        began = time.monotonic()
        await self.feeder.load(sample(self.session_size))
        loaded = time.monotonic() - began
        await asyncio.sleep(1.5)
        self.out.with_suffix(".go").touch()
        cpu, start, resident = time.process_time(), time.monotonic(), resident_mb()
        chars = await (self.trickle(start) if self.seconds else self.pour(start))
        wall = time.monotonic() - start
        cpu_share = (time.process_time() - cpu) / wall
        grown = resident_mb() - resident
        self.out.with_suffix(".done").touch()
        # A key that still waits belongs to the figures: it is the one that waited longest.
        while self.clock.exists():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        result = {
            "load_s": loaded,
            "cpu": cpu_share,
            "wall_s": wall,
            "chars": chars,
            "rss": resident_mb(),
            "grown": grown,
            "delays": self.delays,
        }
        self.out.write_text(json.dumps(result))
        self.exit()

    async def trickle(self, start: float) -> int:
        text = sample(int(self.seconds * RATE))
        for number, at in enumerate(range(0, len(text), CHUNK)):
            await self.feeder.feed(text[at : at + CHUNK])
            await asyncio.sleep(max(start + (number + 1) * CHUNK / RATE - time.monotonic(), 0))
        return len(text)

    async def pour(self, start: float) -> int:
        text = sample(self.flood)
        done = 0
        while done < len(text) and time.monotonic() - start < POUR_S:
            await self.feeder.feed(text[done : done + 256])
            done = min(done + 256, len(text))
            if done % 4096 == 0:
                await asyncio.sleep(0)
        await self.feeder.drain()
        return done


class LeanBench(LeanDisplay, Bench):
    """The same, painted as our app paints; the others are painted by Textual."""


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def measure(variant: str, session: int, seconds: float, flood: int) -> dict[str, float]:
    """Run a child on a pseudo-terminal, press keys, count what it writes."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "result.json"
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
            arguments = ["--child", variant, str(session), str(seconds), str(flood), str(out)]
            os.execv(sys.executable, [sys.executable, "-m", "benchmarks.transcript", *arguments])
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        written, next_key = 0, 0.0
        fresh = out.with_suffix(".fresh")
        clock, go, done = (out.with_suffix(end) for end in (".clock", ".go", ".done"))
        counting = False
        while True:
            ready, _, _ = select.select([terminal], [], [], 0.005)
            if ready:
                try:
                    data = os.read(terminal, 65536)
                except OSError:
                    break
                if not data:
                    break
                written += len(data) if counting else 0
            if not counting and go.exists():
                counting, next_key = True, time.monotonic()
            now = time.monotonic()
            if counting and now >= next_key and not clock.exists() and not done.exists():
                fresh.write_text(str(time.monotonic()))
                fresh.rename(clock)
                os.write(terminal, b"x")
                next_key = max(next_key + KEY_EVERY_S, now)
        os.waitpid(pid, 0)
        if not out.exists():
            raise SystemExit(f"{variant}: the child ended without a result")
        result = json.loads(out.read_text())
    delays = result.pop("delays")
    return {
        **result,
        "keys": len(delays),
        "max": max(delays, default=float("nan")),
        "p50": percentile(delays, 0.5),
        "p99": percentile(delays, 0.99),
        "bytes": written / result["chars"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=8, help="of streaming per variant")
    parser.add_argument("--session", type=int, default=200_000, help="characters loaded before")
    parser.add_argument("--flood", type=int, default=1_000_000, help="characters offered at once")
    parser.add_argument("--variants", default=",".join(VARIANTS))
    add_quick(parser, seconds=2.0, flood=50_000)
    parser.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        variant, session, seconds, flood, out = options.child
        bench = LeanBench if variant == "ours" else Bench
        bench(variant, int(session), float(seconds), int(flood), Path(out)).run()
        return
    names = options.variants.split(",")
    print(
        f"{'streaming at 400/s':26} key p50  p99 ms  CPU %  over empty  bytes/char  RSS MB  load s"
    )
    for name in names:
        empty = measure(name, 0, options.seconds, 0)
        r = measure(name, options.session, options.seconds, 0)
        print(
            f"{VARIANTS[name]:26} {r['p50']:7.1f} {r['p99']:7.1f} {r['cpu'] * 100:6.0f}"
            f" {r['cpu'] / empty['cpu']:11.2f} {r['bytes']:11.0f} {r['rss']:7.0f}"
            f" {r['load_s']:7.2f}",
            flush=True,
        )
    if options.flood:
        print(
            f"\n{'flat out':26} chars/s  absorbed kB  keys  p99 ms  longest  CPU s/100 kB  MB more"
        )
        for name in names:
            r = measure(name, 0, 0, options.flood)
            cost = r["cpu"] * r["wall_s"] / r["chars"] * 100_000
            print(
                f"{VARIANTS[name]:26} {r['chars'] / r['wall_s']:7.0f} {r['chars'] / 1000:12.0f}"
                f" {r['keys']:5.0f} {r['p99']:7.1f} {r['max']:8.1f} {cost:13.2f} {r['grown']:8.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
