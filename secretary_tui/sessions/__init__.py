"""What happened: one JSONL file a run is the truth."""
