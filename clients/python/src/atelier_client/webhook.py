"""Verifies what webhooks get (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any, TypedDict, cast


class WebhookEvent(TypedDict):
    """What a webhook gets; docs/guides/webhooks.md describes the data of each type."""

    type: str
    timestamp: str
    data: dict[str, Any]


class WebhookVerificationError(ValueError):
    """A request that was not signed with the secret, or that is too old."""


def verify_webhook(body: str | bytes, headers: Mapping[str, str], secret: str, *, tolerance: float = 300) -> WebhookEvent:
    """Verifies a request to a webhook and returns its event. The body is the text as it came.

    The header webhook-id is the same at each attempt: ignore what you have seen. The time of the request may differ
    from now by the tolerance, in seconds.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise WebhookVerificationError(f"the header {missing.args[0]} is missing") from None
    try:
        age = abs(time.time() - int(timestamp))
    except ValueError:
        raise WebhookVerificationError("the header webhook-timestamp is not a time") from None
    if age > tolerance:
        raise WebhookVerificationError("the request is too old or too new")
    content = body.encode() if isinstance(body, str) else body
    mac = hmac.new(key_of(secret), f"{id}.{timestamp}.".encode() + content, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(mac)
    if not any(hmac.compare_digest(expected, signature.encode()) for signature in signatures.split(" ")):
        raise WebhookVerificationError("no signature is valid")
    return cast(WebhookEvent, json.loads(content))


def key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise TypeError("the secret is not valid base64")
    return key
