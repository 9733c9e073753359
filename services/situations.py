"""A situation as a viewer sees it: `domain.audit` makes it with all cards, `projections.viewing` says which of them may be seen."""

from domain.table import Table
from projections.viewing import view_for
from schemas.situations import Situation
from schemas.views import TrumpsHandView, Viewer


def is_open(found: Situation, before: Table | None, now: Table) -> bool:
    """Whether everybody may see this situation as the table stands `now`: no hand was being played, or it is over."""
    return before is None or not before.playing or now.hands > found.hand or not now.playing


def seen(found: Situation, before: Table | None, viewer: Viewer) -> Situation:
    """The situation without the cards that this viewer did not see at the table as it stood `before`.

    Only for viewers who see every card, or the cards of the seat that acts: what that seat could have done is left in.
    """
    if before is None or not before.playing:
        return found
    view = view_for(before, viewer)
    trumps = found.trumps
    if trumps is not None and isinstance(view.hand, TrumpsHandView):
        trumps = trumps.model_copy(update={"kitty": view.hand.kitty})
    return found.model_copy(update={"holdings": tuple(seat.holding for seat in view.seats), "trumps": trumps})
