"""The validity study: every promised rate against simulation, with exact limits.

A family is a module with two functions:

    settings() -> list of Setting             what is promised, where, and how many repeats test it
    violations(options, repeats) -> counts    how often each promise of a setting is broken in some of its repeats

`python -m benchmarks.validity` runs all of them and writes benchmarks/results/validity_<family>.json, from which
docs/validity.md is made; `--check` fails if a promise is refuted. `make validate` does both.
"""
