// The place of a reference in the form: what it holds, and a dialog to fill it.

import { useRef, useState } from "preact/hooks";
import { get } from "../api";
import { useChanges, useData } from "../hooks";
import { visible } from "../library/hidden";
import { Dialog } from "../parts/dialog";
import { Icon, kindIcon } from "../parts/icon";
import { libraryItem, nameOf } from "../parts/item";
import { Thumbnail } from "../parts/media";
import { Empty, Failure } from "../parts/notice";
import { aboutOf, type Argument } from "../parts/arguments";
import { toast, toastError } from "../parts/toast";
import { mediaLabelOf } from "../texts/arguments";
import { text } from "../texts/create";
import { accepted, kindOf } from "../upload";
import { isPointer, type Pointer } from "./pointer";
import { references, referTo, referToAsset, retryUpload, uploadReference } from "./reference";

const media = ["image", "video", "audio"] as const;

/** The control of an argument that addresses media: one reference, or several. */
export function Slot({
  argument: a,
  isRequired = a.required,
  value,
  set,
  error,
}: {
  argument: Argument;
  /** Nothing can be made without it. */
  isRequired?: boolean;
  value: unknown;
  set: (value: unknown) => void;
  error?: string;
}) {
  const [choosing, setChoosing] = useState(false);
  const many = a.type === "array";
  const held: Pointer[] = (many ? (Array.isArray(value) ? value : []) : [value]).filter(isPointer);
  const most = many ? (a.maxItems ?? 16) : 1;
  const label = mediaLabelOf(a.name ?? "");
  const add = (pointer: Pointer) => set(many ? [...held, pointer] : pointer);
  const remove = (pointer: Pointer) => {
    const rest = held.filter((p) => p !== pointer);
    set(many && rest.length ? rest : undefined);
  };
  return (
    <div
      class={error ? "slot wrong" : "slot"}
      data-name={a.name}
      role="group"
      aria-label={isRequired ? `${label}, ${text.references.required}` : label}>
      <span class="slot-label">
        {label}
        {isRequired && <span title={text.references.required}> *</span>}
      </span>
      <div class="slot-held">
        {held.map((pointer) => (
          <Held key={pointer.ref} pointer={pointer} onRemove={() => remove(pointer)} />
        ))}
        {held.length < most && (
          <button
            type="button"
            class="slot-add"
            onClick={() => setChoosing(true)}
            aria-label={text.references.add(label.toLowerCase())}
            title={aboutOf(a)}>
            <Icon name={a.media === "any" ? "attach" : kindIcon(a.media!)} size={18} />
            <Icon name="plus" size={14} />
          </button>
        )}
      </div>
      {error && <p class="error-text">{error}</p>}
      {choosing && (
        <Chooser
          kind={a.media!}
          about={aboutOf(a)}
          onClose={() => setChoosing(false)}
          onChoose={(pointer) => {
            add(pointer);
            setChoosing(false);
          }}
        />
      )}
    </div>
  );
}

function Held({ pointer, onRemove }: { pointer: Pointer; onRemove: () => void }) {
  const r = references.value[pointer.ref];
  if (!r) return null;
  return (
    <span class="held" title={r.error ?? r.name}>
      <Thumbnail item={{ id: r.id, kind: r.kind, url: r.url ?? "", thumbnailUrl: r.thumbnailUrl, label: r.name }} />
      {r.state === "uploading" && <progress class="progress" aria-label={text.references.uploading} max={1} />}
      {r.state === "failed" && (
        <button
          type="button"
          class="held-failed"
          onClick={() => retryUpload(r)}
          aria-label={`${text.references.failed}: ${r.error}. ${text.references.retry}`}>
          <Icon name="again" size={16} />
        </button>
      )}
      <button type="button" class="held-remove" aria-label={`${text.references.remove} ${r.name}`} onClick={onRemove}>
        <Icon name="close" size={14} />
      </button>
    </span>
  );
}

/** Results, saved uploads and files of the device, to choose a reference from. */
export function Chooser({
  kind,
  about,
  isStored,
  onClose,
  onChoose,
}: {
  kind: string;
  /** What the place is for. */
  about?: string;
  /** Only what the service has already, no files of the device. */
  isStored?: boolean;
  onClose: () => void;
  onChoose: (pointer: Pointer) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const kinds = kind === "any" ? "image,video,audio" : kind;
  const results = useData((signal) => get("/v1/artifacts", { query: { kind: kinds, limit: 60 }, signal }), [kinds]);
  useChanges(["artifact", "artifacts_deleted"], results.reload);
  const items = visible(results.data?.artifacts ?? []);
  const saved = useData((signal) => get("/v1/assets", { signal }), []);
  const assets = (saved.data?.assets ?? []).filter(
    (a) => a.state === "ready" && (kind === "any" || a.contentType.startsWith(kind + "/")),
  );
  const take = (file: File | undefined) => {
    const type = file && kindOf(file);
    if (type) onChoose(uploadReference(file, type));
    else if (file) toast(text.references.unknown, { tone: "bad" });
  };
  return (
    <Dialog title={text.references.choose} onClose={onClose} wide>
      {about && <p class="help-text">{about}</p>}
      {!isStored && (
        <div class="row">
          <button type="button" class="primary" onClick={() => input.current!.click()}>
            {text.references.fromDevice}
          </button>
          <input
            ref={input}
            type="file"
            hidden
            accept={accepted(...media.filter((k) => kind === "any" || kind === k))}
            onChange={(e) => take(e.currentTarget.files?.[0])}
          />
          <span class="muted small with-keys">{text.references.hint}</span>
        </div>
      )}
      <h3>{text.references.results}</h3>
      {results.error ? (
        <Failure error={results.error} retry={results.reload} />
      ) : results.data && !items.length ? (
        <Empty title={text.references.noResults} />
      ) : (
        <div class="chooser">
          {items.map((a) => (
            <button
              type="button"
              key={a.artifactId}
              onClick={() => onChoose(referTo(a.kind, a.url, nameOf(a), a.thumbnailUrl))}>
              <Thumbnail item={{ ...libraryItem(a), width: 1, height: 1 }} />
            </button>
          ))}
        </div>
      )}
      <h3>{text.references.saved}</h3>
      {saved.error ? (
        <Failure error={saved.error} retry={saved.reload} />
      ) : !assets.length ? (
        <p class="muted small">{text.references.noneSaved}</p>
      ) : (
        <div class="row">
          {assets.map((a) => (
            <button type="button" class="quiet" key={a.id} onClick={() => referToAsset(a).then(onChoose, toastError)}>
              <Icon name={kindIcon(a.contentType.split("/")[0])} size={16} /> {a.name || a.id}
            </button>
          ))}
        </div>
      )}
    </Dialog>
  );
}
