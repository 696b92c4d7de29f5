"""Workflows: one to twelve steps that run by themselves."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import aclosing, closing
from typing import Any, cast
from urllib.parse import quote

from ._calls import Call, Flow, Frame, Update, decode, has_ended
from ._transport import AsyncTransport, Transport
from .shapes import Workflow, WorkflowDecision, WorkflowResume, WorkflowStart
from .shapes import Workflows as WorkflowPage
from .updates import Decision, WorkflowUpdate

ROOT = "/v1/creative-agent/workflows"


def path(id: str, more: str = "") -> str:
    return f"{ROOT}/{quote(id, safe='')}{more}"


def start(body: WorkflowStart, key: str | None) -> Flow[Workflow]:
    return cast(Workflow, (yield Call("POST", ROOT, body=body, key=key or str(uuid.uuid4())))["workflow"])


def get(id: str) -> Flow[Workflow]:
    return cast(Workflow, (yield Call("GET", path(id)))["workflow"])


def page(offset: int | None, limit: int | None) -> Flow[WorkflowPage]:
    return cast(WorkflowPage, (yield Call("GET", ROOT, query={"offset": offset, "limit": limit})))


def cancel(id: str) -> Flow[Workflow]:
    return cast(Workflow, (yield Call("POST", path(id, "/cancel")))["workflow"])


def resume(id: str, body: WorkflowResume | None) -> Flow[Workflow]:
    return cast(Workflow, (yield Call("POST", path(id, "/resume"), body=body or {}))["workflow"])


def confirm(workflow: Workflow, decision: Decision, key: str | None) -> Flow[Workflow]:
    body: WorkflowDecision = {"decision": decision}
    if decision == "confirm" and "billingPreview" in workflow:
        body["acceptedCostPreview"] = cast(Any, workflow["billingPreview"])
    call = Call("POST", path(workflow["workflowId"], "/confirm-cost"), body=body, key=key or str(uuid.uuid4()))
    return cast(Workflow, (yield call)["workflow"])


def read_update(frame: Frame) -> Update[WorkflowUpdate] | None:
    if frame.event == "workflow_status":
        status = {**decode(frame), "type": "workflow_status"}
        return Update(cast(WorkflowUpdate, status), last=has_ended(status["status"]))
    if not frame.id:
        return None
    event = decode(frame)
    return Update(cast(WorkflowUpdate, event), sequence=event["sequence"])


def asks(update: WorkflowUpdate) -> bool:
    return update["type"] in ("workflow_waiting_for_user", "step_waiting_for_user")


class Workflows:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def start(self, body: WorkflowStart, *, idempotency_key: str | None = None) -> Workflow:
        """Starts a workflow. It is tried again when the connection fails, which does not start a second one."""
        return self._transport.drive(start(body, idempotency_key))

    def get(self, id: str) -> Workflow:
        return self._transport.drive(get(id))

    def list(self, *, offset: int | None = None, limit: int | None = None) -> WorkflowPage:
        """Lists workflows, the one that changed last first. `next` is the offset of the next page, or None."""
        return self._transport.drive(page(offset, limit))

    def cancel(self, id: str) -> Workflow:
        return self._transport.drive(cancel(id))

    def resume(self, id: str, body: WorkflowResume | None = None) -> Workflow:
        """Resumes a workflow that is paused."""
        return self._transport.drive(resume(id, body))

    def confirm(self, workflow: Workflow, decision: Decision = "confirm", *, idempotency_key: str | None = None) -> Workflow:
        """Approves or declines the cost that a workflow shows."""
        return self._transport.drive(confirm(workflow, decision, idempotency_key))

    def events(self, id: str, *, after: int = -1) -> Generator[WorkflowUpdate, None, None]:
        """Reads the events of a workflow until it has ended, each once, also when the connection breaks."""
        return self._transport.follow(path(id, "/events/stream"), read_update, after)

    def wait(
        self,
        id: str,
        *,
        approve: Callable[[Workflow], bool] | None = None,
        on_event: Callable[[WorkflowUpdate], object] | None = None,
    ) -> Workflow:
        """Waits until a workflow has ended, or until it waits for its user. `approve` decides about a cost."""
        with closing(self.events(id)) as updates:
            for update in updates:
                if on_event:
                    on_event(update)
                if not asks(update):
                    continue
                workflow = self.get(id)
                if workflow["status"] != "waiting_for_user":
                    continue  # an old event
                if approve is None or not workflow.get("awaitingCostApproval"):
                    return workflow
                self.confirm(workflow, "confirm" if approve(workflow) else "cancel")
        return self.get(id)

    def run(
        self,
        body: WorkflowStart,
        *,
        approve: Callable[[Workflow], bool] | None = None,
        on_event: Callable[[WorkflowUpdate], object] | None = None,
        idempotency_key: str | None = None,
    ) -> Workflow:
        """Starts a workflow and waits for it."""
        started = self.start(body, idempotency_key=idempotency_key)
        return self.wait(started["workflowId"], approve=approve, on_event=on_event)


class AsyncWorkflows:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def start(self, body: WorkflowStart, *, idempotency_key: str | None = None) -> Workflow:
        """Starts a workflow. It is tried again when the connection fails, which does not start a second one."""
        return await self._transport.drive(start(body, idempotency_key))

    async def get(self, id: str) -> Workflow:
        return await self._transport.drive(get(id))

    async def list(self, *, offset: int | None = None, limit: int | None = None) -> WorkflowPage:
        """Lists workflows, the one that changed last first. `next` is the offset of the next page, or None."""
        return await self._transport.drive(page(offset, limit))

    async def cancel(self, id: str) -> Workflow:
        return await self._transport.drive(cancel(id))

    async def resume(self, id: str, body: WorkflowResume | None = None) -> Workflow:
        """Resumes a workflow that is paused."""
        return await self._transport.drive(resume(id, body))

    async def confirm(self, workflow: Workflow, decision: Decision = "confirm", *, idempotency_key: str | None = None) -> Workflow:
        """Approves or declines the cost that a workflow shows."""
        return await self._transport.drive(confirm(workflow, decision, idempotency_key))

    def events(self, id: str, *, after: int = -1) -> AsyncGenerator[WorkflowUpdate, None]:
        """Reads the events of a workflow until it has ended, each once, also when the connection breaks."""
        return self._transport.follow(path(id, "/events/stream"), read_update, after)

    async def wait(
        self,
        id: str,
        *,
        approve: Callable[[Workflow], bool | Awaitable[bool]] | None = None,
        on_event: Callable[[WorkflowUpdate], object] | None = None,
    ) -> Workflow:
        """Waits until a workflow has ended, or until it waits for its user. `approve` decides about a cost."""
        async with aclosing(self.events(id)) as updates:
            async for update in updates:
                if on_event:
                    on_event(update)
                if not asks(update):
                    continue
                workflow = await self.get(id)
                if workflow["status"] != "waiting_for_user":
                    continue  # an old event
                if approve is None or not workflow.get("awaitingCostApproval"):
                    return workflow
                answer = approve(workflow)
                approved = await answer if inspect.isawaitable(answer) else answer
                await self.confirm(workflow, "confirm" if approved else "cancel")
        return await self.get(id)

    async def run(
        self,
        body: WorkflowStart,
        *,
        approve: Callable[[Workflow], bool | Awaitable[bool]] | None = None,
        on_event: Callable[[WorkflowUpdate], object] | None = None,
        idempotency_key: str | None = None,
    ) -> Workflow:
        """Starts a workflow and waits for it."""
        started = await self.start(body, idempotency_key=idempotency_key)
        return await self.wait(started["workflowId"], approve=approve, on_event=on_event)
