from __future__ import annotations

import base64
import hashlib
import hmac
import queue
import time
from typing import Any

import httpx
import pytest
from atelier_client import WebhookVerificationError, verify_webhook
from stage import API_KEY, URL, client, fox, listen

SECRET = "whsec_" + base64.b64encode(b"a secret of the tests, 32 bytes.").decode()
OTHER = "whsec_b3RoZXI="
BODY = '{"type":"workflow.completed","timestamp":"2026-11-18T00:00:00Z","data":{"workflowId":"wf_1","title":"Füchse"}}'


def sign(at: float = 0, secret: str = SECRET) -> dict[str, str]:
    """The headers of a request that is sent a number of seconds from now."""
    timestamp = str(int(time.time() + at))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = base64.b64encode(hmac.new(key, f"msg_1.{timestamp}.{BODY}".encode(), hashlib.sha256).digest()).decode()
    return {"webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": f"v1,{mac}"}


def test_good_signatures_are_taken() -> None:
    headers = sign()
    signature = f"v1a,x v1,! {sign(secret=OTHER)['webhook-signature']} {headers['webhook-signature']}"
    rotated = {**headers, "webhook-signature": signature}
    upper = {name.upper(): value for name, value in headers.items()}
    for given in (headers, rotated, upper, httpx.Headers(headers)):
        assert verify_webhook(BODY, given, SECRET)["data"]["workflowId"] == "wf_1"
        assert verify_webhook(BODY.encode(), given, SECRET)["data"]["workflowId"] == "wf_1"


def test_bad_ones_are_refused() -> None:
    headers = sign()
    cases: list[tuple[str, dict[str, str], str]] = [
        (BODY + " ", headers, SECRET),
        (BODY, headers, OTHER),
        (BODY, {**headers, "webhook-id": "msg_2"}, SECRET),
        (BODY, sign(-3600), SECRET),
        (BODY, sign(3600), SECRET),
        (BODY, {**headers, "webhook-timestamp": "now"}, SECRET),
        (BODY, {**headers, "webhook-signature": "v1,"}, SECRET),
        (BODY, {**headers, "webhook-signature": "v1,é"}, SECRET),
        (BODY, {**headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,")}, SECRET),
        (BODY, {}, SECRET),
    ]
    for body, given, secret in cases:
        with pytest.raises(WebhookVerificationError):
            verify_webhook(body, given, secret)
    with pytest.raises(TypeError):
        verify_webhook(BODY, headers, "whsec_%")


def test_what_the_service_sends_is_verified() -> None:
    came: queue.Queue[tuple[bytes, Any]] = queue.Queue()

    def receive(request: Any, body: bytes) -> None:
        request.send_response(204)
        request.end_headers()
        came.put((body, request.headers))

    answer = httpx.post(f"{URL}/v1/webhooks/requests/rotate-secret", headers={"Authorization": f"Bearer {API_KEY}"})
    secret = answer.json()["data"]["webhook"]["secret"]
    with listen(receive) as url, client("sync") as atelier:
        id = atelier.workflows.run({**fox(), "webhook": url})["workflowId"]
        body, headers = came.get()
    event = verify_webhook(body, headers, secret)
    assert (event["type"], event["data"]["workflowId"]) == ("workflow.completed", id)
    with pytest.raises(WebhookVerificationError):
        verify_webhook(body, headers, SECRET)
