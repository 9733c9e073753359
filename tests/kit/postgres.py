"""A real PostgreSQL for tests, started the first time it is asked for, one for each worker of a parallel run.

Import the fixture where it is used, or name this module in a `conftest.py`: `pytest_plugins = ["tests.kit.postgres"]`.
"""

import secrets
from collections.abc import Iterator

import psycopg
import pytest

from ops.bench.postgres import PostgresServer


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One PostgreSQL for the whole run (of this worker)."""
    with PostgresServer() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of an empty database of one's own: postgresql://postgres@127.0.0.1:<port>/<name>."""
    name = f"t{secrets.token_hex(6)}"
    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield postgres_server.url.rpartition("/")[0] + f"/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
