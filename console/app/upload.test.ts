import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalOf } from "./upload";

test("a file that is not what its name says is refused in words, and any other with the reason", () => {
  assert.equal(
    refusalOf("fake.png", "image", "file is not image/png: its content has an unsupported type."),
    "fake.png is not a picture that can be read. Choose a PNG, JPEG, WebP or GIF.",
  );
  assert.equal(
    refusalOf("a.mp4", "video", "file is not video/mp4: its content is image/png."),
    "a.mp4 is not a video that can be read. Choose an MP4, MOV or WebM.",
  );
  assert.equal(refusalOf("a.png", "image", "file is empty."), "a.png could not be stored: file is empty.");
});
