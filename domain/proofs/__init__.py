"""Proofs: keys and signatures, receipts, the checkpoint log, and what makes a match file a signed one. All of it is pure."""
