"""Templates: plans with inputs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, cast
from urllib.parse import quote

from ._calls import Call, Flow
from ._transport import AsyncTransport, Transport
from .shapes import Template, TemplatesReply, Workflow
from .updates import WorkflowUpdate
from .workflows import AsyncWorkflows, Workflows

ROOT = "/v1/creative-agent/workflows/templates"
Visibility = Literal["own", "public", "all"]


def page(visibility: Visibility | None, offset: int | None, limit: int | None) -> Flow[TemplatesReply]:
    query = {"visibility": visibility, "offset": offset, "limit": limit}
    return cast(TemplatesReply, (yield Call("GET", ROOT, query=query)))


def get(id: str) -> Flow[Template]:
    return cast(Template, (yield Call("GET", f"{ROOT}/{quote(id, safe='')}"))["template"])


class Templates:
    def __init__(self, transport: Transport, workflows: Workflows) -> None:
        self._transport, self._workflows = transport, workflows

    def list(self, *, visibility: Visibility | None = None, offset: int | None = None, limit: int | None = None) -> TemplatesReply:
        """Lists templates. `next` is the offset of the next page, or None."""
        return self._transport.drive(page(visibility, offset, limit))

    def get(self, id: str) -> Template:
        return self._transport.drive(get(id))

    def run(
        self,
        id: str,
        inputs: Mapping[str, Any] | None = None,
        *,
        approve: Callable[[Workflow], bool] | None = None,
        on_event: Callable[[WorkflowUpdate], object] | None = None,
        idempotency_key: str | None = None,
    ) -> Workflow:
        """Starts a template and waits for its workflow.

        Its cost must be approved: without `approve`, the workflow is returned as it waits for that.
        """
        return self._workflows.run(
            {"workflow_id": id, "inputs": dict(inputs or {})}, approve=approve, on_event=on_event, idempotency_key=idempotency_key
        )


class AsyncTemplates:
    def __init__(self, transport: AsyncTransport, workflows: AsyncWorkflows) -> None:
        self._transport, self._workflows = transport, workflows

    async def list(
        self, *, visibility: Visibility | None = None, offset: int | None = None, limit: int | None = None
    ) -> TemplatesReply:
        """Lists templates. `next` is the offset of the next page, or None."""
        return await self._transport.drive(page(visibility, offset, limit))

    async def get(self, id: str) -> Template:
        return await self._transport.drive(get(id))

    async def run(
        self,
        id: str,
        inputs: Mapping[str, Any] | None = None,
        *,
        approve: Callable[[Workflow], bool | Awaitable[bool]] | None = None,
        on_event: Callable[[WorkflowUpdate], object] | None = None,
        idempotency_key: str | None = None,
    ) -> Workflow:
        """Starts a template and waits for its workflow.

        Its cost must be approved: without `approve`, the workflow is returned as it waits for that.
        """
        return await self._workflows.run(
            {"workflow_id": id, "inputs": dict(inputs or {})}, approve=approve, on_event=on_event, idempotency_key=idempotency_key
        )
