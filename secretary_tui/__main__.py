"""`python -m secretary_tui` is the console script by another name."""

from secretary_tui.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
