"""The whole house on PostgreSQL instead of SQLite: one database for all views."""

from pathlib import Path

import psycopg

from tests.kit.house import House
from tests.kit.postgres import postgres_server, postgres_url  # noqa: F401


def test_up_with_a_database_url_keeps_all_views_there(tmp_path: Path, postgres_url: str) -> None:  # noqa: F811
    with House(tmp_path / "data", "--no-demo", "--db", postgres_url) as house:
        played = house.json("play", "--ruleset", "qianbian", "--tables", "1", "--hands", "1")["tables"]
        assert [row["version"] for row in house.json("tables")] == [played[0]["events"]]
        balances = {row["account"]: row["balance"] for row in house.json("ledger")["balances"]}
        assert {f"player:{player}": score for player, score in played[0]["scores"].items()}.items() <= balances.items()
        rebuilt = house.run("project", "ledger", "--rebuild", "--once", "--db", postgres_url)
        assert rebuilt.returncode == 0, rebuilt.stderr
        assert {row["account"]: row["balance"] for row in house.json("ledger")["balances"]} == balances
    with psycopg.connect(postgres_url) as connection:
        (events,) = connection.execute("SELECT count(*) FROM audit_events").fetchone() or (0,)
    assert events == played[0]["events"]
    assert not list((tmp_path / "data").glob("views/*.sqlite"))
