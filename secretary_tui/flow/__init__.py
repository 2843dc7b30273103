"""From a sent text to a run, for every face: what happens next, whom it asks, and every action.

A face implements `stage.Stage` and gives itself to `dispatch.Dispatch`; nothing here draws.
"""
