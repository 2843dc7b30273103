"""The agents, the tabs, and pages about them."""
