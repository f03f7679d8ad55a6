"""The database: a pool, transactions, statements from files, advisory locks, migrations.

PostgreSQL is the only store and the only place where processes meet. Nothing configured: the embedded server
under the data folder (`embedded`). A transaction is short and never spans the network to anybody else.

* `Database` is the pool; `transaction()` for writes, `connection()` for single reads.
* `statements(__name__)` gives a domain the SQL files in its own `sql/` folder.
* `lock` names every advisory-lock keyspace in one place.
* `migrate` brings the schema to the version of the code, once, under a lock.
"""

from dibs.db.lock import Keyspace, advisory_lock, try_advisory_lock
from dibs.db.pool import Connection, Database
from dibs.db.query import Json, execute, fetch_all, fetch_documents, fetch_maybe, fetch_one, fetch_value
from dibs.db.statement import statements

__all__ = [
    "Connection",
    "Database",
    "Json",
    "Keyspace",
    "advisory_lock",
    "execute",
    "fetch_all",
    "fetch_documents",
    "fetch_maybe",
    "fetch_one",
    "fetch_value",
    "statements",
    "try_advisory_lock",
]
