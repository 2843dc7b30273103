"""Nothing a confined command does makes the user's own programs run something, or shows secrets."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.delegation.sandbox.hidden import hidden_folders
from secretary_tui.delegation.sandbox.sandbox import Confinement, confined, sandbox_status
from secretary_tui.delegation.tools.bash import run_bash
from secretary_tui.delegation.workspace.workspace import Workspace
from tests.waiting import until_it_holds

KIND, SENTENCE = sandbox_status()
pytestmark = pytest.mark.skipif(KIND != "bubblewrap", reason=f"no sandbox here: {SENTENCE}")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *words: str) -> str:
    """Run git as the user would, on the host."""
    done = subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def exists(path: Path) -> bool:
    return os.path.lexists(path)


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A file that appears when the host runs what a command planted; outside the workspace."""
    return tmp_path / "sprung"


def evil(trap: Path) -> str:
    return f'[core]\\n\\tbare = false\\n\\tfsmonitor = "touch {trap}; false"\\n'


@needs_git
async def test_git_s_folder_can_t_be_replaced(workspace: Path, trap: Path) -> None:
    git(workspace, "init", "-q")
    before = (workspace / ".git" / "config").read_text()
    result = await run_bash(
        "mv .git g2 && mkdir .git && cp -a g2/. .git/; rm -rf .git; "
        f"printf '{evil(trap)}' >> .git/config; echo ../evil > .git/commondir; "
        f"printf '{evil(trap)}' > .git/config.worktree; echo x > .git/info/attributes",
        workspace,
    )
    git(workspace, "status")
    assert not exists(trap)
    assert (workspace / ".git" / "config").read_text() == before
    assert not (workspace / ".git" / "commondir").exists()
    assert "Read-only file system" in result.output or "busy" in result.output


@needs_git
async def test_git_looks_but_does_not_commit_and_says_why(workspace: Path) -> None:
    git(workspace, "init", "-q")
    (workspace / "a").write_text("x")
    result = await run_bash("git status --short; git add a", workspace)
    assert "?? a" in result.text
    assert "git can look, but not add, commit or switch" in result.text
    assert names(workspace) == [".git", "a"]


@needs_git
async def test_what_only_holds_a_name_is_no_file_of_the_project(workspace: Path) -> None:
    git(workspace, "init", "-q")
    (workspace / ".envrc").write_text("mine")
    status = await run_bash("git status --short", workspace)
    assert "?? .mcp.json" in status.text
    (note,) = status.notes
    assert ".mcp.json" in note
    assert ".envrc" not in note
    assert not (await run_bash("git log; echo x.envrc .mcp.jsonl", workspace)).notes
    assert names(workspace) == [".envrc", ".git"]


@needs_git
async def test_a_project_without_git_gets_none(workspace: Path, trap: Path) -> None:
    await run_bash(
        f"git init -q .; mkdir .git; printf '{evil(trap)}' > .git/config; "
        "rm -rf .git; echo 'gitdir: x' > .git",
        workspace,
    )
    git(workspace, "status")
    assert not exists(trap)
    assert names(workspace) == []


@needs_git
async def test_a_worktree_s_real_git_folder_inside_the_project_is_read_only(
    workspace: Path, trap: Path
) -> None:
    (workspace / "a" / "b").mkdir(parents=True)
    git(workspace, "init", "-q", "--separate-git-dir=a/b/real")
    await run_bash(
        f"printf '{evil(trap)}' >> a/b/real/config; mv a a2; mkdir -p a/b; cp -r a2/b/real a/b/; "
        f"printf '{evil(trap)}' >> a/b/real/config; mv a/b/real a/b/r; mv a/b a/c",
        workspace,
    )
    git(workspace, "status")
    assert not exists(trap)
    assert names(workspace / "a" / "b") == ["real"]


async def test_protected_things_deeper_in_the_project_are_read_only(workspace: Path) -> None:
    sub = workspace / "one" / "two"
    (sub / ".git").mkdir(parents=True)
    (sub / ".claude").mkdir()
    (sub / ".envrc").write_text("old")
    (sub / ".mcp.json").write_text("old")
    await run_bash(
        "cd one/two; echo x > .git/config; echo x > .claude/settings.json; echo x > .envrc; "
        "echo x > .mcp.json; rm .envrc; mv .envrc y; echo fine > ok; cd ../..; "
        "mv one uno; mkdir -p one/two; echo x > one/two/.envrc",
        workspace,
    )
    assert names(workspace) == ["one"]
    assert names(sub) == [".claude", ".envrc", ".git", ".mcp.json", "ok"]
    assert names(sub / ".git") == []
    assert names(sub / ".claude") == []
    assert (sub / ".envrc").read_text() == (sub / ".mcp.json").read_text() == "old"


@needs_git
async def test_new_protected_things_are_moved_aside_and_named(workspace: Path, trap: Path) -> None:
    result = await run_bash(
        "mkdir -p sub/.claude deep/er; echo x > sub/.claude/settings.json; echo x > sub/.envrc; "
        f"ln -s x deep/er/.mcp.json; git init -q sub; printf '{evil(trap)}' >> sub/.git/config; "
        f"git init -q --bare bare; printf '{evil(trap)}' > bare/config",
        workspace,
    )
    for folder in ("sub", "sub/.git.moved-aside", "bare"):
        git(workspace / folder, "status")
    assert not exists(trap)
    assert names(workspace / "sub") == [
        ".claude.moved-aside",
        ".envrc.moved-aside",
        ".git.moved-aside",
    ]
    assert names(workspace / "deep" / "er") == [".mcp.json.moved-aside"]
    assert (workspace / "sub" / ".claude.moved-aside" / "settings.json").read_text() == "x\n"
    for name in ("sub/.claude", "sub/.envrc", "sub/.git", "bare/HEAD", "deep/er/.mcp.json"):
        assert name in result.text
    assert "Moved aside" in result.text
    assert "Moved aside" not in (await run_bash("echo x > sub/y", workspace)).text


async def test_what_a_stopped_command_made_is_moved_aside_too(workspace: Path) -> None:
    command = "mkdir sub; echo x > sub/.envrc; touch begun; sleep 60"
    task = asyncio.create_task(run_bash(command, workspace))
    await until_it_holds((workspace / "begun").exists)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until_it_holds(lambda: names(workspace / "sub") == [".envrc.moved-aside"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root lists every folder")
async def test_a_folder_made_unlistable_hides_nothing(workspace: Path) -> None:
    await run_bash("mkdir sub; echo x > sub/.envrc; chmod 311 sub", workspace)
    assert names(workspace / "sub") == [".envrc.moved-aside"]


async def test_where_a_protected_link_leads_is_read_only(workspace: Path) -> None:
    (workspace / "conf" / "in").mkdir(parents=True)
    (workspace / "conf" / "in" / "settings.json").write_text("old")
    (workspace / "env.rc").write_text("old")
    (workspace / ".claude").symlink_to("conf/in")
    (workspace / ".envrc").symlink_to("env.rc")
    await run_bash(
        "echo x > conf/in/settings.json; echo x > .envrc; echo x > env.rc; "
        "mv conf c2; mkdir -p conf/in; echo x > conf/in/settings.json",
        workspace,
    )
    assert (workspace / "conf" / "in" / "settings.json").read_text() == "old"
    assert (workspace / "env.rc").read_text() == "old"


async def test_a_protected_link_that_was_changed_is_put_back(workspace: Path) -> None:
    (workspace / "conf").mkdir()
    for name, target in ((".claude", "conf"), (".envrc", "hop"), (".mcp.json", "missing")):
        (workspace / name).symlink_to(target)
    (workspace / "hop").symlink_to("env.rc")
    (workspace / "env.rc").write_text("old")
    result = await run_bash(
        "rm .claude; mkdir .claude; echo x > .claude/settings.json; echo evil > e; "
        "ln -sf e hop; echo evil > missing",
        workspace,
    )
    assert (workspace / ".claude").readlink() == Path("conf")
    assert not exists(workspace / ".envrc")
    assert not exists(workspace / ".mcp.json")
    assert (workspace / ".claude.moved-aside" / "settings.json").read_text() == "x\n"
    assert ".claude, .envrc" in result.text
    await run_bash("rm .claude", workspace)
    assert (workspace / ".claude").readlink() == Path("conf")


async def test_two_commands_at_once_share_their_placeholders(workspace: Path) -> None:
    first = Confinement(["true"], workspace)
    second = Confinement(["true"], workspace)
    first.enter()
    second.enter()
    held = [".claude", ".envrc", ".git", ".mcp.json"]
    assert names(workspace) == held
    first.leave()
    assert names(workspace) == held
    result = await run_bash("echo evil > .envrc; echo evil > .mcp.json; rm .envrc", workspace)
    assert result.is_error
    assert names(workspace) == held
    assert (workspace / ".envrc").read_text() == ""
    second.leave()
    assert names(workspace) == []


async def test_what_came_while_another_command_runs_is_not_mounted_but_moved_aside(
    workspace: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    (outside / ".claude").mkdir(parents=True)
    (workspace / "old" / ".claude").mkdir(parents=True)
    first = Confinement(["true"], workspace)
    first.enter()
    # As the first command could: something protected, below a link it can swap at any time.
    (workspace / "new" / ".claude").mkdir(parents=True)
    second = Confinement(["true"], workspace)
    argv = second.enter()
    assert str(workspace / "old" / ".claude") in argv
    assert str(workspace / "new" / ".claude") not in argv
    assert str(workspace / "new") not in argv
    assert "new/.claude" in second.leave()[0]
    assert first.leave() == ()
    assert names(workspace / "new") == [".claude.moved-aside"]
    assert names(workspace) == ["new", "old"]


def test_a_command_stopped_before_it_began_holds_nothing(workspace: Path) -> None:
    walls = Confinement(["true"], workspace)
    assert walls.leave() == ()
    with pytest.raises(OSError, match="stopped before it began"):
        walls.enter()
    assert names(workspace) == []


async def test_a_protected_file_replaced_meanwhile_is_named(workspace: Path) -> None:
    (workspace / ".envrc").write_text("old")
    walls = Confinement(["true"], workspace)
    walls.enter()
    (workspace / "draft").write_text("new")
    (workspace / "draft").replace(workspace / ".envrc")
    assert walls.leave() == (
        "Check this before you use it: .envrc was changed by another program meanwhile.",
    )


async def test_placeholders_of_a_killed_program_go_with_the_next_command_anywhere(
    workspace: Path, tmp_path: Path
) -> None:
    script = (
        "import sys\nfrom pathlib import Path\n"
        "from secretary_tui.delegation.sandbox.sandbox import Confinement\n"
        "Confinement(['true'], Path(sys.argv[1])).enter()\nprint('in', flush=True)\ninput()\n"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script, str(workspace)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"in\n"
    process.kill()
    await process.wait()
    assert ".envrc" in names(workspace)
    (workspace / ".mcp.json").write_text("{}")
    other = tmp_path / "other"
    other.mkdir()
    await run_bash("true", other)
    assert names(workspace) == [".mcp.json"]


async def test_what_the_user_makes_meanwhile_stays(workspace: Path) -> None:
    with confined(["true"], workspace):
        (workspace / ".envrc").unlink()
        (workspace / ".envrc").touch()
        (workspace / ".claude" / "x").touch()
    assert names(workspace) == [".claude", ".envrc"]


@needs_git
def test_a_placeholder_is_no_repository(workspace: Path) -> None:
    git(workspace, "init", "-q")
    sub = workspace / "sub"
    sub.mkdir()
    with confined(["true"], sub):
        assert names(sub) == [".claude", ".envrc", ".git", ".mcp.json"]
        assert paths.repository_root(sub) == workspace
        assert "fatal" not in git(sub, "status")
        git(sub, "init", "-q")
        assert paths.repository_root(sub) == sub


PYTHONS = (os.path.realpath(sys.executable), "/usr/bin/python3", "/usr/local/bin/python3")


async def python_inside(workspace: Path) -> str:
    """A Python that commands can see: this one may lie in a folder that is hidden from them."""
    for python in PYTHONS:
        if (await run_bash(f"{python} -c 'print(1)'", workspace)).text == "1":
            return python
    pytest.skip("no Python is visible inside the sandbox")


async def test_settings_of_the_kernel_can_t_be_opened_for_writing(workspace: Path) -> None:
    # Opened only: nothing is ever written.
    script = (
        "import os\n"
        "def tried(path):\n"
        "    try:\n"
        "        os.close(os.open(path, os.O_WRONLY))\n"
        "    except OSError:\n"
        "        return\n"
        "    print('writable:', path)\n"
        "tried('/proc/sys/kernel/core_pattern')\n"
        "for top in os.listdir('/proc'):\n"
        "    if top.isdigit() or top in ('self', 'thread-self'):\n"
        "        continue\n"
        "    tried(f'/proc/{top}')\n"
        "    for folder, _, files in os.walk(f'/proc/{top}'):\n"
        "        for name in files:\n"
        "            tried(os.path.join(folder, name))\n"
        "print('done')\n"
    )
    (workspace / "try.py").write_text(script)
    result = await run_bash(f"{await python_inside(workspace)} try.py", workspace)
    assert result.text == "done"


SECRETS = (
    *(".ssh/id_rsa", ".aws/credentials", ".config/gcloud/x", ".gnupg/key", ".netrc", ".npmrc"),
    *(".cargo/credentials.toml", ".config/rclone/rclone.conf", ".config/git/credentials"),
    *(".git-credentials", ".vault-token", ".m2/settings.xml", ".gradle/gradle.properties"),
    *(".terraform.d/x", ".docker/config.json", ".kube/config", ".pypirc", ".bash_history"),
    *(".zsh_history", ".python_history", ".config/gh/hosts.yml", ".claude.json", ".docker/bin/x"),
    *(".local/state/secretary-tui/runs/x", ".config/secretary-tui/config.md"),
)


@pytest.fixture
def long_home(monkeypatch: pytest.MonkeyPatch, home: Path) -> Path:
    """A home folder with credentials, a toolchain and two things that no list knows."""
    for name in (*SECRETS, "notes.txt", ".unheard-of/token"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("PRIVATE KEY\n")
    for name in (".cargo/bin", "opt/tool/bin", "opt/tool/share"):
        (home / name).mkdir(parents=True, exist_ok=True)
    for name in (".cargo/bin/mytool", "opt/tool/bin/other"):
        (home / name).write_text("#!/bin/sh\necho it runs\n")
        (home / name).chmod(0o755)
    found = [str(home / "opt/tool/bin"), str(home / ".cargo/bin"), str(home / ".docker/bin")]
    monkeypatch.setenv("PATH", os.pathsep.join((*found, os.environ["PATH"])))
    return home


async def test_the_home_folder_is_out_of_sight_but_toolchains_run(
    workspace: Path, long_home: Path
) -> None:
    project = long_home / "src" / "project"
    project.mkdir(parents=True)
    for place in (workspace, project):
        result = await run_bash(
            "grep -rl PRIVATE ~; mytool && other && echo x > ~/.cache-file && echo y > mine; "
            "touch ~/.cargo/bin/evil",
            place,
        )
        assert "it runs\nit runs\n" in result.output
        assert (place / "mine").exists()
        assert str(long_home) not in result.output.replace(f"{long_home}/.cargo/bin/evil", "")
    assert not (long_home / ".cache-file").exists()
    assert names(long_home / ".cargo" / "bin") == ["mytool"]


async def test_in_the_home_folder_itself_commands_only_read_and_see_no_credentials(
    long_home: Path,
) -> None:
    result = await run_bash("grep -rls PRIVATE . | sort; echo x > .bashrc", long_home)
    assert result.output.split("\n")[:2] == ["./.unheard-of/token", "./notes.txt"]
    assert "Read-only file system" in result.output
    assert "The home folder is read-only for commands" in result.text
    assert not (long_home / ".bashrc").exists()
    assert not (long_home / ".envrc").exists()


async def test_in_a_folder_of_settings_only_credentials_are_masked(long_home: Path) -> None:
    result = await run_bash("grep -rls PRIVATE .; touch mine", long_home / ".config")
    assert result.output == ""
    assert exists(long_home / ".config" / "mine")


@needs_git
async def test_the_repository_around_the_workspace_is_seen_but_not_written(home: Path) -> None:
    repository = home / "repository"
    (repository / "sub").mkdir(parents=True)
    (repository / "shared.txt").write_text("shared")
    git(repository, "init", "-q")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "one")
    git(repository, "worktree", "add", "-q", str(home / "tree"))
    result = await run_bash("git log --format=%s; cat ../shared.txt; echo x > ../y", home / "tree")
    assert result.output.startswith("one\n")
    assert "shared" not in result.output.replace("../shared.txt", "")
    result = await run_bash(
        "git log --format=%s; cat ../shared.txt; echo x > ../y", repository / "sub"
    )
    assert result.output.startswith("one\nshared")
    assert names(repository) == [".git", "shared.txt", "sub"]


@needs_git
async def test_a_forged_pointer_shows_nothing_of_the_home_folder(
    workspace: Path, home: Path
) -> None:
    private = home / "private"
    private.mkdir()
    git(private, "init", "-q")
    (private / ".git" / "secret").write_text("PRIVATE KEY")
    (workspace / ".git").write_text(f"gitdir: {private}/.git\n")
    result = await run_bash(f"cat {private}/.git/secret", workspace)
    assert "PRIVATE KEY" not in result.output


def test_the_home_folder_is_hidden_wherever_it_lies(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = Path(__file__).resolve().parent
    monkeypatch.setenv("HOME", str(elsewhere))
    assert elsewhere in hidden_folders(workspace)
    for system in ("/", "/usr", "/etc", "/var"):
        monkeypatch.setenv("HOME", system)
        assert Path(system) not in hidden_folders(workspace)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root could read them")
async def test_root_sees_no_more_of_etc_than_others(workspace: Path) -> None:
    result = await run_bash("cat /etc/shadow 2> /dev/null; echo end", workspace)
    assert result.text == "end"


async def test_sockets_of_other_programs_can_t_be_reached(
    workspace: Path, tmp_path: Path, home: Path
) -> None:
    python = await python_inside(workspace)
    place = Path("/var/lib") if os.geteuid() == 0 else home
    path = place / f"s-{os.getpid()}.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        try:
            server.listen(1)
            result = await run_bash(
                f'{python} -c "import socket; s = socket.socket(socket.AF_UNIX); '
                f"s.connect('{path}')\"",
                workspace,
            )
        finally:
            path.unlink()
    assert result.is_error
    assert "Error" in result.output


ALIASES = (
    ".claude/x",
    "cfg/x",
    "m.json",
    ".mcp.json",
    ".git/commondir",
    ".git/HEAD",
    ".GIT/x",
    "real/config",
    "sub/.Envrc",
    "sub/HEAD",
    "sub/elsewhere/deep/x",
    "bare/config",
    "sub/cfg2/x",
)


def test_protected_is_also_what_is_reached_by_another_name(workspace: Path) -> None:
    for name in ("cfg", "sub/cfg2", "real", "elsewhere", "bare", "worktree"):
        (workspace / name).mkdir(parents=True)
    (workspace / "bare" / "HEAD").write_text("ref: refs/heads/main\n")
    (workspace / "m.json").write_text("{}")
    (workspace / ".claude").symlink_to("cfg")
    (workspace / ".mcp.json").symlink_to("m.json")
    (workspace / "sub" / ".claude").symlink_to("cfg2")
    (workspace / "sub" / "elsewhere").symlink_to("../elsewhere")
    (workspace / "cfg" / ".envrc").symlink_to("../elsewhere/deep")
    (workspace / ".git").write_text("gitdir: ./worktree\n")
    (workspace / "worktree" / "commondir").write_text("../real\n")
    place = Workspace.at(workspace)
    for name in (*ALIASES, "worktree/index"):
        assert place.is_protected(place.resolve(name)), name
    for name in ("a.py", "sub/b.py", "src/git/x", "elsewhere/x", "claude/.envrc.example"):
        assert not place.is_protected(place.resolve(name)), name
    assert place.is_protected(place.resolve("a.py"), ".claude/../a.py")
