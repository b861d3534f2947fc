"""`python -m service` is the command `hearts`."""

import sys

from service.cli import main

sys.exit(main())
