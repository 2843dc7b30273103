"""What happened: one JSONL file a run is the truth.

`log` writes it while the run goes on, `store` finds and reads it, `conversation` makes what was
said fit to be continued.
"""
