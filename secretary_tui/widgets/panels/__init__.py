"""What the user is asked."""
