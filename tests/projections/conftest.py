"""The real PostgreSQL of the tests."""

from tests.kit.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]
