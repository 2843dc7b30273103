"""What the verbs that run an agent share."""
