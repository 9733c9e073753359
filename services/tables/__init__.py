"""The table service: takes commands, records what they make happen, and shows each caller what the caller may see."""
