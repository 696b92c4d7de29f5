// Saved uploads: files that the account keeps for reuse.

import { useEffect, useRef, useState } from "preact/hooks";
import { del, encoded, get } from "../api";
import { bytes, moment, sizeLimit } from "../format";
import { useChanges, useData } from "../hooks";
import { Chip } from "../parts/chip";
import { ask } from "../parts/dialog";
import { Icon, IconButton, kindIcon } from "../parts/icon";
import { Empty, Failure, Notice } from "../parts/notice";
import { toast, toastError } from "../parts/toast";
import { useNarrow } from "../query";
import { text } from "../texts/library";
import type { Upload } from "../types";
import { accepted } from "../upload";
import { BoardSelect } from "./board-list";
import { drag } from "./drag";
import type { Arrived } from "./drop";
import { useFilter, useTyped } from "./filter";
import { TagChips } from "./made";
import { fits } from "./mark";
import { MarkDialog, Star } from "./mark-fields";
import { expectMarks, marksOf } from "./marks";
import { saveAsset } from "./save-asset";

const words = text.uploads;

export function Uploads({ arrived }: { arrived: Arrived }) {
  const { filter, change, route } = useFilter();
  const [typed, setTyped] = useTyped(filter.q, (q) => change({ q }));
  const isNarrow = useNarrow();
  const { q, board, favourite, tags } = filter;
  const assets = useData(
    async (signal) => {
      const believe = await expectMarks();
      const read = await get("/v1/assets", {
        query: { q, board, favourite: favourite || undefined, tag: tags.join() },
        signal,
      });
      believe(read.assets);
      return read;
    },
    [q, board, favourite, tags.join()],
  );
  const [editing, setEditing] = useState<Upload | null>(null);
  const can = useData((signal) => get("/v1/assets/capabilities", { signal }), []);
  useChanges([], assets.reload);
  const input = useRef<HTMLInputElement>(null);
  const limit = assets.data?.limits.fileBytes ?? 0;
  const { sending, save } = useSaving(limit, assets.reload);
  const isKnown = assets.data && (can.data ?? can.error);
  useEffect(() => {
    if (!arrived.files.length || !isKnown) return;
    const dropped = arrived.take();
    if (can.data?.enabled === false) toast(words.noPlan, { tone: "bad" });
    else save(dropped);
  }, [arrived.files, !isKnown]);
  const remove = async (asset: Upload) => {
    if (await removeAsset(asset)) assets.reload();
  };
  if (assets.error && !assets.data) return <Failure error={assets.error} retry={assets.reload} />;
  const list = assets.data?.assets.filter((a) => fits(marksOf(a), filter));
  const isFiltered = q || board || favourite || tags.length;
  return (
    <section class="stack">
      <div class="row">
        <button class="primary" disabled={can.data?.enabled === false} onClick={() => input.current!.click()}>
          {words.add}
        </button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          accept={accepted("image", "video", "audio")}
          onChange={(e) => {
            save(e.currentTarget.files);
            e.currentTarget.value = "";
          }}
        />
        {assets.data && <p class="muted small grow">{words.about(sizeLimit(limit), assets.data.limits.idleDays)}</p>}
      </div>
      <div class="library-bar">
        {isNarrow && <BoardSelect />}
        <input
          type="search"
          class="library-search"
          maxlength={200}
          aria-label={text.searchUploads}
          placeholder={text.searchHint}
          value={typed}
          onInput={(e) => setTyped(e.currentTarget.value)}
        />
        <TagChips tags={tags} onChange={change} />
      </div>
      {can.data?.enabled === false && <Notice tone="warn">{words.noPlan}</Notice>}
      <div role="status">
        {sending.map((f) => (
          <p key={f.name} class="row small">
            <span class="grow cut">{f.name}</span>
            <span class="muted">{f.state}</span>
            <progress class="progress upload-progress" aria-label={f.state} />
          </p>
        ))}
      </div>
      {!list ? (
        <div class="waiting" />
      ) : !list.length && isFiltered ? (
        <Empty title={text.noneFound}>
          <button
            class="quiet"
            onClick={() => {
              setTyped("");
              route("/library?tab=uploads", true);
            }}>
            {text.showAll}
          </button>
        </Empty>
      ) : !list.length && !sending.length ? (
        <Empty title={words.empty}>{words.emptyHelp}</Empty>
      ) : (
        list.length > 0 && (
          <ul class="assets" aria-label={words.list}>
            {list.map((a) => (
              <Asset key={a.id} asset={a} onEdit={() => setEditing(a)} onRemove={() => void remove(a)} />
            ))}
          </ul>
        )
      )}
      {editing && (
        <MarkDialog
          kind="both"
          title={words.marks(editing.name || editing.id)}
          items={[{ ...editing, isUpload: true }]}
          onClose={() => setEditing(null)}
        />
      )}
    </section>
  );
}

/** Saves files, and knows which are on their way. */
function useSaving(limit: number, onEnd: () => void) {
  const [sending, setSending] = useState<{ name: string; state: string }[]>([]);
  const saveOne = async (file: File) => {
    const at = (state: string | null) =>
      setSending((list) => [
        ...list.filter((f) => f.name !== file.name),
        ...(state ? [{ name: file.name, state }] : []),
      ]);
    try {
      await saveAsset(file, limit, at);
    } catch (error) {
      toastError(error);
    } finally {
      at(null);
      onEnd();
    }
  };
  const save = (files: Iterable<File> | null | undefined) => {
    for (const file of files ?? []) void saveOne(file);
  };
  return { sending, save };
}

/** Removes an upload if the person is sure, and reports whether it was tried. */
async function removeAsset({ id, name }: Upload): Promise<boolean> {
  const body = (
    <>
      <strong>{name}</strong>
      <p>{words.sureBody}</p>
    </>
  );
  if (!(await ask({ title: words.sure, body, confirm: text.remove, danger: true }))) return false;
  await del("/v1/assets/{id}", { path: { id } }).catch(toastError);
  return true;
}

function Asset({ asset: a, onEdit, onRemove }: { asset: Upload; onEdit: () => void; onRemove: () => void }) {
  const name = a.name || a.id;
  const item = { ...a, isUpload: true };
  const isReady = a.state === "ready";
  return (
    <li draggable={isReady} onDragStart={(event) => drag(event, [item])}>
      <Icon name={kindIcon(a.contentType.split("/")[0])} />
      <span class="grow">
        <strong class="cut asset-name">{name}</strong>{" "}
        {a.state === "uploading" && <Chip tone="warn">{words.uploadingState}</Chip>}
        <span class="muted small asset-facts">
          <span>{bytes(a.bytes)}</span>
          <span>
            {words.saved} {moment(a.createdAt)}
          </span>
          <span>
            {words.expires} {moment(a.expiresAt)}
          </span>
          {marksOf(item).tags.map((tag) => (
            <Chip key={tag}>{tag}</Chip>
          ))}
        </span>
      </span>
      {isReady && (
        <>
          <Star item={item} title={name} />
          <IconButton icon="tag" size={18} label={words.marks(name)} onClick={onEdit} />
          <a class="quiet" href={encoded`/?asset=${a.id}`}>
            {words.use}
          </a>
        </>
      )}
      <IconButton icon="trash" size={18} label={words.remove(name)} onClick={onRemove} />
    </li>
  );
}
