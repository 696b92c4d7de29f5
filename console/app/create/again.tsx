// What a file says of how it was made, and what can be done with it.

import { useEffect, useRef, useState } from "preact/hooks";
import { words } from "../format";
import { Dialog } from "../parts/dialog";
import { Fact } from "../parts/fact";
import { PreviewOf } from "../parts/preview-of";
import { Notice } from "../parts/notice";
import { toast } from "../parts/toast";
import { formOfSettings } from "../settings/form";
import { readSettings, type Settings } from "../settings/settings";
import { text } from "../texts/create";
import { accepted, kindOf } from "../upload";
import type { Catalog } from "./catalog";
import type { Form } from "./form";

const said = text.again;

export interface Offer {
  file: File;
  settings: Settings;
}

/**
 * Looks at files that come: a single one that says how it was made is offered, all others are taken at
 * once. What is wanted after the page was left is of no use.
 */
export function useOffer(onTake: (files: File[]) => void) {
  const [offer, setOffer] = useState<Offer>();
  const now = useRef({ onTake, isShown: true });
  now.current.onTake = onTake;
  useEffect(() => () => void (now.current.isShown = false), []);
  const look = async (files: File[], isChosen = false) => {
    const [file] = files;
    const settings = files.length === 1 && kindOf(file) ? await readSettings(file).catch(() => undefined) : undefined;
    if (!now.current.isShown) return;
    if (settings) setOffer({ file, settings });
    else if (isChosen) toast(said.none, { tone: "bad" });
    else now.current.onTake(files);
  };
  return { offer, look, close: () => setOffer(undefined) };
}

/** Chooses a file to be made again. */
export function FromFile({ onFile }: { onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="copy" onClick={() => input.current!.click()}>
        {said.choose}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accepted("image", "video", "audio")}
        onChange={(e) => {
          const file = e.currentTarget.files?.[0];
          e.currentTarget.value = ""; // the same file can be chosen again
          if (file) onFile(file);
        }}
      />
    </>
  );
}

interface AgainDialogProps {
  offer: Offer;
  catalog: Catalog;
  loraName: (id: string) => string;
  onForm: (form: Form) => void;
  onTake: () => void;
  onClose: () => void;
}

export function AgainDialog({
  offer: { file, settings },
  catalog,
  loraName,
  onForm,
  onTake,
  onClose,
}: AgainDialogProps) {
  const again = formOfSettings(settings, catalog, loraName);
  const address = useAddressOf(file);
  const kind = kindOf(file) ?? "image";
  const { prompt, width, height } = settings.arguments;
  const model = catalog.models.get(settings.model)?.name ?? settings.model;
  return (
    <Dialog title={said.title(text.kindName[kind])} onClose={onClose}>
      <div class="again">
        {address && kind === "image" && <img src={address} alt={file.name} />}
        {address && kind === "video" && <video src={address} aria-label={file.name} controls muted />}
        {address && kind === "audio" && <audio src={address} aria-label={file.name} controls />}
        <dl class="facts small">
          <Fact name={text.tool}>{words(settings.tool)}</Fact>
          {model && <Fact name={text.model}>{settings.preview ? <PreviewOf model={model} /> : model}</Fact>}
          {typeof prompt === "string" && (
            <Fact name={text.prompt} class="again-prompt">
              {prompt}
            </Fact>
          )}
          {settings.seed !== undefined && (
            <Fact name={text.result.seed} class="tabular">
              {settings.seed}
            </Fact>
          )}
          {typeof width === "number" && typeof height === "number" && (
            <Fact name={said.size} class="tabular">{`${width} × ${height}`}</Fact>
          )}
        </dl>
      </div>
      {!again && <Notice tone="warn">{said.noTool(words(settings.tool))}</Notice>}
      {again?.missingModel && <Notice tone="warn">{said.noModel(again.missingModel)}</Notice>}
      {again?.needsMedia && <Notice tone="plain">{said.needsMedia}</Notice>}
      <footer>
        <button type="button" class="quiet" onClick={onTake}>
          {said.use(text.kindName[kind])}
        </button>
        {again && (
          <button type="button" class="primary" onClick={() => onForm(again.form)}>
            {said.make}
          </button>
        )}
      </footer>
    </Dialog>
  );
}

/** An address at which the page can show a file, while it does. */
function useAddressOf(file: File): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return address;
}
