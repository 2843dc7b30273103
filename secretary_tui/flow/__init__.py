"""From a sent text to a run, for every face: what happens next, whom it asks, and every action.

A face implements `frontend.Frontend` and gives itself to a `TabController`; nothing here draws.
"""
