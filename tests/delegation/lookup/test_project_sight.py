"""Only what Read and Grep may see is looked up, and nothing that holds secrets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from secretary_tui.delegation.lookup.looked_up import LookedUp
from secretary_tui.delegation.lookup.lookup import ProjectLookup
from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from tests.delegation.lookup.conftest import commit_all, sight_of, titles, write

Look = Callable[..., ProjectLookup]


async def test_who_may_not_read_sees_nothing(look: Look, project: Path) -> None:
    commit_all(project, "start")
    write(project, "desk/labels.py", "changed = True\n")
    lookup = look(offered=OfferedTools(("Glob", "Grep")))
    for request in ("explain labels.py", "review my change", "what is this project?"):
        assert await lookup.look_up(request, 900) == LookedUp()
    assert lookup.files() == ()
    assert await lookup.change() == ()


async def test_a_folder_that_is_denied_is_not_listed(look: Look) -> None:
    found = await look("Read(desk/**)").look_up("what is this project?", 900)
    assert "desk/" not in found.excerpts[0].text
    assert "web/" in found.excerpts[0].text


@pytest.mark.parametrize("rule", ["Read(desk/**)", "Read(./desk/labels.py)", "Read"])
async def test_what_a_rule_denies_is_not_shown(look: Look, rule: str) -> None:
    lookup = look(rule)
    found = await lookup.look_up("what does labels.py do, and where is MAX_WIDTH set?", 900)
    assert "desk/labels.py" not in " ".join(titles(found))
    assert "parcel.name" not in "\n".join(found.lines())
    assert "desk/labels.py (can't be read here)" in found.left_out
    assert "desk/labels.py" not in lookup.files()
    assert await lookup.file("desk/labels.py", 900) is None


async def test_a_rule_about_searching_holds_for_what_is_found_by_its_words(look: Look) -> None:
    found = await look("Grep(desk/queue.py)").look_up("where is the retry limit set?", 900)
    assert "desk/queue.py" not in titles(found)


async def test_an_agents_own_patterns_hold(look: Look) -> None:
    offered = OfferedTools(("Read",), restrictions={"Read": ("web/**",)})
    found = await look(offered=offered).look_up("compare labels.py with app.ts", 900)
    assert titles(found) == ["web/src/app.ts"]
    assert look(offered=offered).files() == ("web/package.json", "web/src/app.ts")


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        "web/.env.local",
        "server.pem",
        ".npmrc",
        "id_rsa",
        "config/secrets.yaml",
        "credentials.json",
        ".git/config",
        ".claude/settings.json",
        ".mcp.json",
        ".ssh/known",
        ".aws/credentials",
    ],
)
async def test_secrets_are_never_read(look: Look, project: Path, name: str) -> None:
    write(project, name, "token = parcel_secret_value\n")
    lookup = look()
    found = await lookup.look_up(f"what is in {name}? parcel_secret_value", 900)
    assert "token =" not in "\n".join(found.lines())
    assert await lookup.file(name, 900) is None
    assert await lookup.search("parcel_secret_value", 900) is None


async def test_an_example_of_an_environment_file_is_no_secret(look: Look, project: Path) -> None:
    write(project, ".env.example", "PORT=80\n")
    assert titles(await look().look_up("explain .env.example", 900)) == [".env.example"]


async def test_what_git_ignores_is_found_by_its_name_alone(look: Look, project: Path) -> None:
    write(project, ".gitignore", "build/\n")
    write(project, "build/out.js", "retry_limit_of_build = 9\n")
    found = await look().look_up("where is retry limit of build set?", 900)
    assert "build/out.js" not in titles(found)
    assert titles(await look().look_up("explain build/out.js", 900)) == ["build/out.js"]


async def test_a_link_leads_nowhere_it_may_not(look: Look, project: Path, tmp_path: Path) -> None:
    write(tmp_path, "outside.txt", "secret_outside = 1\n")
    (project / "link.txt").symlink_to(tmp_path / "outside.txt")
    (project / "folder").symlink_to(tmp_path)
    (project / "inner.txt").symlink_to(project / "desk" / "labels.py")
    lookup = look("Read(desk/labels.py)")
    found = await lookup.look_up(
        "show link.txt, folder/outside.txt, inner.txt and ../outside.txt, secret_outside", 900
    )
    assert found.excerpts == ()
    assert sight_of(project).holding({"secret_outside"}) == {}
    assert await lookup.search("secret_outside", 900) is None


async def test_terminal_sequences_are_taken_out(look: Look, project: Path) -> None:
    write(project, "odd.py", "x = '\x1b]0;title\x07\x1b[31m\u202e'\r\ny = 1\n")
    found = await look().look_up("what is in odd.py", 900)
    assert found.excerpts[0].text == "x = ''\ny = 1"


async def test_a_folder_that_can_not_be_read_is_no_fault(look: Look, project: Path) -> None:
    (project / "web").chmod(0)
    try:
        found = await look().look_up("explain app.ts and queue.py, and the retry limit", 900)
    finally:
        (project / "web").chmod(0o755)
    assert "desk/queue.py" in titles(found)
