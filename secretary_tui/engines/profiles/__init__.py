"""Engines that the settings describe: other services that speak the same protocol."""
