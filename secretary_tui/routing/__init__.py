"""Which agent fits a request: local ranking first, one model call over the best of it second."""
