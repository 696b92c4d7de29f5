from __future__ import annotations

from types import TracebackType

import httpx

from ._calls import Service
from ._transport import AsyncTransport, Transport
from .runs import AsyncRuns, Runs
from .templates import AsyncTemplates, Templates
from .uploads import AsyncUploads, Uploads
from .workflows import AsyncWorkflows, Workflows


class Atelier:
    """A client of one service, with one credential: an API key or a session token.

    A call is tried again, up to `retries` times, when the service cannot be reached or is busy. `http` is used
    instead of a new httpx.Client, and not closed.
    """

    def __init__(self, base_url: str, api_key: str, *, retries: int = 4, http: httpx.Client | None = None) -> None:
        self._http, self._owned = http or httpx.Client(), http is None
        transport = Transport(Service(base_url.rstrip("/"), api_key, retries), self._http)
        self.workflows = Workflows(transport)
        self.runs = Runs(transport)
        self.uploads = Uploads(transport)
        self.templates = Templates(transport, self.workflows)

    def close(self) -> None:
        if self._owned:
            self._http.close()

    def __enter__(self) -> Atelier:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class AsyncAtelier:
    """The same with async. `http` is used instead of a new httpx.AsyncClient, and not closed."""

    def __init__(self, base_url: str, api_key: str, *, retries: int = 4, http: httpx.AsyncClient | None = None) -> None:
        self._http, self._owned = http or httpx.AsyncClient(), http is None
        transport = AsyncTransport(Service(base_url.rstrip("/"), api_key, retries), self._http)
        self.workflows = AsyncWorkflows(transport)
        self.runs = AsyncRuns(transport)
        self.uploads = AsyncUploads(transport)
        self.templates = AsyncTemplates(transport, self.workflows)

    async def close(self) -> None:
        if self._owned:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncAtelier:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()
