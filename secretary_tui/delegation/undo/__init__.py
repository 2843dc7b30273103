"""What a run changed, and how it is taken back."""
