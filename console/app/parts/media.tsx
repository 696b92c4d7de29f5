// Media as they are shown everywhere: a thumbnail that keeps its place while it loads,
// and the file itself with the browser's own controls.

import lazy, { ErrorBoundary } from "preact-iso/lazy";
import { useEffect, useRef, useState } from "preact/hooks";
import { duration } from "../format";
import { text } from "../texts/shell";
import { Icon, kindIcon } from "./icon";
import { elsewhere, type MediaItem } from "./item";
import { Wave } from "./wave";
import { readAnalysis } from "./analysis";

const Model = lazy(() => import("./model"));
const SoundPlayer = lazy(() => import("./sound"));

/** A thumbnail in its final shape from the start: colours first, then the picture. */
export function Thumbnail({ item }: { item: MediaItem }) {
  const [failed, setFailed] = useState(false);
  const source = item.thumbnailUrl ?? (item.kind === "image" ? item.url : null);
  const ratio = item.width && item.height ? `${item.width} / ${item.height}` : "1 / 1";
  return (
    <span class={`thumb kind-${item.kind}`} style={{ aspectRatio: ratio }}>
      {item.colors && <Colors colors={item.colors} />}
      {source && !failed && !elsewhere(source) ? (
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
  const [failed, setFailed] = useState("");
  const fail = () => setFailed(item.url);
  if (failed === item.url || elsewhere(item.url)) return <Unseen item={item} />;
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
        onError={fail}
      />
    );
  }
  if (item.kind === "audio" || item.kind === "music" || item.kind === "speech") {
    if (autoPlay)
      return (
        <ErrorBoundary>
          <SoundPlayer item={item} />
        </ErrorBoundary>
      );
    return <audio class="media" src={item.url} controls preload="metadata" aria-label={item.label} onError={fail} />;
  }
  if (item.kind === "image") {
    return <img class="media" src={item.url} alt={item.label ?? ""} style={style} onError={fail} />;
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

/** A file that the page cannot show: of another site, which the browser does not let it read, or one that is gone. */
export function Unseen({ item }: { item: Pick<MediaItem, "kind" | "url"> }) {
  const place = elsewhere(item.url);
  return (
    <div class="media file">
      <Icon name={kindIcon(item.kind)} size={40} />
      <p class="muted">{place ? text.ofOtherSite : text.notLoaded}</p>
      <a href={item.url} target="_blank" rel="noreferrer">
        {place ?? text.openFile}
      </a>
    </div>
  );
}

/** Texts as they are in the file; of an analysis first what it says in words. */
function TextFile({ item }: { item: MediaItem }) {
  const [content, setContent] = useState("");
  useEffect(() => {
    const abort = new AbortController();
    fetch(item.url, { signal: abort.signal })
      .then((r) => r.text())
      .then(setContent)
      .catch(() => {});
    return () => abort.abort();
  }, [item.url]);
  const { query, summary, limits, whole } = readAnalysis(content);
  if (!summary)
    return (
      <pre class="media text" tabIndex={0} role="group" aria-label={item.label}>
        {whole}
      </pre>
    );
  return (
    <div class="media text analysis" tabIndex={0} role="region" aria-label={item.label}>
      {query && <h3>{query}</h3>}
      <p>{summary}</p>
      {limits && <p class="muted small">{limits}</p>}
      <details>
        <summary>{text.wholeAnalysis}</summary>
        <pre tabIndex={0}>{whole}</pre>
      </details>
    </div>
  );
}
