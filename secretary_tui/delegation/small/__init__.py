"""Running an agent on the embedded model: fed with what it needs, asked one thing at a time."""
