"""How the service is: alive, ready, and in numbers."""

from fastapi import APIRouter, Response

from services.eventstore.errors import StoreError
from services.problems import Problem
from services.tables.service import Running
from services.tables.showing import answer

router = APIRouter(tags=["health"])


@router.get("/healthz", summary="Whether the process is alive")
async def healthz() -> Response:
    """Alive."""
    return answer({"status": "alive"})


@router.get("/readyz", summary="Whether it can do its work")
async def readyz(service: Running) -> Response:
    """Ready when NATS answers, the stream is there, and what others write reaches this process. 503 says what is missing."""
    rooms = service.rooms
    if rooms.fault is not None:
        raise _not_ready(f"The stream is not the log it was: {rooms.fault}")
    try:
        last = await rooms.store.last_sequence()
    except StoreError as error:
        raise _not_ready(f"The event store does not answer: {error}") from None
    if not rooms.following:
        raise _not_ready("The stream is not being followed.")
    if rooms.refused is not None:
        raise _not_ready(
            f"The last write was not taken: {rooms.refused}. If the disk was full, make room and start NATS again."
        )
    return answer({"status": "ready", "last_sequence": last, "rooms": len(rooms)})


@router.get("/metrics", summary="Metrics for Prometheus")
async def metrics(service: Running) -> Response:
    """The metrics of this process."""
    return Response(service.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _not_ready(why: str) -> Problem:
    return Problem(503, "not_ready", why, "服务尚未就绪。", headers={"Retry-After": "2"})
