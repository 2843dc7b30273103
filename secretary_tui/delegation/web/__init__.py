"""Pages of the web, fetched in bounds."""
