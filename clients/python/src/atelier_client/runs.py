"""Chat runs: turns of a conversation that the service works on by itself."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import aclosing, closing
from typing import Any, cast
from urllib.parse import quote

from ._calls import Call, Flow, Frame, Update, decode, has_ended
from ._transport import AsyncTransport, Transport
from .shapes import Run, RunDecision, RunDecisionOverrides, RunStart
from .updates import Decision, RunUpdate

ROOT = "/v1/chat/runs"
TRANSIENT = ("run_status", "assistant_message_text", "events_trimmed")


def path(id: str, more: str = "") -> str:
    return f"{ROOT}/{quote(id, safe='')}{more}"


def start(body: RunStart, key: str | None) -> Flow[Run]:
    return cast(Run, (yield Call("POST", ROOT, body=body, key=key or str(uuid.uuid4())))["run"])


def get(id: str) -> Flow[Run]:
    return cast(Run, (yield Call("GET", path(id)))["run"])


def cancel(id: str, reason: str | None) -> Flow[bool]:
    return cast(bool, (yield Call("POST", path(id, "/cancel"), body={"reason": reason} if reason else {}))["aborted"])


def confirm(run: Run, decision: Decision, overrides: RunDecisionOverrides | None, reason: str | None, key: str | None) -> Flow[Run]:
    if "waiting" not in run:
        raise ValueError(f"run {run['runId']} waits for no decision")
    details = run["waiting"]["details"]
    body: RunDecision = {"tool_call_id": details["toolCallId"], "decision": decision}
    if decision == "confirm" and "costApprovalPreview" in details:
        body["accepted_cost_preview"] = cast(Any, details["costApprovalPreview"])
    if overrides:
        body["overrides"] = overrides
    if reason:
        body["reason"] = reason
    return cast(Run, (yield Call("POST", path(run["runId"], "/confirm-cost"), body=body, key=key or str(uuid.uuid4())))["run"])


def read_update(frame: Frame) -> Update[RunUpdate] | None:
    if frame.id:
        event = decode(frame)
        return Update(cast(RunUpdate, event), sequence=event["sequence"])
    if frame.event not in TRANSIENT:
        return None
    value = {**decode(frame), "type": frame.event}
    return Update(cast(RunUpdate, value), last=frame.event == "run_status" and has_ended(value["status"]))


def is_approvable(run: Run) -> bool:
    """Whether a run waits for an approval that it can get: one that lacks credits cannot be confirmed."""
    waiting = run.get("waiting")
    if not waiting or waiting["reason"] != "cost_approval_required":
        return False
    return waiting["details"].get("flavor") != "insufficient_credits"


class Runs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def start(self, body: RunStart, *, idempotency_key: str | None = None) -> Run:
        """Starts a chat run. It is tried again when the connection fails, which does not start a second one."""
        return self._transport.drive(start(body, idempotency_key))

    def get(self, id: str) -> Run:
        return self._transport.drive(get(id))

    def cancel(self, id: str, *, reason: str | None = None) -> bool:
        """Ends a chat run and what it has under way. It returns whether work was interrupted."""
        return self._transport.drive(cancel(id, reason))

    def confirm(
        self,
        run: Run,
        decision: Decision = "confirm",
        *,
        overrides: RunDecisionOverrides | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Run:
        """Approves or declines the cost that a run shows, for all calls that wait."""
        return self._transport.drive(confirm(run, decision, overrides, reason, idempotency_key))

    def events(self, id: str, *, after: int = -1) -> Generator[RunUpdate, None, None]:
        """Reads the events of a chat run until it has ended, each once, also when the connection breaks."""
        return self._transport.follow(path(id, "/events/stream"), read_update, after)

    def wait(
        self,
        id: str,
        *,
        approve: Callable[[Run], bool] | None = None,
        on_event: Callable[[RunUpdate], object] | None = None,
    ) -> Run:
        """Waits until a run has ended, or until it waits for its user. `approve` decides about a cost."""
        with closing(self.events(id)) as updates:
            for update in updates:
                if on_event:
                    on_event(update)
                if update["type"] != "run_waiting_for_user":
                    continue
                run = self.get(id)
                if run["status"] != "waiting_for_user":
                    continue  # an old event
                if approve is None or not is_approvable(run):
                    return run
                self.confirm(run, "confirm" if approve(run) else "cancel")
        return self.get(id)

    def run(
        self,
        body: RunStart,
        *,
        approve: Callable[[Run], bool] | None = None,
        on_event: Callable[[RunUpdate], object] | None = None,
        idempotency_key: str | None = None,
    ) -> Run:
        """Starts a chat run and waits for it."""
        started = self.start(body, idempotency_key=idempotency_key)
        return self.wait(started["runId"], approve=approve, on_event=on_event)


class AsyncRuns:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def start(self, body: RunStart, *, idempotency_key: str | None = None) -> Run:
        """Starts a chat run. It is tried again when the connection fails, which does not start a second one."""
        return await self._transport.drive(start(body, idempotency_key))

    async def get(self, id: str) -> Run:
        return await self._transport.drive(get(id))

    async def cancel(self, id: str, *, reason: str | None = None) -> bool:
        """Ends a chat run and what it has under way. It returns whether work was interrupted."""
        return await self._transport.drive(cancel(id, reason))

    async def confirm(
        self,
        run: Run,
        decision: Decision = "confirm",
        *,
        overrides: RunDecisionOverrides | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Run:
        """Approves or declines the cost that a run shows, for all calls that wait."""
        return await self._transport.drive(confirm(run, decision, overrides, reason, idempotency_key))

    def events(self, id: str, *, after: int = -1) -> AsyncGenerator[RunUpdate, None]:
        """Reads the events of a chat run until it has ended, each once, also when the connection breaks."""
        return self._transport.follow(path(id, "/events/stream"), read_update, after)

    async def wait(
        self,
        id: str,
        *,
        approve: Callable[[Run], bool | Awaitable[bool]] | None = None,
        on_event: Callable[[RunUpdate], object] | None = None,
    ) -> Run:
        """Waits until a run has ended, or until it waits for its user. `approve` decides about a cost."""
        async with aclosing(self.events(id)) as updates:
            async for update in updates:
                if on_event:
                    on_event(update)
                if update["type"] != "run_waiting_for_user":
                    continue
                run = await self.get(id)
                if run["status"] != "waiting_for_user":
                    continue  # an old event
                if approve is None or not is_approvable(run):
                    return run
                answer = approve(run)
                approved = await answer if inspect.isawaitable(answer) else answer
                await self.confirm(run, "confirm" if approved else "cancel")
        return await self.get(id)

    async def run(
        self,
        body: RunStart,
        *,
        approve: Callable[[Run], bool | Awaitable[bool]] | None = None,
        on_event: Callable[[RunUpdate], object] | None = None,
        idempotency_key: str | None = None,
    ) -> Run:
        """Starts a chat run and waits for it."""
        started = await self.start(body, idempotency_key=idempotency_key)
        return await self.wait(started["runId"], approve=approve, on_event=on_event)
