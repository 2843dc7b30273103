"""What happened: history, statistics, undo."""
