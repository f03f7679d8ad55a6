"""Who may do what: tokens with a scope, and the installation's own secrets.

A token is random, shown once and stored only as a hash. Scopes contain each other: `admin` ⊃ `staff` ⊃ `read`.
The first start makes an admin token unless one is configured. A check is remembered for a few seconds, so a
revoked token may work that much longer and a busy client costs no query each time.
"""

from dibs.access.check import Gate
from dibs.access.create import create_token, ensure_admin, revoke_token
from dibs.access.model import SCOPES, Caller, Scope
from dibs.access.secret import signing_key

__all__ = [
    "SCOPES",
    "Caller",
    "Gate",
    "Scope",
    "create_token",
    "ensure_admin",
    "revoke_token",
    "signing_key",
]
