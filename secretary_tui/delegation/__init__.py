"""Run the chosen agent: its prompt, its tools and no others, every risky step asked."""
