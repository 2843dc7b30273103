"""The registry: definition files in, an index out."""
