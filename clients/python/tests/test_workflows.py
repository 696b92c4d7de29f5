from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from atelier_client import AtelierError
from stage import answer, client, forward, fox, listen

both = pytest.mark.parametrize("kind", ["sync", "async"])


@both
def test_workflow_is_started_followed_and_listed(kind: str) -> None:
    with client(kind) as atelier:
        id = atelier.workflows.start(fox())["workflowId"]
        events = list(atelier.workflows.events(id))
        assert events[0]["type"] == "workflow_started"
        assert [event["type"] for event in events[-2:]] == ["workflow_completed", "workflow_status"]
        sequences = [event["sequence"] for event in events if event["type"] != "workflow_status"]
        assert sequences == list(range(len(sequences)))
        workflow = atelier.workflows.get(id)
        assert workflow["status"] == "completed"
        assert httpx.get(workflow["artifacts"][0]["url"]).status_code == 200
        assert id in [each["workflowId"] for each in atelier.workflows.list(limit=100)["workflows"]]


@both
def test_events_continue_where_a_connection_was_cut(kind: str) -> None:
    resumed: list[str | None] = []

    def proxy(request: Any, body: bytes) -> None:
        response = forward(request, body)
        if not request.path.endswith("/events/stream"):
            answer(request, response)
            request.wfile.write(response.read())
            return
        resumed.append(request.headers["Last-Event-ID"])
        cuts = len(resumed) <= 3
        answer(request, response)
        ends = 0
        for line in response:  # after two frames it is cut in the middle of the third
            request.wfile.write(line)
            ends += line == b"\n"
            if cuts and ends == 2 and line != b"\n":
                return

    with listen(proxy) as url, client(kind, url) as atelier:
        id = atelier.workflows.start(fox())["workflowId"]
        sequences = [event["sequence"] for event in atelier.workflows.events(id) if event["type"] != "workflow_status"]
        assert sequences == list(range(len(sequences)))
        assert len(sequences) == len(atelier.workflows.get(id)["events"])
    assert len(resumed) >= 2, "the connection was not cut"
    assert resumed[0] is None
    assert int(resumed[1] or -1) >= 0


@both
def test_start_whose_answer_is_lost_starts_one_workflow(kind: str) -> None:
    keys: list[str] = []

    def proxy(request: Any, body: bytes) -> None:
        keys.append(request.headers["Idempotency-Key"])
        response = forward(request, body)
        text = response.read()
        if len(keys) > 1:
            answer(request, response)
            request.wfile.write(text)

    body = fox()
    body["input"]["title"] = f"Started once, {kind}"
    with listen(proxy) as url, client(kind, url) as atelier:
        id = atelier.workflows.start(body)["workflowId"]
    assert len(keys) == 2 and keys[0] and keys[0] == keys[1]
    with client(kind) as atelier:
        listed = atelier.workflows.list(limit=100)["workflows"]
        assert [each["workflowId"] for each in listed if each.get("title") == body["input"]["title"]] == [id]
        assert atelier.workflows.cancel(id)["workflowId"] == id


@both
def test_errors_have_the_status_the_code_and_the_field(kind: str) -> None:
    with client(kind) as atelier:
        with pytest.raises(AtelierError, match="must be a string") as refused:
            atelier.workflows.start(fox(prompt=7))
        error = refused.value
        assert (error.status, error.code, error.field) == (400, 102, "input.steps[0].arguments.prompt")
        with pytest.raises(AtelierError) as missing:
            list(atelier.workflows.events("nothing"))
        assert (missing.value.status, missing.value.field) == (404, "id")
        done = atelier.workflows.run(fox())
        with pytest.raises(AtelierError) as conflict:
            atelier.workflows.resume(done["workflowId"])
        assert conflict.value.status == 409
    with client(kind, key="wrong") as stranger, pytest.raises(AtelierError) as unknown:
        stranger.workflows.list()
    assert unknown.value.status == 401
    with client(kind, url="http://127.0.0.1:1", retries=1) as lost, pytest.raises(httpx.TransportError):
        lost.workflows.list()


@both
def test_upload_is_the_input_of_a_step(kind: str, tmp_path: Path) -> None:
    with client(kind) as atelier:
        picture = httpx.get(atelier.workflows.run(fox())["artifacts"][0]["url"]).content
        file = tmp_path / "fox.png"
        file.write_bytes(picture)
        for media in (atelier.uploads.create(file), atelier.uploads.create(picture, content_type="image/png")):
            assert media["kind"] == "image"
            assert httpx.get(media["url"]).content == picture
        step = {"id": "big", "toolName": "upscale_image", "arguments": {"sourceImageIndex": -1, "scale": 2}}
        done = atelier.workflows.run({"media_references": [media], "input": {"steps": [step]}})
        assert done["status"] == "completed"
        assert (done["artifacts"][0]["width"], done["artifacts"][0]["height"]) == (512, 512)
        with pytest.raises(AtelierError) as refused:
            atelier.uploads.create(b"not a picture", content_type="image/png")
        assert refused.value.status == 400
        with pytest.raises(ValueError, match="text/plain"):
            atelier.uploads.create(b"text", content_type="text/plain")


@both
def test_template_runs_when_its_cost_is_approved(kind: str) -> None:
    inputs = {"title": "Night train", "clip": False, "seconds": 20}
    costs: list[float] = []

    def approve(workflow: Any) -> bool:
        costs.append(workflow["billingPreview"]["totalEstimatedCapacityUnits"])
        return True

    with client(kind) as atelier:
        assert "wf_style_gallery" in [each["id"] for each in atelier.templates.list(limit=100)["templates"]]
        assert atelier.templates.get("wf_style_gallery")["inputs"][0]["name"] == "picture"
        waits = atelier.templates.run("wf_song_with_cover_art", inputs)
        assert waits["status"] == "waiting_for_user"
        assert atelier.workflows.confirm(waits, "cancel")["status"] == "cancelled"
        done = atelier.templates.run("wf_song_with_cover_art", inputs, approve=approve)
        assert done["status"] == "completed"
        assert len(costs) == 1
        assert "audio" in [artifact["kind"] for artifact in done["artifacts"]]
        with pytest.raises(AtelierError) as refused:
            atelier.templates.run("wf_song_with_cover_art", {"seconds": "long"})
        assert refused.value.status == 422
