"""`python -m bench [names] [--json] [--quick] [--list]`"""

import sys

from bench.harness.run import main

sys.exit(main(sys.argv[1:]))
