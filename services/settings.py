"""Where a process finds its data, its NATS server and its database.

Everything can be set by an environment variable that starts with `SHUANGKOU_`; command-line options win over it. Secrets live in files of
mode 0600 in the data folder and never in the environment of a process one can look at from outside.
"""

import hashlib
import hmac
import json
import os
import secrets
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, Field
from pydantic_settings import BaseSettings, SettingsConfigDict

STREAM: Final = "SK"
"""The JetStream stream of all tables."""
SUBJECTS: Final = "sk.table"
"""Prefix of the subjects, one a table."""
PUBLIC_STREAM: Final = "SK_PUBLIC"
"""The JetStream stream of what spectators see."""
PUBLIC_SUBJECTS: Final = "sk.public"
"""Prefix of its subjects, one a table."""


class Settings(BaseSettings):
    """What a process needs to know; `data` is the folder that holds everything of one installation.

    A hand may be disputed for `dispute_days` after it ended, and is to be ruled on within `ruling_days` of that.
    `nats` is where the record is, `nats_public` the same server as the user who writes the public stream (default: as `nats`).
    `archive` is the folder or `s3://bucket/prefix` of the second copy, `recall_years` how long hands are kept for recall at least.
    Every `checkpoint_seconds` the heads of tables are put on record. `name` is what signatures are made under, best a URL without
    `https://`; it counts when the first key is made, and never changes.
    """

    model_config = SettingsConfigDict(env_prefix="SHUANGKOU_", extra="ignore")
    data: Path = Path("data")
    nats: str | None = None
    nats_public: str | None = None
    db: str | None = None
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    url: str | None = None
    token: str | None = None
    log: str = Field(default="info", pattern="(?i)^(debug|info|warn|warning|error|critical)$")
    dispute_days: int = Field(default=7, ge=0, le=3650)
    ruling_days: int = Field(default=7, ge=1, le=3650)
    archive: str | None = None
    recall_years: int = Field(default=10, ge=1, le=100)
    checkpoint_seconds: float = Field(default=60, ge=1, le=86_400)
    name: str | None = Field(default=None, pattern=r"^[!-*,-~]{1,120}$")

    def database(self, projection: str) -> str:
        """The SQLAlchemy URL of a projection's views: the given database, else a SQLite file of its own in the data folder."""
        if self.db:
            return self.db.replace("postgresql://", "postgresql+psycopg://", 1)
        return f"sqlite:///{self.data / 'views' / projection}.sqlite"

    @property
    def vault(self) -> str:
        """Where the archive is: what was said, else a folder in the data folder."""
        return self.archive or str(self.data / "archive")


class Secrets(BaseModel):
    """Keys of one installation. `deal_key` seeds the hands, `token_key` signs tokens; NATS takes `nats_user` and `nats_password`."""

    deal_key: str
    token_key: str
    nats_user: str = "shuangkou"
    nats_password: str

    def password_of(self, user: str) -> str:
        """The password of another user of NATS; it follows from that of the services, which cannot be told from it."""
        return hmac.new(self.nats_password.encode(), user.encode(), hashlib.sha256).hexdigest()[:32]


def keep_private() -> None:
    """Let nobody but the owner read what this process writes: views hold the cards of hands that are being played."""
    os.umask(0o077)


def load_secrets(data: Path) -> Secrets:
    """The secrets in the data folder, made on first use."""
    path = data / "secrets.json"
    if not path.exists():
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = Secrets(
            deal_key=secrets.token_hex(32), token_key=secrets.token_hex(32), nats_password=secrets.token_hex(16)
        )
        write_private(path, fresh.model_dump())
    return Secrets.model_validate_json(path.read_bytes())


def write_private(path: Path, value: dict[str, Any]) -> None:
    """Write JSON that only the owner can read; whole or not at all, and on disk when this returns."""
    part = path.with_suffix(".part")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(value, file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
