from __future__ import annotations

from typing import Any

import pytest
from atelier_client import AtelierError
from stage import client

both = pytest.mark.parametrize("kind", ["sync", "async"])

BODY = {
    "model": "atelier-builtin",
    "messages": [{"role": "user", "content": "Make a picture of a lighthouse at dusk"}],
    "runtime_config": {"requireJobConfirmation": True},
}


@both
def test_run_waits_for_the_approval_of_its_cost(kind: str) -> None:
    events: list[str] = []
    previews: list[Any] = []

    def approve(waits: Any) -> bool:
        previews.append(waits["waiting"]["details"]["costApprovalPreview"])
        return True

    with client(kind) as atelier:
        run = atelier.runs.run(BODY, approve=approve, on_event=lambda event: events.append(event["type"]))
    assert run["status"] == "completed"
    assert [preview["totalEstimatedCapacityUnits"] > 0 for preview in previews] == [True]
    assert run["artifacts"][0]["mediaType"] == "image"
    expected = {"run_created", "run_waiting_for_user", "run_cost_confirmation_resolved", "tool_call_resolved", "run_completed"}
    assert expected <= set(events)
    assert events[-1] == "run_status"


def test_approval_may_be_awaited() -> None:
    async def decline(_: Any) -> bool:
        return False

    with client("async") as atelier:
        assert atelier.runs.run(BODY, approve=decline)["artifacts"] == []


@both
def test_cost_that_is_declined_makes_nothing(kind: str) -> None:
    with client(kind) as atelier:
        run = atelier.runs.run(BODY, approve=lambda _: False)
    assert (run["status"], run["artifacts"]) == ("completed", [])


@both
def test_run_without_approval_is_returned_as_it_waits(kind: str) -> None:
    with client(kind) as atelier:
        run = atelier.runs.run(BODY)
        assert run["status"] == "waiting_for_user"
        atelier.runs.cancel(run["runId"], reason="changed my mind")
        cancelled = atelier.runs.get(run["runId"])
        assert cancelled["status"] == "cancelled"
        with pytest.raises(ValueError, match="waits for no decision"):
            atelier.runs.confirm(cancelled)


@both
def test_text_arrives_while_the_model_writes(kind: str) -> None:
    text = ""
    with client(kind) as atelier:
        run = atelier.runs.start({"model": "scripted", "messages": [{"role": "user", "content": "say One\u0085two\u2028three"}]})
        for event in atelier.runs.events(run["runId"]):
            if event["type"] == "assistant_message_text":
                text = event["content"] if event["first"] else text + event["content"]
            if event["type"] == "assistant_message_completed":
                text = event["payload"]["content"]
    assert text == "One\u0085two\u2028three"


@both
def test_run_without_messages_names_the_field(kind: str) -> None:
    with client(kind) as atelier, pytest.raises(AtelierError) as refused:
        atelier.runs.start({"messages": []})
    assert (refused.value.status, refused.value.field) == (400, "messages")
