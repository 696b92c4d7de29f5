"""Files of the account."""

from __future__ import annotations

import mimetypes
import uuid
from pathlib import Path
from typing import BinaryIO, Literal, TypedDict, Union, cast

from ._calls import Call, Flow
from ._transport import AsyncTransport, Transport

File = Union[bytes, BinaryIO, Path]
Kind = Literal["image", "video", "audio"]
SLOTS = {"image": ("/v2/image", "startingImage"), "video": ("/v2/media", "referenceVideo"), "audio": ("/v2/media", "referenceAudio")}


class Media(TypedDict):
    """Media that a workflow or a run reads, as an entry of media_references."""

    kind: Kind
    url: str


def create(file: File, content_type: str | None) -> Flow[Media]:
    if content_type is None and isinstance(file, Path):
        content_type = mimetypes.guess_type(file.name)[0]
    kind = (content_type or "").split("/")[0]
    if kind not in SLOTS or content_type is None:
        raise ValueError(f"content_type {content_type!r} is not a type of pictures, clips or sounds")
    endpoint, slot = SLOTS[kind]
    query = {"type": slot, "jobId": str(uuid.uuid4()), "contentType": content_type}
    form = yield Call("GET", f"{endpoint}/uploadUrl", query=query)
    content = file.open("rb") if isinstance(file, Path) else file
    try:
        yield Call("POST", form["url"], form=form["fields"], file=("file", content, content_type))
    finally:
        if isinstance(file, Path) and not isinstance(content, (bytes, Path)):
            content.close()
    answer = yield Call("GET", f"{endpoint}/downloadUrl", query=query)
    return {"kind": cast(Kind, kind), "url": answer["downloadUrl"]}


class Uploads:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, file: File, *, content_type: str | None = None) -> Media:
        """Uploads a picture, clip or sound, and returns an entry for media_references."""
        return self._transport.drive(create(file, content_type))


class AsyncUploads:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, file: File, *, content_type: str | None = None) -> Media:
        """Uploads a picture, clip or sound, and returns an entry for media_references."""
        return await self._transport.drive(create(file, content_type))
