"""What a confined command doesn't see: home folders, credentials, sockets of other programs.

The home folder is replaced by an empty one in memory; what builds need comes back read-only.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from secretary_tui import paths
from secretary_tui.delegation.workspace.protected import git_targets, looks_like_git
from secretary_tui.sanitize import clean_line

_SYSTEM_FOLDERS = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/opt", "/proc", "/sbin")
_SYSTEM_TREES = ("/sys", "/usr", "/var")
_EMPTIED = ("/run", "/tmp", "/var/tmp", "/home", "/root")  # noqa: S108 (hidden, not written to)
_TOOLCHAINS = (
    *(".cargo/bin", ".cargo/registry", ".cargo/git", ".rustup", ".pyenv", ".nvm", ".rbenv"),
    *(".local/bin", ".local/lib", ".local/share/uv/python", ".local/share/uv/tools"),
    *(".local/share/pipx", ".local/share/mise", ".local/share/fnm", ".local/share/pnpm"),
    *("go/bin", "go/pkg", ".bun/bin", ".deno/bin", ".volta/bin", ".volta/tools", ".asdf"),
    *(".sdkman/candidates", ".m2/repository", ".m2/wrapper", ".gradle/wrapper", ".gem/ruby"),
    *(".nuget/packages", ".dotnet", ".ghcup", ".juliaup", ".npm-global", ".config/git/ignore"),
)
_TOOLCHAIN_VARIABLES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "JAVA_HOME", "GOROOT"), (".",)),
    **dict.fromkeys(("RUSTUP_HOME", "NVM_DIR"), (".",)),
    "GOPATH": ("bin", "pkg"),
    "CARGO_HOME": ("bin", "registry", "git"),
}
_PREFIX_PARTS = ("bin", "sbin", "lib", "lib64", "libexec", "include", "pyvenv.cfg")
"""What is taken of the folder around a `bin` on the PATH: no `share`, which may hold keyrings."""
SECRETS = (
    *(".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".claude", ".claude.json"),
    *(".netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".git-credentials"),
    *(".gitconfig", ".vault-token", ".terraform.d", ".terraformrc", ".boto", ".s3cfg"),
    *(".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties"),
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".composer"),
    *(".nuget/NuGet", ".local/share/uv/credentials", ".local/share/keyrings", ".local/state"),
    *(".config", ".config/gh", ".config/gcloud", ".config/rclone", ".config/git/credentials"),
    *(".config/op", ".config/google-chrome", ".config/chromium", ".config/doctl"),
    *(".password-store", ".mozilla", ".thunderbird", ".oci", ".databrickscfg"),
    *(".bash_history", ".zsh_history", ".zsh_sessions", ".python_history", ".node_repl_history"),
    *(".psql_history", ".mysql_history", ".sqlite_history", ".rediscli_history", ".lesshst"),
    *(".local/share/fish", ".viminfo", ".wget-hsts", ".env", ".anthropic", ".codex", ".gemini"),
)
"""Masked where the home folder, or a part of it, is seen after all: as the workspace."""
_ROOT_ONLY_TREES = ("/etc",)
_ROOT_ONLY_PARENTS = ("/var/lib", "/var/log", "/var/spool", "/var/backups", "/opt", "/srv")


def hidden_folders(workspace: Path) -> list[Path]:
    """Give the folders that are seen empty: homes, and where programs keep their sockets."""
    home = home_folder()
    folders = {Path(os.path.realpath(name)) for name in _EMPTIED}
    if _can_be_emptied(home):
        folders.add(home)
    # What lies in the workspace is masked by `masked_secrets`; what holds it comes back with it.
    return sorted(path for path in folders if path.is_dir() and path != workspace)


def home_folder() -> Path:
    """The home folder, as it really is."""
    return Path(os.path.realpath(Path.home()))


def shown_again(
    workspace: Path, hidden: Iterable[Path], environ: Mapping[str, str] = os.environ
) -> list[Path]:
    """Give what lies in hidden folders and comes back read-only, outer places first.

    That is toolchains, and the repository around the workspace.
    """
    home = home_folder()
    places = [home / name for name in _TOOLCHAINS]
    places += repository_around(workspace, home)
    for name, parts in _TOOLCHAIN_VARIABLES.items():
        if value := environ.get(name, ""):
            places += [Path(value) / part for part in parts]
    for entry in environ.get("PATH", "").split(os.pathsep):
        path = Path(entry)
        if path.is_absolute():
            places.append(path)
            if path.name in ("bin", "sbin") and path.parent != home:
                places += [path.parent / part for part in _PREFIX_PARTS]
    hidden = list(hidden)
    secrets = {home / name for name in SECRETS if name != ".config"}
    found = {Path(os.path.normpath(path)) for path in places if path.is_absolute()}
    needed = {
        path
        for path in found
        if any(folder in path.parents for folder in hidden)
        and not path.is_relative_to(workspace)
        and not home.is_relative_to(os.path.realpath(path))
        and path.exists()
        and secrets.isdisjoint((path, *path.parents))
    }
    return sorted(path for path in needed if needed.isdisjoint(path.parents))


def masked_secrets(workspace: Path, shown: Iterable[Path], hidden: Iterable[Path]) -> list[Path]:
    """Give the credentials that are seen although the home folder is hidden."""
    home = home_folder()
    places = [home / name for name in SECRETS]
    places += [paths.config_dir(), paths.state_dir(), paths.data_dir(), paths.cache_dir()]
    if os.geteuid() == 0:
        places += _for_root_only()
    shown, hidden = [workspace, *shown], list(hidden)
    found = {Path(os.path.realpath(path)) for path in places if os.path.lexists(path)}
    seen = {
        path
        for path in found
        if path.exists()
        and not workspace.is_relative_to(path)
        and (
            any(path.is_relative_to(folder) for folder in shown)
            or not any(path.is_relative_to(folder) for folder in hidden)
        )
    }
    return sorted(path for path in seen if seen.isdisjoint(path.parents))


def masked_sockets(hidden: Iterable[Path], seen: Iterable[Path]) -> list[Path]:
    """Give the sockets that programs listen on and that can be seen (Docker, databases).

    `seen` are the places in what is `hidden` that can be seen after all, the workspace among them.
    """
    try:
        lines = Path("/proc/net/unix").read_text("utf-8", "surrogateescape").splitlines()[1:]
    except OSError:
        return []
    hidden, seen = list(hidden), list(seen)
    found = {Path(line.split(maxsplit=7)[7]) for line in lines if line.count(" /") == 1}
    return sorted(
        path
        for path in found
        if (
            any(path.is_relative_to(place) for place in seen)
            or not any(path.is_relative_to(folder) for folder in hidden)
        )
        and path.resolve() == path
        and path.is_socket()
    )


def _can_be_emptied(home: Path) -> bool:
    """Whether the home folder is a folder of its own, not the system's."""
    return (
        home != Path("/")
        and not any(Path(name).is_relative_to(home) for name in (*_SYSTEM_FOLDERS, *_SYSTEM_TREES))
        and not home.is_relative_to("/usr")
    )


def _for_root_only() -> Iterator[Path]:
    """Give what root may read and others may not: the walls don't make us another user."""
    folders = list(_ROOT_ONLY_TREES)
    while folders:
        for entry in _entries(folders.pop()):
            if _is_closed(entry):
                yield Path(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
    for parent in _ROOT_ONLY_PARENTS:
        yield from (Path(entry.path) for entry in _entries(parent) if _is_closed(entry))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as scanned:
            return list(scanned)
    except OSError:
        return []


def _is_closed(entry: os.DirEntry[str]) -> bool:
    try:
        mode = entry.stat(follow_symlinks=False).st_mode
    except OSError:
        return False
    if stat.S_ISDIR(mode):
        return not mode & stat.S_IXOTH
    return stat.S_ISREG(mode) and not mode & stat.S_IROTH


def out_of_sight(program: str, said: str) -> str:
    """Say why a program wasn't there behind the walls; empty when it was.

    `said` is what stood on the error output: bubblewrap names a program that it doesn't find.
    """
    if "bwrap: execvp" not in said or "No such file" not in said:
        return ""
    found = shutil.which(program)
    if found is None:
        return f"There is no program {clean_line(program)!r}."
    return f"{clean_line(found)!r}, or what it runs on, lies where the walls hide it."


def repository_around(workspace: Path, home: Path) -> Iterator[Path]:
    """Give the repository's root and git's folders, as far as they really belong to it.

    A workspace may be a folder deep in a repository, a linked worktree or a submodule; git and
    builds then need what lies around it.
    """
    root = paths.repository_root(workspace)
    # In a repository that holds the home folder, the rest of it is no one's business.
    if home.is_relative_to(root):
        return
    yield root
    git = root / ".git"
    for folder in git_targets(git):
        if _is_git_folder(folder) and not home.is_relative_to(folder) and _belongs_to(folder, git):
            yield folder


def has_own_history(root: Path) -> bool:
    """Whether what stands at `root/.git` is of this repository, and doesn't send git to another."""
    git = root / ".git"
    return git.resolve().is_relative_to(root) and all(
        folder.is_relative_to(root) or _belongs_to(folder, git) for folder in git_targets(git)
    )


def _is_git_folder(folder: Path) -> bool:
    try:
        return looks_like_git({path.name for path in folder.iterdir()})
    except OSError:
        return False


def _belongs_to(folder: Path, git: Path) -> bool:
    """Whether git's folder knows of this `.git`: anyone can write `gitdir: ~/secret` in a file.

    A worktree's folder names the worktree's `.git`, the common folder holds that folder, and a
    submodule's lies in the `.git` of the project around it.
    """
    if any(folder.is_relative_to(parent / ".git") for parent in git.parent.parents):
        return True
    own = [folder, *folder.glob("worktrees/*")]
    return any(_points_to(place / "gitdir", git) for place in own)


def _points_to(pointer: Path, git: Path) -> bool:
    try:
        return pointer.is_file() and Path(pointer.read_text("utf-8").strip()).resolve() == git
    except (OSError, ValueError):
        return False
