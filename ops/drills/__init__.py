"""Drills: what the service must survive, done to it on purpose. `python -m ops.drills.projections` and so on."""
