"""`bochner demo`: fit of 100,000 synthetic rows beside exact kernel ridge."""

from __future__ import annotations

import click

__all__ = ["demo"]


@click.command(short_help="Fit 100,000 rows whose truth is known.")
def demo() -> None:
    """Fit 100,000 rows whose truth is known, and compare with exact kernel ridge.

    \b
    Example:
      bochner demo
    """
    from bochner.cli.demonstration import main

    main()


if __name__ == "__main__":
    demo(standalone_mode=False)
