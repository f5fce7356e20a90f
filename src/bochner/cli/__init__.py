"""Command-line interface of bochner."""
