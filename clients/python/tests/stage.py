"""What the tests stand on: the server that scripts/with-server started, and the two clients."""

from __future__ import annotations

import asyncio
import http.client
import inspect
import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from atelier_client import AsyncAtelier, Atelier

URL = os.environ.get("ATELIER_URL", "")
if not URL:
    raise SystemExit("ATELIER_URL is not set: run the tests with scripts/with-server --upstream")
created = subprocess.run(
    ["atelier", "account", "create", "--json", "--spark", "10000", "--plan", "unlimited"], check=True, capture_output=True
)
API_KEY = json.loads(created.stdout)["apiKey"]


def fox(**more: Any) -> Any:
    """The plan of a small picture."""
    arguments = {"prompt": "a red fox", "width": 256, "height": 256, **more}
    return {"input": {"title": "Fox", "steps": [{"id": "fox", "toolName": "generate_image", "arguments": arguments}]}}


class Waiting:
    """Calls an async client as if it were not: coroutines are awaited, and async generators become generators."""

    def __init__(self, target: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._target, self._loop = target, loop

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        return self._call(value) if callable(value) else Waiting(value, self._loop)

    def _call(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            result = function(*args, **more)
            if inspect.isasyncgen(result):
                return self._iterate(result)
            return self._loop.run_until_complete(result)

        return call

    def _iterate(self, updates: Any) -> Iterator[Any]:
        try:
            while True:
                yield self._loop.run_until_complete(anext(updates))
        except StopAsyncIteration:
            return
        finally:
            self._loop.run_until_complete(updates.aclose())


@contextmanager
def client(kind: str, url: str = URL, key: str = API_KEY, retries: int = 4) -> Iterator[Any]:
    """A client that waits, or one that is async, called in the same way."""
    if kind == "sync":
        with Atelier(url, key, retries=retries) as atelier:
            yield atelier
        return
    loop = asyncio.new_event_loop()
    waiting = Waiting(AsyncAtelier(url, key, retries=retries), loop)
    yield waiting
    waiting.close()
    loop.close()


@contextmanager
def listen(handle: Callable[[BaseHTTPRequestHandler, bytes], None]) -> Iterator[str]:
    """A server that calls handle for each request, with its body. Each answer ends its connection."""

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.close_connection = True
            try:
                handle(self, body)
            except ConnectionError:
                pass  # the client has left

        do_GET = do_POST = handle_any

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def forward(request: BaseHTTPRequestHandler, body: bytes) -> http.client.HTTPResponse:
    """Sends a request that came to a proxy to the server."""
    upstream = http.client.HTTPConnection(urlsplit(URL).netloc)
    upstream.request(request.command, request.path, body, dict(request.headers))
    return upstream.getresponse()


def answer(request: BaseHTTPRequestHandler, response: http.client.HTTPResponse) -> None:
    """Begins the answer of a proxy."""
    request.send_response(response.status)
    for name in ("Content-Type", "Content-Encoding"):
        if name in response.headers:
            request.send_header(name, response.headers[name])
    request.end_headers()
