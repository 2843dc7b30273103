"""Which agents fit a request, how surely, and why."""
