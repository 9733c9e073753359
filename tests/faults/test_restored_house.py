"""A whole house: matches are played, the disk flips a bit, the house says so, is restored, and goes on."""

from pathlib import Path

import pytest

from ops.drills.storage import Cut, blocks, damage
from services.settings import Settings
from tests.kit.house import House, shuangkou


@pytest.mark.timeout(240)
def test_a_house_with_a_damaged_disk_is_restored_and_goes_on(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data")
    with House(settings.data, "--no-demo") as house:
        played = house.json("play", "--ruleset", "basic", "--tables", "2", "--hands", "1", "--seed", "1")["tables"]
        assert house.json("verify", "--all")["clean"] is True
        refused = house.run("restore")
        assert (refused.returncode, "stop it first" in refused.stderr) == (1, True)
    block = blocks(settings)[0]
    damage(settings, Cut("flip", block.name, block.stat().st_size // 2, 3, killed=False))
    found = shuangkou("verify", "--all", data=settings.data)
    assert found.returncode == 1
    assert any(f"{table['table']}:" in found.stdout for table in played)
    restored = shuangkou("restore", "--set-aside", data=settings.data)
    assert restored.returncode == 0, restored.stderr
    assert "every event has the number it had" in restored.stdout
    with House(settings.data, "--no-demo") as house:
        assert house.json("verify", "--all")["clean"] is True
        assert {row["table"] for row in house.json("tables")} == {table["table"] for table in played}
        hands = house.json("recall")["hands"]
        assert {hand["status"] for hand in hands} == {"complete"}
        told = house.run("recall", "--receipt", hands[0]["receipt"])
        assert "回放 REPLAY" in told.stdout
        house.json("play", "--ruleset", "basic", "--tables", "1", "--hands", "1", "--seed", "2")
        assert house.json("verify", "--all")["clean"] is True
        assert not any(process["restarts"] for process in house.processes().values()), house.said
