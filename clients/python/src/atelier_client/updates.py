"""What the streams of workflows and chat runs bring: events of their logs, and frames that the logs do not keep."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict, Union

from .shapes import RunEvent, WorkflowEvent

Status = Literal["queued", "running", "waiting_for_user", "completed", "partial_failure", "failed", "cancelled"]
Decision = Literal["confirm", "cancel"]


class WorkflowStatusUpdate(TypedDict):
    """The current status of a workflow."""

    type: Literal["workflow_status"]
    workflowId: str
    status: Status
    waitingReason: NotRequired[str]
    awaitingCostApproval: NotRequired[bool]


class RunStatusUpdate(TypedDict):
    """The current status of a chat run."""

    type: Literal["run_status"]
    runId: str
    status: Status
    waitingReason: NotRequired[str]


class RunTextUpdate(TypedDict):
    """What the model is writing: content follows that of the update before, or replaces it where first is true."""

    type: Literal["assistant_message_text"]
    runId: str
    round: int
    first: bool
    content: str


class EventsTrimmedUpdate(TypedDict):
    """Events before firstSequence are no longer kept."""

    type: Literal["events_trimmed"]
    runId: str
    firstSequence: int


WorkflowUpdate = Union[WorkflowEvent, WorkflowStatusUpdate]
RunUpdate = Union[RunEvent, RunStatusUpdate, RunTextUpdate, EventsTrimmedUpdate]
