"""One file per widget: it shows values and posts messages, and touches no network and no disk."""
