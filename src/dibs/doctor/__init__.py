"""`dibs doctor`: looks at everything an installation stands on and says what to do about it.

It only looks: nothing is migrated, created or changed (an embedded server that nobody runs is started for the
length of the look). Each check gives findings; a check that cannot be made because another failed is left out.

    configuration → database (reachable · version · extensions · schema · clock) → providers · mail

A finding is `ok`, a `note` (works, but worth knowing) or a `problem` (does not work; exit code 1).
"""

from dibs.doctor.examine import examine
from dibs.doctor.model import Finding

__all__ = ["Finding", "examine"]
