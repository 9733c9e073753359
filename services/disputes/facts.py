"""What the desk is told of a table: facts from its record, and what each hand gave to accounts, just as the ledger posts it."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from domain.dispute import TableFacts, facts_of
from projections.amounts import decimal
from projections.postings import Given, Terms, add_contribution, postings, terms_of
from schemas.envelope import Recorded, read_line
from schemas.events import ContributionScored, HandScored, TableOpened
from schemas.trumps import HandEscaped, HandSettled

POSTED = (ContributionScored, HandScored, HandSettled, HandEscaped)
"""The events by which a hand gives something to accounts."""
Gave = dict[tuple[str, str], Decimal]
"""What accounts got, by account and unit."""


def table_facts(lines: Sequence[bytes]) -> TableFacts:
    """The facts of a table from its lines, first to last. Raises ProjectionFault when a score is not what its ruleset says."""
    recorded = [read_line(line) for line in lines]
    return facts_of(recorded, given_by_hand(recorded))


def given_by_hand(recorded: Iterable[Recorded]) -> dict[int, Gave]:
    """What each hand gave to whom."""
    terms: Terms | None = None
    given: dict[int, Given] = {}
    gave: dict[int, Gave] = {}
    for each in recorded:
        event = each.event
        if isinstance(event, TableOpened):
            terms = terms_of(event)
        elif isinstance(event, POSTED) and terms is not None:
            contributions = given.setdefault(event.hand, {})
            hand = gave.setdefault(event.hand, {})
            for posting in postings(each, terms, contributions):
                for account, amount in posting.amounts.items():
                    key = (account, posting.unit)
                    hand[key] = hand.get(key, Decimal(0)) + decimal(amount)
            if isinstance(event, ContributionScored):
                add_contribution(contributions, event)
    return gave
