"""The parts of a verification that come before the rules: the chain, the frame of a match file, and what others know of the events."""
