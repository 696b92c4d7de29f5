// The fields of inputs that take files.

import { useRef, useState } from "preact/hooks";
import { references } from "../create/reference";
import { Chooser } from "../create/slot";
import { objectOf, textOf } from "../json";
import { Field } from "../parts/field";
import { Icon, IconButton, kindIcon } from "../parts/icon";
import { elsewhere } from "../parts/item";
import { text } from "../texts/template";
import { accepted, kindOf, upload, type Upload } from "../upload";
import { keepName, nameAt } from "./kept";

type MediaKind = Upload["kind"];

const urlOf = (value: unknown): string => (typeof value === "string" ? value : textOf(objectOf(value).url));

export function FileField({
  label,
  help,
  error,
  optional,
  kind,
  value,
  onInput,
}: {
  label: string;
  help?: string;
  error?: string;
  optional?: boolean;
  kind: MediaKind;
  value: unknown;
  onInput: (value: unknown) => void;
}) {
  const url = urlOf(value);
  const [problem, setProblem] = useState(""); // of the file that was chosen last: it is newer than what is missing
  const said = url ? "" : problem;
  return (
    <Field label={label} help={help} error={said || error} isAlert={Boolean(said)} optional={optional}>
      {(ids) =>
        url ? (
          <div class="input-item">
            <Chosen kind={kind} url={url} />
            <IconButton
              icon="close"
              id={ids.id}
              label={`${text.remove}: ${label}`}
              onClick={() => onInput(undefined)}
            />
          </div>
        ) : (
          <FileBox kind={kind} label={label} ids={ids} onProblem={setProblem} onFiles={([first]) => onInput(first)} />
        )
      }
    </Field>
  );
}

export function Chosen({ kind, url }: { kind: string; url: unknown }) {
  const source = urlOf(url);
  const [failed, setFailed] = useState(elsewhere(source) !== undefined);
  return (
    <span class="chosen grow">
      {kind === "image" && !failed ? (
        <img src={source} alt="" onError={() => setFailed(true)} />
      ) : kind === "audio" && !failed ? (
        <audio class="grow" src={source} controls preload="metadata" onError={() => setFailed(true)} />
      ) : (
        <Icon name={kindIcon(kind)} size={28} />
      )}
      <span class="small muted cut">{nameAt(source)}</span>
    </span>
  );
}

/** Takes files by choice, drop or paste, or the address of one. */
export function FileBox({
  kind,
  label,
  ids,
  multiple,
  onProblem,
  onFiles,
}: {
  kind: MediaKind;
  label: string;
  ids?: { id: string };
  multiple?: boolean;
  /** Called with why the files that were chosen last cannot be used, or nothing. */
  onProblem: (problem: string) => void;
  onFiles: (urls: string[]) => void;
}) {
  const [busy, setBusy] = useState(false);
  const [over, setOver] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const take = async (files: File[]) => {
    const fitting = files.filter((file) => kindOf(file) === kind).slice(0, multiple ? 64 : 1);
    if (!fitting.length) return onProblem(text.notAKind(kind));
    setBusy(true);
    onProblem("");
    try {
      const urls: string[] = [];
      for (const file of fitting) {
        const { url, name } = await upload(file);
        keepName(url, name);
        urls.push(url);
      }
      onFiles(urls);
    } catch (error) {
      onProblem((error as Error).message);
    }
    setBusy(false);
  };
  const paste = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    void take(files);
  };
  return (
    <div
      class={over ? "file-box over" : "file-box"}
      onPaste={paste}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take([...(event.dataTransfer?.files ?? [])]);
      }}>
      <button type="button" class="quiet" {...ids} disabled={busy} onClick={() => chooser.current?.click()}>
        <Icon name={kindIcon(kind)} size={16} /> {busy ? text.uploading : multiple ? text.uploadMore : text.upload}
      </button>
      <input
        ref={chooser}
        class="offscreen"
        type="file"
        tabIndex={-1}
        aria-label={`${text.upload}: ${label}`}
        accept={accepted(kind)}
        multiple={multiple}
        onChange={(event) => {
          void take([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
      <button type="button" class="quiet" disabled={busy} onClick={() => setChoosing(true)}>
        <Icon name="library" size={16} /> {text.library}
      </button>
      <AddressField label={label} onAddress={(url) => onFiles([url])} />
      {choosing && (
        <Chooser
          kind={kind}
          isStored
          onClose={() => setChoosing(false)}
          onChoose={({ ref }) => {
            const { url, name } = references.value[ref];
            setChoosing(false);
            keepName(url!, name);
            onFiles([url!]);
          }}
        />
      )}
    </div>
  );
}

/** The address of a file, which is taken when the person leaves the field. */
function AddressField({ label, onAddress }: { label: string; onAddress: (url: string) => void }) {
  const [address, setAddress] = useState("");
  const take = () => {
    if (/^https?:\/\/./.test(address.trim())) onAddress(address.trim());
    setAddress("");
  };
  return (
    <input
      class="grow"
      type="url"
      aria-label={`${text.address}: ${label}`}
      placeholder={text.orAddress}
      value={address}
      onInput={(event) => setAddress(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === "Enter") {
          event.preventDefault();
          take();
        }
      }}
    />
  );
}
