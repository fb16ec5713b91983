"""``python -m mandalier``."""

import sys

from mandalier.cli import main

if __name__ == "__main__":
    sys.exit(main())
