"""Why the embedded server cannot be used, each with what to do about it."""

from __future__ import annotations

from dibs.errors import CannotStart


class EmbeddedFailed(CannotStart):
    """PostgreSQL was started and did not come up, or did not answer."""

    title = "The embedded PostgreSQL does not start"
    default_code = "embedded_failed"


class FolderNotWritable(CannotStart):
    """The data folder cannot be made or written by this user."""

    title = "The data folder is not writable"
    default_code = "data_dir_not_writable"


class OtherMajorVersion(CannotStart):
    """The data folder was made by another major version of PostgreSQL."""

    title = "The data folder belongs to another PostgreSQL"
    default_code = "data_dir_other_version"


class NoServerAccount(CannotStart):
    """Root may not run PostgreSQL, and nobody else can run it here."""

    title = "No user can run the embedded PostgreSQL"
    default_code = "no_server_account"
