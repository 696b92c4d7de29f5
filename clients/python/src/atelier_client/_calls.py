"""What the clients have in common: calls, errors, retries and the reading of logs, without any input or output."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import httpx

T = TypeVar("T")

# A read of a stream that brings nothing for this long, not even a heartbeat, is a broken connection.
STREAM_TIMEOUT = httpx.Timeout(30, read=90)
CALL_TIMEOUT = httpx.Timeout(30, read=120, write=120)

RETRIED = (429, 502, 503, 504)


class AtelierError(Exception):
    """An error answer of the service."""

    def __init__(
        self, status: int, message: str, code: int, details: Mapping[str, Any], retry_after: float, request_id: str | None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code  # as in docs/errors.md; 0 when a proxy has answered
        self.details = details
        self.retry_after = retry_after  # seconds
        self.request_id = request_id  # to quote in a report

    @property
    def field(self) -> str | None:
        """The field of the request that is wrong, such as input.steps[0].arguments.prompt."""
        name = self.details.get("field")
        return name if isinstance(name, str) else None


@dataclass(frozen=True)
class Call:
    """One request, to a path of the service or, with a file, to a signed address."""

    method: str
    url: str
    query: Mapping[str, str | int | None] = field(default_factory=dict)
    body: Any = None
    key: str | None = None
    form: Mapping[str, str] | None = None
    file: tuple[str, Any, str] | None = None


# A flow yields calls, gets the data of their answers, and returns its result.
Flow = Generator[Call, Any, T]


@dataclass(frozen=True)
class Service:
    """The service to call, and with which credential."""

    base_url: str
    api_key: str
    retries: int

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.api_key}"}

    def request(self, call: Call) -> dict[str, Any]:
        """The arguments of httpx for a call."""
        if call.file is not None:
            return {"method": call.method, "url": call.url, "data": call.form, "files": {"file": call.file}, "timeout": CALL_TIMEOUT}
        headers = self.headers()
        if call.key:
            headers["Idempotency-Key"] = call.key
        query = {name: value for name, value in call.query.items() if value is not None}
        request = {"method": call.method, "url": self.base_url + call.url, "params": query, "headers": headers, "timeout": CALL_TIMEOUT}
        return request if call.body is None else {**request, "json": call.body}

    def pause(self, error: Exception, failures: int) -> float:
        """How many seconds to wait before the next try. It raises the error when there is no point in one."""
        answer = error if isinstance(error, AtelierError) else None
        if failures >= self.retries or (answer and answer.status not in RETRIED):
            raise error
        grown: float = 0.25 * 2**failures * (1 + random.random())  # clients that failed together do not return together
        return max(grown, answer.retry_after if answer else 0)


def read_answer(answer: httpx.Response) -> Any:
    """The data of an answer."""
    if not answer.is_success:
        raise refusal(answer)
    return answer.json()["data"] if answer.content else None


def refusal(answer: httpx.Response) -> AtelierError:
    """The error of an answer that has been read."""
    try:
        body = answer.json()
    except ValueError:
        body = {}  # a proxy has answered
    if not isinstance(body, dict):
        body = {}
    try:
        retry_after = float(answer.headers.get("Retry-After", 0))
    except ValueError:
        retry_after = 0
    return AtelierError(
        answer.status_code,
        body.get("message") or f"the service answered {answer.status_code}",
        body.get("errorCode", 0),
        body.get("details") or {},
        retry_after,
        answer.headers.get("X-Request-Id"),
    )


@dataclass
class Frame:
    """One server-sent event."""

    id: str = ""
    event: str = ""
    data: str = ""


@dataclass(frozen=True)
class Update(Generic[T]):
    """What is read from a stream: an event of the log has a sequence; after the last one nothing follows."""

    value: T
    sequence: int | None = None
    last: bool = False


class Log(Generic[T]):
    """A log of events that is read from one connection after another, each event once."""

    def __init__(self, read: Callable[[Frame], Update[T] | None], after: int) -> None:
        self.ended = False
        self._read = read
        self._after = after
        self._rest: list[bytes] = []
        self._frame = Frame()

    def open(self) -> dict[str, str]:
        """The headers of the next connection."""
        self._rest, self._frame = [], Frame()
        headers = {"Accept": "text/event-stream"}
        return {**headers, "Last-Event-ID": str(self._after)} if self._after >= 0 else headers

    def feed(self, part: bytes) -> Iterator[T]:
        """Reads a part of the stream, and yields what it completes."""
        if b"\n" not in part:
            self._rest.append(part)
            return
        *lines, rest = (b"".join(self._rest) + part).split(b"\n")
        self._rest = [rest]
        for line in lines:
            frame = self._add(line.removesuffix(b"\r").decode())
            if frame is None:
                continue
            if frame.event == "error":
                raise httpx.RemoteProtocolError(f"the stream failed: {frame.data}")
            update = self._read(frame)
            if update is None:
                continue
            if update.sequence is not None:
                if update.sequence <= self._after:
                    continue
                self._after = update.sequence
            self.ended = update.last
            yield update.value
            if self.ended:
                return

    def _add(self, line: str) -> Frame | None:
        """Adds a line to the frame, and returns it when it is whole."""
        if line == "":
            whole, self._frame = self._frame, Frame()
            return whole if whole.data else None
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._frame.data += ("\n" if self._frame.data else "") + value
        elif name == "id":
            self._frame.id = value
        elif name == "event":
            self._frame.event = value
        return None


def has_ended(status: str) -> bool:
    """Whether work with this status has ended."""
    return status not in ("queued", "running", "waiting_for_user")


def decode(frame: Frame) -> Any:
    return json.loads(frame.data)
