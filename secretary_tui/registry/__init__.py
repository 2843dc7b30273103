"""Which agents exist: parse, find, index and watch definition files."""
