"""Carries out calls with httpx, once waiting and once with async."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any, TypeVar

import httpx

from ._calls import STREAM_TIMEOUT, AtelierError, Call, Flow, Frame, Log, Service, Update, read_answer, refusal

T = TypeVar("T")

FAILURES = (httpx.TransportError, AtelierError)


def ended_early() -> httpx.TransportError:
    return httpx.RemoteProtocolError("the stream ended before the last event")


class Transport:
    def __init__(self, service: Service, http: httpx.Client) -> None:
        self.service, self.http = service, http

    def drive(self, flow: Flow[T]) -> T:
        """Carries out the calls of a flow."""
        try:
            call = next(flow)
            while True:
                call = flow.send(self._send(call))
        except StopIteration as done:
            result: T = done.value
            return result
        finally:
            flow.close()

    def _send(self, call: Call) -> Any:
        failures = 0
        while True:
            try:
                return read_answer(self.http.request(**self.service.request(call)))
            except FAILURES as error:
                time.sleep(self.service.pause(error, failures))
            failures += 1

    def follow(self, path: str, read: Callable[[Frame], Update[T] | None], after: int) -> Generator[T, None, None]:
        """Reads a stream of events to the last one, over as many connections as it takes."""
        log = Log(read, after)
        failures = 0
        while True:
            headers = {**self.service.headers(), **log.open()}
            try:
                with self.http.stream("GET", self.service.base_url + path, headers=headers, timeout=STREAM_TIMEOUT) as answer:
                    if not answer.is_success:
                        answer.read()
                        raise refusal(answer)
                    for part in answer.iter_bytes():
                        for value in log.feed(part):
                            failures = 0
                            yield value
                        if log.ended:
                            return
                raise ended_early()
            except FAILURES as error:
                time.sleep(self.service.pause(error, failures))
            failures += 1


class AsyncTransport:
    def __init__(self, service: Service, http: httpx.AsyncClient) -> None:
        self.service, self.http = service, http

    async def drive(self, flow: Flow[T]) -> T:
        """Carries out the calls of a flow."""
        try:
            call = next(flow)
            while True:
                call = flow.send(await self._send(call))
        except StopIteration as done:
            result: T = done.value
            return result
        finally:
            flow.close()

    async def _send(self, call: Call) -> Any:
        failures = 0
        while True:
            try:
                return read_answer(await self.http.request(**self.service.request(call)))
            except FAILURES as error:
                await asyncio.sleep(self.service.pause(error, failures))
            failures += 1

    async def follow(self, path: str, read: Callable[[Frame], Update[T] | None], after: int) -> AsyncGenerator[T, None]:
        """Reads a stream of events to the last one, over as many connections as it takes."""
        log = Log(read, after)
        failures = 0
        while True:
            headers = {**self.service.headers(), **log.open()}
            try:
                async with self.http.stream("GET", self.service.base_url + path, headers=headers, timeout=STREAM_TIMEOUT) as answer:
                    if not answer.is_success:
                        await answer.aread()
                        raise refusal(answer)
                    async for part in answer.aiter_bytes():
                        for value in log.feed(part):
                            failures = 0
                            yield value
                        if log.ended:
                            return
                raise ended_early()
            except FAILURES as error:
                await asyncio.sleep(self.service.pause(error, failures))
            failures += 1
