// The files of a model on their way into the folders of ComfyUIs, for operators. Without a folder that the
// service sees, what else there is to do is shown.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { del, get, post } from "../api";
import { useData, useEvery } from "../hooks";
import { Progress } from "../parts/chip";
import { Notice } from "../parts/notice";
import { toastError } from "../parts/toast";
import { usePress } from "../press";
import { session } from "../session";
import { text as all } from "../texts/models";
import type { ModelFolder, ModelFolders } from "../types";
import { isWatched, show } from "./pull";

const text = all.fetching;

export function Pulls({ id, children }: { id: string; children: ComponentChildren }) {
  return session.value?.operator ? <Folders id={id}>{children}</Folders> : <>{children}</>;
}

function Folders({ id, children }: { id: string; children: ComponentChildren }) {
  const path = { name: id };
  const loaded = useData<ModelFolders>((signal) => get("/v1/operator/models/{name}/pull", { path, signal }), [id]);
  const folders = loaded.data?.folders;
  useEvery(1000, () => isWatched(folders) && !loaded.loading && loaded.reload());
  if (!folders?.length) return <>{children}</>;
  return (
    <>
      {folders.map((f) => (
        <Folder key={f.connectionId} id={id} folder={f} reload={loaded.reload} />
      ))}
    </>
  );
}

function Folder({ id, folder, reload }: { id: string; folder: ModelFolder; reload: () => void }) {
  const press = usePress();
  const [busy, setBusy] = useState(false);
  const shown = show(folder);
  const { connectionId } = folder;
  const path = { name: id };
  const act = () =>
    press(shown.action, async () => {
      setBusy(true);
      const done =
        shown.action === "cancel"
          ? del("/v1/operator/models/{name}/pull", { path, query: { connectionId } })
          : post("/v1/operator/models/{name}/pull", { connectionId }, { path });
      await done.catch(toastError);
      setBusy(false);
      reload();
    });
  return (
    <section class="model-pull stack" aria-label={text.into(folder.name)}>
      <h3>{text.into(folder.name)}</h3>
      <div role="status">
        {shown.tone === "plain" ? <p>{shown.sentence}</p> : <Notice tone={shown.tone}>{shown.sentence}</Notice>}
      </div>
      {shown.action === "cancel" && <Progress value={shown.share} label={text.progress} />}
      <p>
        <button class={shown.action === "start" ? "primary" : "quiet"} disabled={busy} onClick={() => void act()}>
          {text[shown.action]}
        </button>
      </p>
    </section>
  );
}
