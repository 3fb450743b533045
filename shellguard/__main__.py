"""`python -m shellguard`."""

import sys

from shellguard.cli import main

if __name__ == "__main__":
    sys.exit(main())
