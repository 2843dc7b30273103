"""From a ranking to an offer: what is recommended, and what is asked first."""
