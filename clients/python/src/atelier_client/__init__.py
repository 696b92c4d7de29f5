"""Client of atelier: workflows with live events, chat runs with approvals, uploads, templates, webhooks."""

from ._calls import AtelierError
from ._client import AsyncAtelier, Atelier
from .shapes import Artifact, Run, RunStart, Template, Workflow, WorkflowStart
from .updates import RunUpdate, WorkflowUpdate
from .uploads import Media
from .webhook import WebhookEvent, WebhookVerificationError, verify_webhook

__all__ = [
    "Artifact",
    "AsyncAtelier",
    "Atelier",
    "AtelierError",
    "Media",
    "Run",
    "RunStart",
    "RunUpdate",
    "Template",
    "WebhookEvent",
    "WebhookVerificationError",
    "Workflow",
    "WorkflowStart",
    "WorkflowUpdate",
    "verify_webhook",
]
