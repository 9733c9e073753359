"""The event store against real servers."""
