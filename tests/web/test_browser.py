"""The screen in a real browser: type a request, accept the agent, read its answer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.servers.anthropic_server import ScriptedServer, answer, text
from tests.waiting import until_it_holds
from tests.web import chromium
from tests.web.served import Served

REQUEST = "@security-auditor look at the login code"
ANSWER = "The name is pasted into the query. See https://example.com/injection for more."
READY = "security-auditor"


@pytest.fixture
def answering(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A server whose model answers by a script."""
    with ScriptedServer(answer(text(ANSWER))) as model:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "for-the-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
        with Served(project) as server:
            yield server


@pytest.fixture
async def page(tmp_path: Path) -> AsyncIterator[chromium.Page]:
    program = chromium.find()
    if program is None:
        pytest.skip(f"there is no Chromium here (looked for {', '.join(chromium.NAMES)})")
    async with chromium.chromium(program, tmp_path / "profile") as one:
        yield one


async def test_a_request_is_typed_accepted_and_answered_in_a_browser(
    answering: Served, page: chromium.Page
) -> None:
    await page.command("Page.navigate", url=answering.url)
    await page.wait_for(READY)
    await page.type(REQUEST)
    await page.wait_for(REQUEST)
    await page.press("Enter")
    await page.wait_for("Enter accept")
    await page.press_until("Enter", "The name is pasted into the query")

    assert await page.evaluate("location.href") == f"{answering.origin}/"
    assert await page.evaluate("document.cookie") == ""
    own = answering.origin.removeprefix("http:")
    assert [url for url in page.asked_for if own not in url] == []
    assert page.complaints == []
    assert await page.evaluate("document.fonts.check('15px Roboto Mono')")

    await page.click("example.com")
    await page.type("o")
    await page.wait_for("Links on the screen")
    assert page.opened == []  # A click alone opens nothing: the app asks first.
    await page.press_until("Enter", "Open example.com in the browser")
    await page.press("Enter")
    await page.wait_until_opened("https://example.com/injection")


async def test_what_a_browser_has_no_place_for_is_said_and_copies_land_in_its_clipboard(
    served: Served, page: chromium.Page
) -> None:
    await page.command("Page.navigate", url=served.url)
    await page.wait_for(READY)
    await page.press("z", chromium.CONTROL)
    await page.wait_for("A browser tab can't be suspended")
    await page.press("g", chromium.CONTROL)
    await page.wait_for("editor can't be opened in a browser")
    await page.type("and the box still takes keys")
    await page.wait_for("still takes keys")

    await page.press("u", chromium.CONTROL)
    rights = ["clipboardReadWrite", "clipboardSanitizedWrite"]
    await page.command("Browser.grantPermissions", origin=served.origin, permissions=rights)
    await page.press("Tab")
    await page.press_until("c", "Copied")
    await page.wait_until(
        "navigator.clipboard.readText().then(text => text.endsWith('/code-critic.md'))"
    )


async def test_an_ended_session_says_so_and_starts_again(
    served: Served, page: chromium.Page
) -> None:
    await page.command("Page.navigate", url=served.url)
    await page.wait_for(READY)
    await page.press("q", chromium.CONTROL)
    await page.wait_until("document.body.classList.contains('-closed')")
    await page.wait_until("document.activeElement.id === 'again'")
    await until_it_holds(lambda: not served.apps())
    await page.press("Enter")
    await until_it_holds(lambda: len(served.apps()) == 1)
    await page.wait_until("document.body.classList.contains('-first-byte')")


async def test_a_text_of_a_foreign_page_is_pasted_and_presses_no_key(
    served: Served, page: chromium.Page, project: Path
) -> None:
    await page.command("Page.navigate", url=served.url)
    await page.wait_for(READY)
    await page.type("please ")
    await page.wait_for("please")
    forged = "look\x1b[201~\x15!touch ran\r"
    await page.evaluate(
        "(() => { const clipboardData = new DataTransfer();"
        f"clipboardData.setData('text/plain', {json.dumps(forged)});"
        "const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true });"
        "document.querySelector('.xterm-helper-textarea').dispatchEvent(paste) })()"
    )
    await page.wait_for(r"please look\[201~!touch ran")
    await page.type(" and more")
    await page.wait_for("and more")
    assert not (project / "ran").exists()
