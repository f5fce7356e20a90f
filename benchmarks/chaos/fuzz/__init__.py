"""Fuzzing with coverage: the archive reader, the table layer and the checkpoint reader, by atheris (libFuzzer)."""
