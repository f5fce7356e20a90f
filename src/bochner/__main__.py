"""`python -m bochner`: the command `bochner`."""

import sys

from bochner.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
