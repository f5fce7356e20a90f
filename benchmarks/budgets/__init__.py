"""Peak memory of public calls against their budget (docs/memory.md)."""
