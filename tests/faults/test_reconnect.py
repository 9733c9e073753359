"""A short form of the reconnect drill; `python -m ops.drills.reconnect` cuts 200 clients 20 times each."""

from ops.drills.reconnect import Plan, drill


async def test_clients_that_are_cut_off_miss_nothing() -> None:
    report = await drill(Plan(clients=90, cuts=10, hands=1, seed=7, pace=0.01))
    assert report.connections >= 90 * 11
