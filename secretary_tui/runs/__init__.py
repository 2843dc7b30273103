"""One run from order to end, for every face and every process."""
