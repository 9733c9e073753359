"""The connection: nats-py with what an event store needs on top of it.

nats-py keeps unsent publishes over a reconnect and sends them later, long after the caller was told that they failed; and it spends
most of a read on objects nobody looks at. This link drops what was not sent, fails what was not answered the moment the
connection is lost, and hands raw messages to whoever asked for them.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson
from nats.aio.client import Client
from nats.errors import Error

from services.eventstore.errors import StorageFull, StoreError, TooLarge, Unavailable

log = logging.getLogger(__name__)

Tap = Callable[[bytes, bytes, bytes, bytes], None]
"""Called with subject, reply, data and raw headers of each message (headers are empty when there are none)."""

FULL = frozenset((10023, 10047, 10028, 10077, 10122))
"""Error codes of a server or stream without room: insufficient resources, storage exceeded, store failed."""
SIZE = frozenset((10054, 10097, 10199))
"""Error codes of an event or a batch over the limits."""


class Reply(NamedTuple):
    """An answer: the raw headers and the payload."""

    headers: bytes
    data: bytes


class Lost(Exception):
    """The connection went away, or no answer came: the outcome of what was sent is unknown."""


class ApiError(StoreError):
    """JetStream said no."""

    def __init__(self, error: dict[str, Any]) -> None:
        self.code = error.get("code", 0)
        self.number = error.get("err_code", 0)
        super().__init__(f"JetStream error {self.number}: {error.get('description', error)}")


class _Client(Client):
    """nats-py's client with one method replaced: messages of tapped subscriptions skip its objects and queues."""

    def __init__(self) -> None:
        super().__init__()
        self.taps: dict[int, Tap] = {}

    async def _process_msg(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
        tap = self.taps.get(sid)
        if tap is None:
            await super()._process_msg(sid, subject, reply, data, headers)
        else:
            tap(bytes(subject), bytes(reply), data, headers or b"")

    def drop_unsent(self) -> None:
        """Forget what was not sent yet, so that it cannot be sent after a reconnect."""
        self._pending.clear()
        self._pending_data_size = 0


@dataclass(eq=False)
class Link:
    """One connection to NATS; every request has a deadline. Made by `Link.open`."""

    client: _Client = field(default_factory=_Client)
    drops: set[Callable[[], None]] = field(default_factory=set)
    """Called when the connection is lost."""
    errors: int = 0
    """Errors the client reported by itself (permissions, failed reconnects): count and alarm on it."""
    _waiting: dict[int, tuple[asyncio.Future[Reply], list[Reply] | None]] = field(default_factory=dict)
    _back: asyncio.Event = field(default_factory=asyncio.Event)
    _number: int = 0
    _inbox: str = ""

    @classmethod
    async def open(cls, url: str, within: float, **options: Any) -> "Link":
        """Connect to one of the comma-separated servers of `url`. Raises Unavailable when none answers in time."""
        link = cls()
        connecting = link.client.connect(
            [one.strip() for one in url.split(",")],
            pending_size=-1,
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.1,  # type: ignore[arg-type]  # seconds; nats-py takes fractions
            connect_timeout=2,
            ping_interval=10,
            max_outstanding_pings=2,
            disconnected_cb=link._on_drop,
            reconnected_cb=link._on_back,
            error_cb=link._on_error,
            **options,
        )
        try:
            await asyncio.wait_for(connecting, within)
        except (TimeoutError, OSError, Error) as error:
            await link.close()
            raise Unavailable(f"no answer from {url} in {within:g} s ({link.client.last_error or error})") from None
        link._back.set()
        link._inbox = link.client.new_inbox()
        await link.tap(f"{link._inbox}.*", link._on_reply)
        return link

    async def close(self) -> None:
        """Close the connection; open requests fail."""
        with suppress(Error, OSError):
            await self.client.close()
        self._fail_all()

    @property
    def connected(self) -> bool:
        """Whether there is a connection now."""
        return self.client.is_connected

    async def wait_back(self, within: float) -> bool:
        """Wait until connected (true), at most `within` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(within, 0)):
                await self._back.wait()
        return self.connected

    def inbox(self) -> str:
        """A fresh subject to be answered on."""
        return self.client.new_inbox()

    async def tap(self, subject: str, to: Tap) -> Callable[[], Any]:
        """Give raw messages on `subject` to `to`, over reconnects too. Returns the coroutine function that ends it."""
        subscription = await self.client.subscribe(subject)
        sid = subscription._id  # noqa: SLF001 (nats-py has no public name for it)
        self.client.taps[sid] = to

        async def untap() -> None:
            self.client.taps.pop(sid, None)
            with suppress(Error, OSError):
                await subscription.unsubscribe()

        return untap

    def fit(self, data: bytes, headers: dict[str, str]) -> None:
        """Raise TooLarge when the server would not take the message (it counts headers too, and would cut the connection)."""
        size = len(data) + sum(len(name) + len(value) + 4 for name, value in headers.items()) + 12
        if size > self.client.max_payload:
            raise TooLarge(
                f"an event of {size} bytes with its headers; this server takes {self.client.max_payload}. Nothing was recorded"
            )

    async def publish(self, subject: str, data: bytes, reply: str = "", headers: dict[str, str] | None = None) -> None:
        """Send without waiting for an answer. Raises Unavailable (not sent)."""
        try:
            await self.client.publish(subject, data, reply, headers)
        except (Error, OSError) as error:
            raise Unavailable(f"not connected ({type(error).__name__})") from None

    async def request(
        self,
        subject: str,
        data: bytes,
        within: float,
        headers: dict[str, str] | None = None,
        into: list[Reply] | None = None,
    ) -> Reply:
        """Send and wait for the answer. Raises Unavailable (surely not delivered) or Lost (unknown).

        With `into`, messages are collected there until the one that carries a status, which is returned.
        """
        self._number = number = self._number + 1
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting[number] = (future, into)
        try:
            await self.publish(subject, data, f"{self._inbox}.{number}", headers)
            async with asyncio.timeout(within):
                reply = await future
        except TimeoutError:
            raise Lost(f"no answer in {within:.1f} s") from None
        finally:
            self._waiting.pop(number, None)
        if not reply.data and reply.headers[9:12] == b"503":
            raise Unavailable("nobody serves the stream (starting, stopped, or electing a leader)")
        return reply

    async def api(self, subject: str, body: Any, within: float) -> dict[str, Any]:
        """Call the JetStream API. Raises ApiError, Unavailable or Lost."""
        reply = await self.request(f"$JS.API.{subject}", orjson.dumps(body) if body is not None else b"", within)
        return answer(reply.data)

    def _on_reply(self, subject: bytes, _reply: bytes, data: bytes, headers: bytes) -> None:
        future, into = self._waiting.get(int(subject[subject.rindex(b".") + 1 :]), (None, None))
        if into is not None and headers[8:9] != b" ":
            into.append(Reply(headers, data))
        elif future is not None and not future.done():
            future.set_result(Reply(headers, data))

    async def _on_drop(self) -> None:
        self._back.clear()
        self.client.drop_unsent()
        self._fail_all()

    def _fail_all(self) -> None:
        for future, _ in self._waiting.values():
            if not future.done():
                future.set_exception(Lost("the connection was lost"))
        for drop in tuple(self.drops):
            drop()

    async def _on_back(self) -> None:
        self._back.set()

    async def _on_error(self, error: Exception) -> None:
        self.errors += 1
        log.info("nats: %r", error)
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            # nats-py's loop for reconnecting can lose a cancellation, and would then keep the process from ending for ever
            raise asyncio.CancelledError


def answer(data: bytes) -> dict[str, Any]:
    """Read a JetStream answer; raises its error as StorageFull, TooLarge or ApiError."""
    said: dict[str, Any] = orjson.loads(data)
    error = said.get("error")
    if error is None:
        return said
    number, text = error.get("err_code"), error.get("description", "")
    if number in FULL:
        raise StorageFull(f"the event store has no room left (JetStream error {number}: {text})")
    if number in SIZE:
        raise TooLarge(f"{text} (JetStream error {number}). Nothing was recorded")
    raise ApiError(error)
