"""uvicorn's protocols with a place for every connection: see `connections.py`."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from coplay.serve.http.connections import BODY, HEAD, UNREAD, Connections, Place, is_named, refusal


class HttpProtocol(H11Protocol):
    """Requests, until one of them asks for a WebSocket."""

    place: Place | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.places: Connections = self.app_state["connections"]
        address = self.client[0] if self.client else None  # None: of this machine, over a file; it counts itself
        believed = self.config.forwarded_allow_ips
        names = believed if isinstance(believed, str) else ",".join(believed or ())
        proxy = address is None or is_named(address, names)
        self.place = self.places.admit(transport, None if proxy else address)
        if self.place is None:
            transport.write(refusal(503, "there are too many connections; try again later."))
            transport.close()
        self.app_state = {**self.app_state, "place": self.place}

    def data_received(self, data: bytes) -> None:
        if self.place is not None and not self.transport.is_closing():
            super().data_received(data)
            self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        assert self.place is not None
        self.places.enter(self.place, "socket")
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self.place is not None:
            self.places.release(self.place)

    def _look(self) -> None:
        """Where the connection is, and how long it may be there."""
        if self.place is None or self.place.phase == "socket":
            return
        if self.flow.write_paused or self.transport.is_closing():
            self.places.enter(self.place, "unread", UNREAD)
        elif self.conn.their_state is h11.IDLE:
            self.places.enter(self.place, "head", HEAD)
        elif self.conn.their_state is h11.SEND_BODY:
            self.places.enter(self.place, "body", BODY)
        else:
            self.places.enter(self.place, "answer")


class SocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket. Its hello, its pings and its end have clocks of their own."""

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        place: Any = self.app_state["place"]
        self.app_state["connections"].release(place)
