"""`python -m secretary_tui` is the console script by another name.

For `-m` Python puts the working folder first on the module path, and the working folder is the
project: its `argparse.py` must not be ours. What Python imports before this file (`runpy`, and a
folder named `secretary_tui`) is out of reach here, so in a project that isn't trusted start
`secretary-tui`, or `python -P -m secretary_tui`.
"""

import sys

if __name__ == "__main__":
    # `pathlib` would be looked for in the project first.
    checkout = __file__.removesuffix("/secretary_tui/__main__.py")
    if not sys.flags.safe_path and sys.path[0] != checkout:
        del sys.path[0]
    from secretary_tui.cli import main

    raise SystemExit(main())
