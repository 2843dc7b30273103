"""Where a model answers: the Anthropic API, or a local model on this machine."""
