"""What a run may do, and what is asked first."""
