"""宁夏双扣, the trump game: bidding, the kitty, parts, following, tricks and results. Clauses `T…` are those of docs/rules/trumps.md."""
