"""A git worktree of a run's own."""
