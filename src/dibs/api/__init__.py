"""The HTTP face: thin routes over the domains; no SQL and no rules.

Every route names its scope (`needs`), every error is problem+json (`problem`), bodies and times are limited
(`limits`). Answers are msgspec structs, encoded once; their schemas are in OpenAPI.
"""

from dibs.api.build import build_api

__all__ = ["build_api"]
