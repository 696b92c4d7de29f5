// Media as they are shown everywhere: a thumbnail that keeps its place while it loads,
// and the file itself with the browser's own controls.

import lazy, { ErrorBoundary } from "preact-iso/lazy";
import { useEffect, useRef, useState } from "preact/hooks";
import { duration } from "../format";
import { text } from "../texts/shell";
import { Icon, kindIcon } from "./icon";
import type { MediaItem } from "./item";

const Model = lazy(() => import("./model"));

/** A thumbnail in its final shape from the start: colours first, then the picture. */
export function Thumbnail({ item }: { item: MediaItem }) {
  const [failed, setFailed] = useState(false);
  const source = item.thumbnailUrl ?? (item.kind === "image" ? item.url : null);
  const ratio = item.width && item.height ? `${item.width} / ${item.height}` : "1 / 1";
  return (
    <span class={`thumb kind-${item.kind}`} style={{ aspectRatio: ratio }}>
      {item.colors && <Colors colors={item.colors} />}
      {source && !failed ? (
        <img src={source} alt={item.label ?? ""} loading="lazy" decoding="async" onError={() => setFailed(true)} />
      ) : (
        <span class="thumb-icon">
          {item.peaks?.length ? <Wave peaks={item.peaks} /> : <Icon name={kindIcon(item.kind)} size={28} />}
          {item.label && <span class="offscreen">{item.label}</span>}
          {item.title && <span class="thumb-title small">{item.title}</span>}
        </span>
      )}{" "}
      {item.durationSeconds ? <span class="thumb-time">{duration(item.durationSeconds)}</span> : null}
    </span>
  );
}

const bars = 40;

/** A sound as bars of its loudness. */
function Wave({ peaks }: { peaks: number[] }) {
  const part = peaks.length / bars;
  const highest = Math.max(...peaks, 1);
  const height = (i: number) =>
    Math.max(
      3,
      (Math.max(...peaks.slice(Math.floor(i * part), Math.max(Math.ceil((i + 1) * part), 1))) / highest) * 100,
    );
  return (
    <svg class="thumb-wave" viewBox={`0 0 ${bars * 3} 100`} preserveAspectRatio="none" aria-hidden="true">
      {Array.from({ length: bars }, (_, i) => (
        <rect key={i} x={i * 3} y={50 - height(i) / 2} width={2} height={height(i)} rx={1} />
      ))}
    </svg>
  );
}

/** Sixteen colours of a picture, blurred by scaling, until the picture is there. */
function Colors({ colors }: { colors: string[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    colors.forEach((color, i) => {
      context.fillStyle = color;
      context.fillRect(i % 4, Math.floor(i / 4), 1, 1);
    });
  }, [colors]);
  return <canvas ref={canvas} width={4} height={4} aria-hidden="true" />;
}

/** The file itself, as large as its place allows. */
export function Media({ item, autoPlay }: { item: MediaItem; autoPlay?: boolean }) {
  const style = item.width && item.height ? { aspectRatio: `${item.width} / ${item.height}` } : undefined;
  if (item.kind === "video") {
    return (
      <video
        class="media"
        src={item.url}
        poster={item.thumbnailUrl ?? undefined}
        style={style}
        controls
        loop
        playsInline
        preload={autoPlay ? "auto" : item.thumbnailUrl ? "none" : "metadata"} // without a poster, its first frame
        autoPlay={autoPlay}
        muted={autoPlay}
        aria-label={item.label}
      />
    );
  }
  if (item.kind === "audio" || item.kind === "music" || item.kind === "speech") {
    return <audio class="media" src={item.url} controls preload="metadata" aria-label={item.label} />;
  }
  if (item.kind === "image") {
    return <img class="media" src={item.url} alt={item.label ?? ""} style={style} />;
  }
  if (item.kind === "model")
    return (
      <ErrorBoundary>
        <Model key={item.url} item={item} />
      </ErrorBoundary>
    );
  if (item.kind === "json" || item.kind === "text") return <TextFile item={item} />;
  return (
    <div class="media file">
      <Icon name={kindIcon(item.kind)} size={40} />
      <p class="muted">{text.noPreview}</p>
      <a class="quiet" href={item.url} download>
        {text.download}
      </a>
    </div>
  );
}

/** Analyses and texts, as they are in the file. */
function TextFile({ item }: { item: MediaItem }) {
  const [content, setContent] = useState("");
  useEffect(() => {
    const abort = new AbortController();
    fetch(item.url, { signal: abort.signal })
      .then((r) => r.text())
      .then((t) => {
        try {
          setContent(JSON.stringify(JSON.parse(t), null, 2));
        } catch {
          setContent(t);
        }
      })
      .catch(() => {});
    return () => abort.abort();
  }, [item.url]);
  return (
    <pre class="media text" tabIndex={0} aria-label={item.label}>
      {content}
    </pre>
  );
}
