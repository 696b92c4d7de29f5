/** One server-sent event. */
export interface Frame {
  id: string;
  event: string;
  data: string;
}

/** Reads server-sent events. It calls alive whenever bytes arrive, also for comments. */
export async function* frames(body: ReadableStream<Uint8Array>, alive: () => void): AsyncGenerator<Frame, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let frame: Frame = { id: "", event: "", data: "" };
  let parts: string[] = []; // of a line that has not ended
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive();
      const lines = decoder.decode(value, { stream: true }).split("\n");
      if (lines.length === 1) {
        parts.push(lines[0]!);
        continue;
      }
      lines[0] = parts.join("") + lines[0];
      parts = [lines.pop()!];
      for (const raw of lines) {
        const line = raw.replace(/\r$/, "");
        if (line === "") {
          if (frame.data) yield frame;
          frame = { id: "", event: "", data: "" };
          continue;
        }
        const [, name, value = ""] = /^([^:]*):? ?(.*)$/su.exec(line)!;
        if (name === "data") frame.data += (frame.data && "\n") + value;
        else if (name === "id" || name === "event") frame[name] = value;
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // a connection that broke cannot be cancelled
  }
}
